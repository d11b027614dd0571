package report

import (
	"bytes"
	"fmt"
	"io"

	"qbench/internal/result"
)

// hgrmTicks is the number of lines per halving of the distance to 100 %, which
// is what HdrHistogram's own tools write.
const hgrmTicks = 5

// HGRM writes latencies in milliseconds as HdrHistogram's percentile
// distribution, which its plotters read. The repeats of one configuration are
// one distribution; where a file holds several configurations each follows a
// comment with its name.
func HGRM(w io.Writer, f *result.File, _ Options) error {
	k := rank(f.Runs)
	var b bytes.Buffer
	for _, g := range groupWarnings(f.Runs, k.names) {
		fmt.Fprintf(&b, "#[warning: %s]\n", clean(g.text+g.which(len(f.Runs))))
	}
	for i := range k.entries {
		e := &k.entries[i]
		if len(k.entries) > 1 {
			fmt.Fprintf(&b, "#[%s]\n", e.title())
		}
		if !e.audit.Proved() {
			fmt.Fprintf(&b, "#[audit: %s%s]\n", e.audit, e.audit.shareIn(e.runs))
		}
		if e.aborted.runs > 0 {
			fmt.Fprintf(&b, "#[aborted: %s]\n", clean(e.aborted.text()))
		}
		h := MergeLatencies(e.runs)
		if h == nil {
			fmt.Fprintf(&b, "#[no latencies were kept]\n")
			continue
		}
		if _, err := h.HDR().PercentilesPrint(&b, hgrmTicks, 1e6); err != nil {
			return fmt.Errorf("write percentile distribution: %w", err)
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

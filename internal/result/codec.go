package result

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// Write writes the result file. Values that readers rely on are derived here from
// where the record keeps them: of a run "failed", the sum of the failures, and
// "statements", those of all scripts in order; of a comparison "failed", whether the
// gate fails.
func Write(w io.Writer, f *File) error {
	type file File
	out := struct {
		file
		Runs       []jsonRun       `json:"runs"`
		Comparison *jsonComparison `json:"comparison,omitempty"`
	}{file: file(*f), Runs: make([]jsonRun, len(f.Runs))}
	out.Format = Format
	if c := f.Comparison; c != nil {
		out.Comparison = &jsonComparison{Failed: c.Failed(), Comparison: c}
	}
	for i, r := range f.Runs {
		out.Runs[i] = jsonRun{Run: r, Failed: r.Failed()}
		for _, s := range r.Scripts {
			out.Runs[i].Statements = append(out.Runs[i].Statements, s.Statements...)
		}
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", " ")
	// Statements are read by people too, and a result file is no web page.
	enc.SetEscapeHTML(false)
	if err := enc.Encode(out); err != nil {
		return fmt.Errorf("write result file: %w", err)
	}
	return nil
}

type jsonComparison struct {
	Failed bool `json:"failed"`
	*Comparison
}

type jsonRun struct {
	*Run
	Failed     int64       `json:"failed"`
	Statements []Statement `json:"statements,omitempty"`
}

// Read reads a result file. It refuses a file of another format version by
// that version's name, and one that is truncated, damaged, followed by anything
// else or whose fields contradict each other. Fields that it does not know are
// skipped: a later version of the same format may add some.
func Read(r io.Reader) (*File, error) {
	dec := json.NewDecoder(r)
	var raw json.RawMessage
	if err := dec.Decode(&raw); err != nil {
		return nil, damaged(err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("read result file: something follows the result; concatenated files are to be given one by one")
	}
	// The version first: what follows it may have another shape.
	var head struct {
		Format *string `json:"format"`
	}
	if err := json.Unmarshal(raw, &head); err != nil || head.Format == nil {
		return nil, fmt.Errorf("read result file: it has no \"format\", so it is no result file of qbench; this version reads %q", Format)
	}
	if *head.Format != Format {
		return nil, fmt.Errorf("read result file: its format is %q, and this version of qbench reads %q: measure again, or use the qbench that wrote it", *head.Format, Format)
	}
	var f File
	if err := json.Unmarshal(raw, &f); err != nil {
		return nil, damaged(err)
	}
	for i, run := range f.Runs {
		if run == nil {
			return nil, fmt.Errorf("read result file: run %d is null; the file is damaged, measure again", i+1)
		}
	}
	if i := slices.Index(f.Capacities, nil); i >= 0 {
		return nil, fmt.Errorf("read result file: capacity %d is null; the file is damaged, measure again", i+1)
	}
	for i, run := range f.Runs {
		if err := run.contradiction(); err != nil {
			return nil, fmt.Errorf("read result file: run %d (%s) contradicts itself: %w; the file is damaged or was edited, measure again", i+1, run.Configuration, err)
		}
		run.Env = &f.Environment
	}
	if f.Comparison != nil {
		if err := f.Comparison.contradiction(); err != nil {
			return nil, fmt.Errorf("read result file: the comparison contradicts itself: %w; the file is damaged or was edited, compare again", err)
		}
	}
	return &f, nil
}

func damaged(err error) error {
	if errors.Is(err, io.EOF) {
		return errors.New("read result file: it is empty; the run that should have written it did not end")
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("read result file: it is truncated; the run that should have written it did not end")
	}
	return fmt.Errorf("read result file: %w; the file is damaged, measure again", err)
}

package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"qbench/internal/printable"
	"qbench/runner"
)

// JSON writes the result file itself, with the histograms in HdrHistogram's
// compressed encoding. It ignores the options.
//
// Two values that readers rely on are derived here from where the result keeps
// them: "failed", the sum of the failures, and "statements", those of all
// scripts in order.
func JSON(w io.Writer, f *runner.File, _ Options) error {
	out := struct {
		Format      string             `json:"format"`
		Runs        []jsonRun          `json:"runs"`
		Environment runner.Environment `json:"environment"`
		Capacity    json.RawMessage    `json:"capacity,omitempty"`
	}{runner.Format, make([]jsonRun, len(f.Runs)), f.Environment, f.Capacity}
	for i, r := range f.Runs {
		out.Runs[i] = jsonRun{Result: r, Failed: r.Failed()}
		for _, s := range r.ScriptResults {
			out.Runs[i].Statements = append(out.Runs[i].Statements, s.Statements...)
		}
	}
	if err := writeJSON(w, out); err != nil {
		return fmt.Errorf("write result file: %w", err)
	}
	return nil
}

func writeJSON(w io.Writer, v any) error {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetIndent("", " ")
	// Statements are read by people too, and a result file is no web page.
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := io.WriteString(w, printable.JSON(b.String()))
	return err
}

type jsonRun struct {
	*runner.Result
	Failed     int64                    `json:"failed"`
	Statements []runner.StatementResult `json:"statements,omitempty"`
}

// ReadJSON reads a result file. It refuses a file of another format version by
// that version's name, and one that is truncated, damaged or followed by
// anything else. Fields that it does not know are skipped: a later version of
// the same format may add some.
func ReadJSON(r io.Reader) (*runner.File, error) {
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
		return nil, fmt.Errorf("read result file: it has no \"format\", so it is no result file of qbench; this version reads %q", runner.Format)
	}
	if *head.Format != runner.Format {
		return nil, fmt.Errorf("read result file: its format is %q, this version reads %q; use the qbench that wrote it", *head.Format, runner.Format)
	}
	var f runner.File
	if err := json.Unmarshal(raw, &f); err != nil {
		return nil, damaged(err)
	}
	for i, run := range f.Runs {
		if run == nil {
			return nil, fmt.Errorf("read result file: run %d is null; the file is damaged, measure again", i+1)
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

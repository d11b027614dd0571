package report

import (
	"bytes"
	_ "embed" // the parts of the page
	"fmt"
	"html/template"
	"io"
	"strings"

	"qbench/internal/printable"
	"qbench/internal/result"
)

//go:embed page/page.html
var pageHTML string

//go:embed page/page.css
var pageCSS string

//go:embed page/page.js
var pageJS string

//go:embed page/table.html
var tableHTML string

// pageTemplate escapes by context: whatever comes from a result file is data.
// Only the two embedded files are trusted as what they are.
var pageTemplate = newTemplate("page", pageHTML)

// newTemplate makes a page of the style and the tables that all pages share.
func newTemplate(name, text string) *template.Template {
	t := template.New(name).Funcs(template.FuncMap{
		"css": func() template.CSS { return template.CSS(pageCSS) },
		"js":  func() template.JS { return template.JS(pageJS) },
	})
	return template.Must(template.Must(t.Parse(tableHTML)).Parse(text))
}

// HTML writes one self-contained page: charts, tables, the audit, warnings and
// the environment. It needs no network, follows the reader's light or dark
// preference, and can be printed. Without scripts the tables are still there.
func HTML(w io.Writer, f *result.File, _ Options) error {
	var b bytes.Buffer
	if err := pageTemplate.Execute(&b, newPageView(f)); err != nil {
		return fmt.Errorf("write page: %w", err)
	}
	_, err := io.WriteString(w, printablePage(b.String()))
	return err
}

// printablePage shows control characters, and those that turn the direction of
// writing, as escapes; the data for the script keeps them in JSON's form.
func printablePage(page string) string {
	before, rest, ok := strings.Cut(page, dataBlock)
	if !ok {
		return printable.Text(page)
	}
	data, after, _ := strings.Cut(rest, "</script>")
	return printable.Text(before) + dataBlock + printable.JSON(data) + "</script>" + printable.Text(after)
}

// dataBlock begins the data; names cannot hold it, because the template escapes
// them.
const dataBlock = `<script type="application/json" id="data">`

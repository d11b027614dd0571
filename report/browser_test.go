package report

import (
	"bytes"
	"fmt"
	"html"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"qbench/internal/result"
)

// browser finds headless Chromium (Debian's package chromium). In CI the test
// fails without it.
func browser(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	if os.Getenv("CI") != "" {
		t.Fatal("no Chromium; install the package chromium")
	}
	// "make test" installs PostgreSQL only: a browser of some 300 MB is more than
	// a developer should get unasked, and CI opens the page in any case.
	t.Skip("no Chromium; install the package chromium to test the page")
	return ""
}

var consoleLine = regexp.MustCompile(`:CONSOLE[(:].*`)

// open loads a page, runs the script in it after its own, and returns the
// document as it then is. Anything on the console is an error.
func open(t *testing.T, chromium, page, script string, width int, dark bool) string {
	t.Helper()
	dir := t.TempDir()
	page = strings.Replace(page, "</body>", "<script>"+script+"</script></body>", 1)
	path := filepath.Join(dir, "page.html")
	if err := os.WriteFile(path, []byte(page), 0o644); err != nil {
		t.Fatal(err)
	}
	args := []string{"--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
		"--user-data-dir=" + filepath.Join(dir, "profile"), "--enable-logging=stderr",
		fmt.Sprintf("--window-size=%d,900", width)}
	if dark {
		args = append(args, "--blink-settings=preferredColorScheme=0")
	}
	cmd := exec.Command(chromium, append(args, "--dump-dom", "file://"+path)...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	for _, line := range consoleLine.FindAllString(stderr.String(), -1) {
		t.Errorf("on the console: %s", line)
	}
	return stdout.String()
}

// probe uses the page as a person does, and writes what it saw into the title.
const probe = `
const $ = (s) => document.querySelector(s), all = (s) => [...document.querySelectorAll(s)];
const seen = {};
seen.charts = all(".chart").filter((c) => c.querySelector("path, rect.cell")).length;
seen.cells = all("#heat rect.cell").length > 0;
seen.wide = document.documentElement.scrollWidth > innerWidth;
const clients = all("#ranking th").find((th) => th.textContent === "clients"), column = [...clients.parentNode.children].indexOf(clients);
const values = () => all("#ranking tbody tr").map((r) => Number(r.cells[column].textContent));
const ordered = (list, sign) => list.every((v, i) => i === 0 || sign * (v - list[i - 1]) >= 0);
clients.firstChild.click(); seen.up = ordered(values(), 1);
clients.firstChild.click(); seen.down = ordered(values(), -1);
const at = $("#rate svg").getBoundingClientRect();
$("#rate svg rect").dispatchEvent(new PointerEvent("pointermove", { clientX: at.left + at.width / 2, clientY: at.top + 50 }));
seen.tip = !$("#tip").hidden && /^at .* s/.test($("#tip").textContent) && $("#tip").children.length > 1;
$("#heat rect.cell").dispatchEvent(new PointerEvent("pointermove", { clientX: 10, clientY: 10 }));
seen.heatTip = / ms/.test($("#tip").textContent);
const before = $("#rate").innerHTML, group = $("#group");
group.selectedIndex = group.options.length - 1; group.dispatchEvent(new Event("change"));
seen.regrouped = group.options.length === 1 || $("#rate").innerHTML !== before;
const lines = all("#rate path").length;
$("#legend-group button").click();
seen.toggled = all("#rate path").length === lines - 1;
seen.background = getComputedStyle(document.body).backgroundColor;
document.title = JSON.stringify(seen);
`

func TestPageInABrowser(t *testing.T) {
	t.Parallel()
	chromium := browser(t)
	for _, c := range []struct {
		name  string
		file  *result.File
		width int
		dark  bool
		want  string
	}{
		{"desktop", bigMatrix(), 1280, false, `"background":"rgb(252, 252, 251)"`},
		{"desktop, dark", matrix(), 1280, true, `"background":"rgb(23, 23, 21)"`},
		{"one number of clients", fileOf(newRun("a", 8, 5, 1, 500, 0), newRun("b", 8, 5, 1, 600, 0)), 1280, false, `"background":"rgb(252, 252, 251)"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dom := open(t, chromium, render(t, HTML, c.file, Options{}), probe, c.width, c.dark)
			_, title, _ := strings.Cut(dom, "<title>")
			title, _, _ = strings.Cut(title, "</title>")
			want := `{"charts":6,"cells":true,"wide":false,"up":true,"down":true,"tip":true,"heatTip":true,"regrouped":true,"toggled":true,` + c.want + "}"
			if title != want {
				t.Errorf("the page shows\n%s\nwant\n%s", title, want)
			}
		})
	}
	// Chromium's windows are at least 500 pixels wide, so a phone is a frame.
	// A frame with its document inline may write into the title around it.
	t.Run("phone", func(t *testing.T) {
		t.Parallel()
		page := frame(render(t, HTML, bigMatrix(), Options{}), probe+`parent.document.title = document.title;`)
		dom := open(t, chromium, "<!DOCTYPE html><title>nothing</title><body>"+page+"</body>", "", 800, false)
		if !strings.Contains(dom, `<title>{"charts":6,"cells":true,"wide":false,"up":true,"down":true,"tip":true,"heatTip":true,"regrouped":true,"toggled":true,`) {
			t.Errorf("the page shows %.300s", dom)
		}
	})
	t.Run("every case", func(t *testing.T) {
		t.Parallel()
		var outer, want strings.Builder
		outer.WriteString("<!DOCTYPE html><title>cases</title><body>")
		files := cases()
		for _, name := range slices.Sorted(maps.Keys(files)) {
			outer.WriteString(frame(render(t, HTML, files[name], Options{}),
				fmt.Sprintf("parent.document.body.dataset.c%d = document.documentElement.scrollWidth > innerWidth;", want.Len())))
			fmt.Fprintf(&want, " data-c%d=\"false\"", want.Len())
		}
		dom := open(t, chromium, outer.String()+"</body>", "", 800, false)
		_, body, _ := strings.Cut(dom, "<body")
		body, _, _ = strings.Cut(body, ">")
		got, wanted := strings.Fields(body), strings.Fields(want.String())
		slices.Sort(got)
		slices.Sort(wanted)
		if !slices.Equal(got, wanted) {
			t.Errorf("pages wider than a phone, or not loaded: got %v, want %v", got, wanted)
		}
	})
}

// frame is a page with a script at its end, as wide as a phone.
func frame(page, script string) string {
	page = strings.Replace(page, "</body>", "<script>"+script+"</script></body>", 1)
	return `<iframe style="width:390px;height:800px;border:0" srcdoc="` + html.EscapeString(page) + `"></iframe>`
}

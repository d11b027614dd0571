package result

import (
	"slices"
	"strings"
	"testing"
)

// Every respect in which files differ is named once, with the values in the
// order of the files.
func TestJoin(t *testing.T) {
	t.Parallel()
	file := func(version, fsync string) *File {
		return &File{Runs: []*Run{{}}, Environment: Environment{
			ServerVersion: version, Settings: map[string]string{"fsync": fsync, "max_connections": version}}}
	}
	joined, differences := Join([]*File{file("15", "on"), file("16", "on"), file("15", "on")})
	if len(joined.Runs) != 3 || joined.Environment.ServerVersion != "15" {
		t.Errorf("%+v", joined)
	}
	if want := []string{"the files differ in server version: 15, 16"}; !slices.Equal(differences, want) {
		t.Errorf("%q", differences)
	}
	if _, differences = Join([]*File{file("15", "on"), file("15", "on")}); len(differences) > 0 {
		t.Errorf("%q", differences)
	}
	compared := file("15", "on")
	compared.Comparison = &Comparison{}
	if joined, lost := Join([]*File{compared}); joined != compared || lost != nil {
		t.Errorf("alone: %v, %v", joined, lost)
	}
	if joined, lost := Join([]*File{file("15", "on"), compared}); len(joined.Runs) != 2 || joined.Comparison != nil || len(lost) != 1 || !strings.HasPrefix(lost[0], "the comparison in file 2 of 2 is not shown") {
		t.Errorf("with another: %v, %v", joined, lost)
	}
}

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
	joined, differences, err := Join([]*File{file("15", "on"), file("16", "on"), file("15", "on")})
	if err != nil || len(joined.Runs) != 3 || joined.Environment.ServerVersion != "15" {
		t.Errorf("%+v", joined)
	}
	if want := []string{"the files differ in server version: 15, 16"}; !slices.Equal(differences, want) {
		t.Errorf("%q", differences)
	}
	if _, differences, _ = Join([]*File{file("15", "on"), file("15", "on")}); len(differences) > 0 {
		t.Errorf("%q", differences)
	}
	compared := file("15", "on")
	compared.Comparison = &Comparison{}
	if joined, _, err := Join([]*File{compared}); err != nil || joined != compared {
		t.Errorf("alone: %v, %v", joined, err)
	}
	if _, _, err := Join([]*File{file("15", "on"), compared}); err == nil || !strings.Contains(err.Error(), "file 2 of 2 holds a comparison") {
		t.Errorf("with another: %v", err)
	}
}

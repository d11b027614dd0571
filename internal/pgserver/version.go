package pgserver

import (
	"fmt"
	"regexp"
	"strconv"
)

// oldest is the first major version that is still tested against.
const oldest = 14

// version is what `postgres --version` says of itself.
type version struct {
	major, minor int    // minor is -1 for a development version, a beta or a release candidate
	short        string // "15.18", "19beta1"
	full         string // the whole line: two builds of one version may differ in it
}

var versionLine = regexp.MustCompile(`^postgres \(PostgreSQL\) (([0-9]+)(?:\.([0-9]+)|devel|beta[0-9]+|rc[0-9]+)(?:\.[0-9]+)?)(?:[^0-9.].*)?$`)

// parseVersion reads the line that `postgres --version` prints, without its newline.
func parseVersion(line string) (version, error) {
	m := versionLine.FindStringSubmatch(line)
	if m == nil {
		return version{}, fmt.Errorf("%q is not what postgres --version prints", line)
	}
	v := version{short: m[1], full: line, minor: -1}
	var err error
	if v.major, err = strconv.Atoi(m[2]); err != nil {
		return version{}, fmt.Errorf("major version in %q: %w", line, err)
	}
	if m[3] != "" {
		if v.minor, err = strconv.Atoi(m[3]); err != nil {
			return version{}, fmt.Errorf("minor version in %q: %w", line, err)
		}
	}
	return v, nil
}

// newer orders versions; a release is newer than the previews of the same major version.
func (v version) newer(o version) bool {
	if v.major != o.major {
		return v.major > o.major
	}
	return v.minor > o.minor
}

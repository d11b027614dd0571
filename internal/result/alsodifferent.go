package result

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// Digest names a text, such as a script's, by the start of its SHA-256.
func Digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:6])
}

// AlsoDifferent lists what differs between two runs although it is no part of what
// was asked for: the texts of scripts and of the setup file, the server's version,
// the machine, and qbench's version. A comparison names it and refuses nothing.
// What one of the runs does not say is no difference.
func AlsoDifferent(a, b *Run) []Difference {
	var out []Difference
	add := func(name, va, vb string) {
		if va != "" && vb != "" && va != vb {
			out = append(out, Difference{name, va, vb})
		}
	}
	ofB := b.scripts()
	for _, s := range a.scripts() {
		if i := slices.IndexFunc(ofB, func(o Script) bool { return o.Name == s.Name }); i >= 0 {
			add("text of script "+s.Name, s.Digest, ofB[i].Digest)
			ofB = slices.Delete(ofB, i, i+1)
		}
	}
	if a.Setup == b.Setup {
		add("text of setup file "+a.Setup, a.SetupDigest, b.SetupDigest)
	}
	if a.Env != nil && b.Env != nil {
		add("server version", a.Env.ServerVersion, b.Env.ServerVersion)
		add("machine", a.Env.Machine(), b.Env.Machine())
		add("qbench version", a.Env.QbenchVersion, b.Env.QbenchVersion)
	}
	return out
}

// scripts are those of the consumers and of the producers, in a slice of the
// caller's own.
func (r *Run) scripts() []Script {
	all := slices.Clone(r.Scripts)
	if r.Producers != nil {
		all = append(all, r.Producers.Scripts...)
	}
	return all
}

// Machine is what qbench ran on, in words; "" where it is not known.
func (e *Environment) Machine() string {
	var parts []string
	if e.HostCores > 0 {
		parts = append(parts, fmt.Sprintf("%d cores", e.HostCores))
	}
	if e.HostCPU != "" {
		parts = append(parts, e.HostCPU)
	}
	// Memory in whole GiB: kernels differ in what they keep for themselves.
	if gib := (e.HostMemory + 1<<29) >> 30; gib > 0 {
		parts = append(parts, fmt.Sprintf("%d GiB", gib))
	}
	if e.HostOS != "" {
		parts = append(parts, e.HostOS)
	}
	return strings.Join(parts, ", ")
}

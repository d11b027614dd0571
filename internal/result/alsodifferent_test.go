package result

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAlsoDifferent(t *testing.T) {
	t.Parallel()
	run := func() *Run {
		return &Run{
			Configuration: Configuration{Strategy: "x", Setup: "index.sql"}, SetupDigest: Digest("create index"),
			Env:     &Environment{ServerVersion: "15.18", HostCores: 2, HostMemory: 8 << 30, HostCPU: "A", HostOS: "linux/amd64", QbenchVersion: "1"},
			Scripts: []Script{{Name: "take", Digest: Digest("a")}, {Name: "put", Digest: Digest("b")}},
		}
	}
	for _, c := range []struct {
		change func(*Run)
		want   []Difference
	}{
		{func(*Run) {}, nil},
		// It differs in what was asked for, which Diff says.
		{func(r *Run) { r.Clients, r.Setup, r.SetupDigest = 9, "other.sql", Digest("drop index") }, nil},
		{func(r *Run) { r.Scripts[1].Digest = Digest("c") }, []Difference{{"text of script put", Digest("b"), Digest("c")}}},
		{func(r *Run) { r.Scripts = r.Scripts[:1] }, nil},
		{func(r *Run) { r.SetupDigest = Digest("x") }, []Difference{{"text of setup file index.sql", Digest("create index"), Digest("x")}}},
		{func(r *Run) { r.Env.ServerVersion = "15.19" }, []Difference{{"server version", "15.18", "15.19"}}},
		{func(r *Run) { r.Env.HostCores = 4 }, []Difference{{"machine", "2 cores, A, 8 GiB, linux/amd64", "4 cores, A, 8 GiB, linux/amd64"}}},
		{func(r *Run) { r.Env.HostMemory += 1 << 20 }, nil},
		{func(r *Run) { r.Env.QbenchVersion = "2" }, []Difference{{"qbench version", "1", "2"}}},
		{func(r *Run) { r.Env = nil }, nil},
	} {
		other := run()
		c.change(other)
		if diff := cmp.Diff(c.want, AlsoDifferent(run(), other)); diff != "" {
			t.Error(diff)
		}
	}
	// The producers' scripts count too.
	a, b := run(), run()
	a.Producers = &Producers{Scripts: []Script{{Name: "put", Digest: "1"}, {Name: "put", Digest: "2"}}}
	b.Producers = &Producers{Scripts: []Script{{Name: "put", Digest: "1"}, {Name: "put", Digest: "3"}}}
	if diff := cmp.Diff([]Difference{{"text of script put", "2", "3"}}, AlsoDifferent(a, b)); diff != "" {
		t.Error(diff)
	}
}

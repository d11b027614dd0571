package cli

import (
	"errors"
	"fmt"
	"time"

	"qbench/internal/bench"
	"qbench/internal/compare"
	"qbench/internal/result"
)

// abRun is the comparison under way.
type abRun struct {
	*session
	sides  [2]*side
	trial  *compare.Trial
	budget time.Duration // 0 is no limit
	now    func() time.Time
}

// run opens the servers and runs pairs until the trial is done. A status other
// than StatusOK is why it ended before that.
func (t *abRun) run() (Status, error) {
	if err := t.open(); err != nil {
		return t.end(err)
	}
	for _, s := range t.sides {
		if err := t.prepare(s); err != nil {
			return t.end(err)
		}
	}
	seed := t.trial.OrderSeed()
	t.con.note("order of the runs: seed %d; --seed %d repeats the order", seed, seed)
	started := t.now()
	for n := 0; ; n++ {
		begun := t.now()
		if err := t.pair(n); err != nil {
			return t.end(err)
		}
		rep := t.trial.Report()
		t.con.note("%s", describePair(rep))
		if t.trial.Done() {
			if rep.Verdict == result.Inconclusive {
				t.con.note("--max-pairs: the budget of %d pairs is spent", n+1)
			}
			return StatusOK, nil
		}
		now := t.now()
		if t.budget > 0 && now.Sub(started)+now.Sub(begun) > t.budget {
			t.con.note("--budget: another pair would end after %v", t.budget)
			return StatusOK, nil
		}
	}
}

// open opens the servers, one for both sides if they ask for the same.
func (t *abRun) open() (err error) {
	a, b := t.sides[0], t.sides[1]
	if sameServer(a, b) {
		a.server, err = t.session.open(a.options, a.spec, b.spec)
		b.server = a.server
		return err
	}
	if a.server, err = t.session.open(a.options, a.spec); err != nil {
		return err
	}
	b.server, err = t.session.open(b.options, b.spec)
	return err
}

// prepare checks that a variant can run, and records on what.
func (t *abRun) prepare(s *side) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("variant %s: %w", s.name, err)
		}
	}()
	if err := s.server.Check(t.signals.stop, []bench.Spec{s.spec}); err != nil {
		return err
	}
	s.file.Environment, err = t.environment(s.server)
	return err
}

// pair runs both variants once, in the order that pair n has, and adds them to
// the trial.
func (t *abRun) pair(n int) error {
	order := []int{0, 1}
	if t.trial.BFirst() {
		order = []int{1, 0}
	}
	var runs [2]*result.Run
	for _, i := range order {
		s := t.sides[i]
		res, err := t.one(s, n)
		if res != nil && s.folder != nil {
			s.file.Runs = append(s.file.Runs, res)
			if err := s.folder.Write(s.file); err != nil && !s.unsaved {
				t.con.note("qbench: warning: %v; the pairs go on", err)
				s.unsaved = true
			}
		}
		switch {
		case err != nil:
			return fmt.Errorf("variant %s: %w", s.name, err)
		case t.signals.stop.Err() != nil:
			return bench.ErrStopped
		}
		if err := compare.CheckSample(res); err != nil {
			return withStatus(worse(StatusIncomplete, resultStatus(res)), fmt.Errorf("pair %d: variant %s: %w", n+1, s.name, err))
		}
		runs[i] = res
	}
	if err := t.trial.Add(runs[0], runs[1]); err != nil {
		return withStatus(StatusIncomplete, fmt.Errorf("pair %d: %w", n+1, err))
	}
	return nil
}

// one does a run. On a terminal the bottom line says how far it is; nothing is
// printed of a run by itself, because there are many.
func (t *abRun) one(s *side, n int) (*result.Run, error) {
	spec := s.spec
	spec.Repeat = n + 1
	return t.session.run(s.server, spec, &s.file.Environment, func(msgs *messages) bench.Hooks {
		hooks := t.con.hooks(msgs, "", false)
		hooks.Seeded = nil
		running := hooks.Running
		hooks.Running = func(spec bench.Spec) {
			running(spec)
			t.con.show("pair %d, %s", n+1, s.name)
		}
		return hooks
	})
}

// end gives an early end its status.
func (t *abRun) end(err error) (Status, error) {
	t.con.hide()
	if t.signals.stop.Err() != nil {
		pairs := "before the first pair was complete"
		if n := t.trial.Pairs(); n > 0 {
			pairs = fmt.Sprintf("after %d pairs", n)
		}
		return StatusInterrupted, fmt.Errorf("interrupted %s", pairs)
	}
	return statusOf(err), err
}

// save adds the comparison to the result files of both sides, and says where
// they are.
func (t *abRun) save(c *result.Comparison) error {
	var lost error
	for _, s := range t.sides {
		if s.folder == nil {
			continue
		}
		s.file.Comparison = c
		lost = errors.Join(lost, s.folder.Write(s.file))
	}
	for _, s := range t.sides {
		if s.folder != nil && s.folder.Path() != "" {
			t.con.note("results of %s: %s", s.name, t.app.secrets.Mask(s.folder.Path()))
		}
	}
	return lost
}

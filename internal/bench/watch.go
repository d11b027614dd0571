package bench

import (
	"context"
	"sync"

	"qbench/internal/result"
)

// Watch collects what a long run and its queue do, a value each per interval.
type Watch struct {
	target   *Target
	workload string
	look     chan struct{} // to the server, at an interval's end

	mu   sync.Mutex
	last Footprint
	seen bool // there is a last
	all  Watched
}

// Watched are series with equal distances.
type Watched struct {
	OrdersPerS, P99MS, Depths, TableMB, IndexMB, DeadRows []float64
}

// NewWatch is a watch on the queue of a workload.
func NewWatch(t *Target, workload string) *Watch {
	return &Watch{target: t, workload: workload, look: make(chan struct{}, 1)}
}

// Watched is what was collected.
func (w *Watch) Watched() Watched {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.all
}

// Tick takes an interval. It asks the server for nothing itself, because what
// waits here delays the next interval.
func (w *Watch) Tick(t result.Tick) {
	select {
	case w.look <- struct{}{}:
	default: // still looking
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if t.Warmup || !w.seen {
		return
	}
	const mb = 1 << 20
	a := &w.all
	a.OrdersPerS, a.P99MS, a.Depths = append(a.OrdersPerS, t.OrdersPerS), append(a.P99MS, t.P99MS), append(a.Depths, float64(t.Depth))
	a.TableMB, a.IndexMB = append(a.TableMB, float64(w.last.TableBytes)/mb), append(a.IndexMB, float64(w.last.IndexBytes)/mb)
	a.DeadRows = append(a.DeadRows, float64(w.last.DeadTuples))
}

// Follow looks at the tables when an interval has ended, until ctx ends.
func (w *Watch) Follow(ctx context.Context) error {
	conn, err := w.target.Connect(ctx)
	if err != nil {
		return w.unless(ctx, err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-w.look:
		}
		f, err := w.target.Footprint(ctx, conn, w.workload)
		if err != nil {
			return w.unless(ctx, err)
		}
		w.mu.Lock()
		w.last, w.seen = f, true
		w.mu.Unlock()
	}
}

// unless drops the error of a question that the end has cut off.
func (*Watch) unless(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

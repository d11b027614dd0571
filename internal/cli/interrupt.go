package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// interrupts turns signals into two contexts. The first signal ends stop: what
// is under way is finished, reported and cleaned up. The second ends now.
type interrupts struct {
	now, stop context.Context
	release   func()
}

// watchInterrupts begins to listen; call release when done. notice is called
// at the first signal, from another goroutine.
func watchInterrupts(ctx context.Context, notice func(os.Signal)) *interrupts {
	now, cancelNow := context.WithCancel(ctx)
	stop, cancelStop := context.WithCancel(now)
	received := make(chan os.Signal, 2)
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	// Under nohup a hang-up is meant to be ignored.
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	signal.Notify(received, signals...)
	go func() {
		select {
		case s := <-received:
			notice(s)
			cancelStop()
		case <-now.Done():
			return
		}
		select {
		case <-received:
			cancelNow()
		case <-now.Done():
		}
	}()
	return &interrupts{now: now, stop: stop, release: func() {
		signal.Stop(received)
		cancelNow()
	}}
}

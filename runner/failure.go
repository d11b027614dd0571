package runner

import (
	"fmt"
	"strings"

	"qbench/runner/script"
	"qbench/runner/wire"
)

// fail notes the first error of the response.
func (c *client) fail(f failure) {
	if c.failure.status != noError {
		return
	}
	if f.status == noError {
		f.status = metaError
	}
	mode := c.loop.run.cfg.Mode
	// pgbench blames \endpipeline for whatever fails in a pipeline; in
	// pipelined mode there is no such command, and the statement itself is named.
	f.pc = min(c.pc, len(c.prog.steps)-1)
	f.at = &c.prog.steps[f.pc]
	if c.answered < len(c.sent) {
		f.at = c.sent[c.answered].step
		if mode == Pipelined {
			f.pc = c.sent[c.answered].pc
		}
	}
	if mode == Simple {
		f.query = c.query
	}
	c.failure = f
}

// prepareFailed reports the error and goes on as pgbench does: the execution
// of the statement, which does not exist then, decides what follows.
func (c *client) prepareFailed() {
	c.cause = c.errorText()
	c.loop.run.message("error", c.cause)
	c.failure = failure{}
	c.state = c.next
}

// failed decides what an error in a response leads to, as pgbench does.
func (c *client) failed() {
	l := c.loop
	f := &c.failure
	switch {
	case f.fatal:
		c.abort(fmt.Sprintf("client %d script %d command %d query %d: %s", c.id, c.prog.index, f.pc, f.query, f.text))
	case f.status.retriable() || l.run.cfg.ContinueOnError:
		c.status = f.status
		if l.run.cfg.VerboseErrors {
			l.run.message("info", fmt.Sprintf("client %d got an error in command %d (SQL) of script %d; %s", c.id, f.pc, c.prog.index, c.errorText()))
		}
		c.state = stError
	default:
		c.abortBySQL()
	}
}

// abortBySQL aborts the client in pgbench's words. The result names what went
// wrong first: where a statement could not be prepared, that is why.
func (c *client) abortBySQL() {
	text := c.errorText()
	words := func(cause string) string {
		return fmt.Sprintf("client %d script %d aborted in command %d query %d: %s", c.id, c.prog.index, c.failure.pc, c.failure.query, cause)
	}
	switch {
	case c.loop.run.overdue.Load() && string(wire.ErrorField(c.failure.body, wire.FieldSQLState)) == stateCancelled:
		c.abortBecause(words(text), fmt.Sprintf("client %d aborted: it did not finish in time and was cancelled: command %d of script %d: %s",
			c.id, c.failure.pc, c.prog.index, firstLine(c.failure.at.Text)))
	case c.cause != "":
		c.abortBecause(words(text), words(c.cause))
	default:
		c.abort(words(text))
	}
}

// errorText shows the server's error with the statement it belongs to.
func (c *client) errorText() string {
	query := ""
	if st := c.failure.at; st.Kind == script.SQL {
		if c.loop.run.cfg.Mode == Simple {
			query = string(st.AppendSimple(nil, c.vars))
		} else {
			query = string(st.appendSQL(nil, c.vars))
		}
	}
	return wire.ErrorText(c.failure.body, query)
}

// abort ends the client for good; the run is then incomplete.
func (c *client) abort(message string) { c.abortBecause(message, message) }

// abortBecause prints one message and keeps another in the result.
func (c *client) abortBecause(message, reason string) {
	c.loop.run.message("error", message)
	c.loop.run.noteError(reason)
	c.state = stAborted
}

// commandFailed is how pgbench words the abort of a client by a command.
func (c *client) commandFailed(word, message string) {
	c.abort(fmt.Sprintf("client %d aborted in command %d (%s) of script %d; %s", c.id, c.pc, word, c.prog.index, message))
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// retryMessage is pgbench's wording under --verbose-errors.
func (r *run) retryMessage(c *client, now int64, again bool) string {
	verb := "ends the failed transaction"
	if again {
		verb = "repeats the transaction after the error"
	}
	s := fmt.Sprintf("client %d %s (try %d", c.id, verb, c.tries)
	if r.cfg.MaxTries > 0 {
		s += fmt.Sprintf("/%d", r.cfg.MaxTries)
	}
	if limit := r.cfg.LatencyLimit; limit > 0 {
		s += fmt.Sprintf(", %.3f%% of the maximum time of tries was used", 100*float64(now-c.scheduled)/float64(limit))
	}
	return s + ")"
}

func (l *eventLoop) verbose(c *client, again bool) {
	if l.run.cfg.VerboseErrors {
		l.run.message("info", l.run.retryMessage(c, l.now, again))
	}
}

// badVariable is how pgbench words the abort by a name that no variable can have.
func (c *client) badVariable(st *step, name, what string) {
	c.loop.run.message("error", fmt.Sprintf("%s: invalid variable name: \"%s\"", st.Name, name))
	c.commandFailed(st.Name, what+" of meta-command failed")
}

func (c *client) evaluationFailed(st *step, err error) {
	c.loop.run.message("error", err.Error())
	c.commandFailed(st.Name, "evaluation of meta-command failed")
}

package runner

import (
	"strings"

	"qbench/runner/script"
	"qbench/runner/txn"
)

// runMeta runs a meta command. It leaves the state at stEndCommand unless the
// command jumps, waits or fails.
func (c *client) runMeta(st *step) {
	switch st.Kind {
	case script.Set:
		v, err := st.Expr.Eval(&c.env)
		if err != nil {
			c.evaluationFailed(st, err)
			return
		}
		if name := st.BadName(); name != "" {
			c.badVariable(st, name, "assignment")
			return
		}
		c.vars.Set(st.Slot, v)
	case script.If:
		c.condition(c.pc)
	case script.Elif, script.Else:
		// Reached from the branch above, which therefore was the one taken.
		c.nextPC = st.End
	case script.Endif:
	case script.Sleep:
		d, err := st.SleepDuration(c.vars)
		if err != nil {
			c.loop.run.message("error", err.Error())
			c.commandFailed("sleep", "execution of meta-command failed")
			return
		}
		c.loop.readClock()
		c.state = stSleep
		c.waited = true
		c.loop.sleep(c, c.loop.now+int64(d))
	case script.Shell, script.SetShell:
		c.runShell(st)
	case script.StartPipeline, script.SyncPipeline, script.EndPipeline:
		c.pipelineCommand(st)
	}
}

// condition runs the \if at pc: it finds the branch to take by the jump
// targets that parsing left, so that no stack is needed at run time.
func (c *client) condition(pc int) {
	for {
		st := &c.prog.steps[pc]
		switch st.Kind {
		case script.Else:
			c.nextPC = pc + 1
			return
		case script.Endif:
			c.nextPC = pc
			return
		}
		c.pc, c.env.CommandIndex = pc, pc
		ok, err := script.EvalCondition(st.Expr, &c.env)
		if err != nil {
			c.evaluationFailed(st, err)
			return
		}
		if ok {
			c.nextPC = pc + 1
			return
		}
		if l := c.loop; l.run.cfg.PerStatement && c.prog.steps[st.Else].Kind == script.Elif {
			// A command of its own in the report.
			l.readClock()
			l.statements[c.prog.index][pc].add(l.now - c.stmtBegin)
			c.stmtBegin = l.now
		}
		pc = st.Else
	}
}

// pipelineCommand runs \startpipeline, \syncpipeline and \endpipeline.
func (c *client) pipelineCommand(st *step) {
	mode := c.loop.run.cfg.Mode
	switch {
	case mode == Simple && st.Kind == script.StartPipeline:
		c.commandFailed("startpipeline", "cannot use pipeline mode with the simple query protocol")
	case st.Kind == script.StartPipeline && c.loop.run.searchPath != nil:
		c.commandFailed("startpipeline", "cannot use pipelines behind a pooler that pools transactions")
	case st.Kind == script.StartPipeline && c.pipeline:
		c.commandFailed("startpipeline", "already in pipeline mode")
	case st.Kind == script.StartPipeline:
		c.pipeline = true
		if mode != Extended {
			c.prepareAhead()
		}
	case !c.pipeline:
		c.commandFailed(strings.ToLower(st.Name), "not in pipeline mode")
	case st.Kind == script.SyncPipeline:
		c.appendSync()
	default:
		c.pipeline = false
		c.sync(stEndCommand)
	}
}

// prepareAhead parses the statements up to \endpipeline before the pipeline
// starts, in one round trip; pgbench takes one each.
func (c *client) prepareAhead() {
	for pc := c.pc + 1; pc < len(c.prog.steps); pc++ {
		st := &c.prog.steps[pc]
		if st.Kind == script.EndPipeline {
			break
		}
		if st.Kind == script.SQL {
			if p := c.preparedName(st); p.isNew {
				c.appendParse(st, p.name)
				c.sent = append(c.sent, sentStep{step: st, pc: pc, most: txn.Unbounded, parsing: true, key: p.key})
				c.appendSync()
			}
		}
	}
	if len(c.syncs) > 0 {
		c.state = stWaitPrepare
		c.next = stEndCommand
	}
}

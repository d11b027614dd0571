package bench

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"qbench/runner"
	"qbench/runner/script"
	"qbench/schema"
)

// suits reports why a run cannot be done through the pooler that is between
// qbench and the server.
func (t *Target) suits(ctx context.Context, s *Spec) error {
	pooler, err := t.pooling(ctx)
	if err != nil || pooler == "" {
		return err
	}
	if call := s.Mix.findStatement(calls); call != "" && s.Queue.Workload != "" {
		session, err := t.keepsPath(ctx, pooler)
		if err != nil {
			return err
		}
		if !session {
			advice := "connect to PostgreSQL directly, or to a pool with pool_mode = session"
			if t.Schema != "" {
				advice += " after " + t.alterRole(t.Schema)
			}
			return fmt.Errorf("%s ends transactions on the server (%s), and behind the connection pooler at %s the search_path has to be set in each of them: %s",
				s.Mix.Name, call, t.place(), advice)
		}
	}
	if pooler != transactionPooling {
		return nil
	}
	const elsewhere = "connect to PostgreSQL directly, or to a pool with pool_mode = session"
	if s.Feed != nil && s.Feed.Notify {
		return fmt.Errorf("--notify needs sessions that listen, and the connection pooler at %s gives each transaction another session: "+
			"leave out --notify, or %s", t.place(), elsewhere)
	}
	if state := s.Mix.sessionState(); state != "" {
		return fmt.Errorf("%s keeps state in its session (%s), and the connection pooler at %s gives each transaction another one: %s",
			s.Mix.Name, state, t.place(), elsewhere)
	}
	if m := s.Load.Mode; m != runner.Prepared && m != runner.Pipelined {
		return nil
	}
	kept, err := t.keepsPrepared(ctx)
	if err != nil || kept {
		return err
	}
	return fmt.Errorf("-M %s needs prepared statements, and the connection pooler at %s gives each transaction another session without them: "+
		"use -M simple or -M extended, set max_prepared_statements in pgbouncer 1.21 or newer, or %s", s.Load.Mode, t.place(), elsewhere)
}

// sessionState names what of the mix outlives a transaction in the session:
// a strategy's function that prepares statements, or a user's own statement.
func (m *Mix) sessionState() string {
	for _, f := range m.functions() {
		if f == "dyn_pre_orders" {
			return "the function " + f + " prepares statements"
		}
	}
	return m.findStatement(outlives)
}

// outlives matches statements whose effect outlives their transaction.
var outlives = regexp.MustCompile(`(?is)^\s*(listen|unlisten|prepare\s+\w+\s*(\(|as\b)|execute|deallocate|discard|load|reset)\b` +
	`|^\s*set\s+(session\s+)?[\w.]+\s*(=|to\b)|^\s*create\s+(local\s+|global\s+)?temp(orary)?\s` +
	`|^\s*declare\b.*\bwith\s+hold\b|\bpg_(try_)?advisory_lock(_shared)?\s*\(`)

// calls matches statements that may end transactions on the server, which they
// cannot do within one.
var calls = regexp.MustCompile(`(?i)^\s*call\b`)

// findStatement returns the first line of the first statement that matches.
func (m *Mix) findStatement(what *regexp.Regexp) string {
	for _, s := range m.Scenarios {
		for _, c := range s.Script.Commands {
			if c.Kind != script.SQL {
				continue
			}
			var text strings.Builder
			for _, p := range c.Pieces {
				text.WriteString(p.Literal + p.Name)
			}
			for _, statement := range strings.Split(comments.ReplaceAllString(text.String(), " "), ";") {
				if what.MatchString(statement) {
					return strings.Join(strings.Fields(statement), " ")
				}
			}
		}
	}
	return ""
}

// comments matches what may stand before a statement's first word.
var comments = regexp.MustCompile(`(?s)--[^\n]*|/\*.*?\*/`)

// route is how the clients of a run reach its tables.
type route struct {
	connect runner.Connector
	// path is the search_path of each transaction; "" leaves it to the session.
	path string
	// pooler describes the connection pooler in a sentence; "" is none.
	pooler string
}

// route decides how the clients' names come to mean the queue's tables: by the
// session's search_path, which costs nothing, or by one for each transaction
// where a pooler does not pass that on. Each connection is verified
// before its first transaction; no other row than the queue's is touched.
func (r *run) route(ctx context.Context) (*route, error) {
	t := r.target
	pooler, err := t.pooling(ctx)
	if err != nil {
		return nil, err
	}
	var id *schema.Identity
	path := ""
	if t.Schema != "" {
		path = searchPath(t.Schema, "")
	}
	if r.made != nil {
		if id, path, err = r.identify(ctx); err != nil {
			return nil, err
		}
	}
	session := "" // the role's
	if t.Schema != "" {
		session = path
	}
	out := &route{connect: r.connector(session, "", id, !r.spec.Load.Connect)}
	if pooler == "" {
		return out, nil
	}
	out.pooler = fmt.Sprintf("the connections went through a connection pooler (%s): all times include its work, and its pool, not -c, "+
		"limits how many transactions the server runs at a time", pooler)
	if path == "" {
		return out, nil
	}
	if pooler == sessionPooling {
		passes, err := t.passes(ctx, session, id)
		if err != nil || passes {
			return out, err
		}
	}
	out.path, out.connect = path, r.connector("", path, id, !r.spec.Load.Connect)
	out.pooler += "; it does not keep the search_path, so each transaction began with SET LOCAL search_path, one more statement"
	return out, nil
}

// alterRole is the statement that makes a schema the first one of the role,
// which every pooler leaves as it is.
func (t *Target) alterRole(name string) string {
	return fmt.Sprintf("alter role %s set search_path = %s", pgx.Identifier{t.config.User}.Sanitize(), searchPath(name, ""))
}

// identify reads what the names of the queue mean, and the search_path with
// which they mean it.
func (r *run) identify(ctx context.Context) (*schema.Identity, string, error) {
	conn, err := r.target.Connect(ctx)
	if err != nil {
		return nil, "", err
	}
	defer closeConn(ctx, conn)
	id, err := schema.Identify(ctx, conn, r.made)
	if err != nil {
		return nil, "", err
	}
	others := ""
	if r.target.Schema == "" {
		if err := conn.QueryRow(ctx, "select pg_catalog.current_setting('search_path')").Scan(&others); err != nil {
			return nil, "", fmt.Errorf("ask for the search_path: %w", err)
		}
	}
	return id, searchPath(r.made.Schema, others), nil
}

// searchPath puts a schema before others, and temporary tables, which would
// hide the queue's, behind all of them.
func searchPath(name, others string) string {
	path := pgx.Identifier{name}.Sanitize()
	if others != "" && others != `""` {
		path += ", " + others
	}
	return path + ", pg_temp"
}

// firstSchema is the first schema of a search_path, which may have been written
// with quotes or without.
func firstSchema(path string) string {
	path = strings.TrimSpace(path)
	quoted, ok := strings.CutPrefix(path, `"`)
	if !ok {
		first, _, _ := strings.Cut(path, ",")
		return strings.ToLower(strings.TrimSpace(first))
	}
	for i := 0; i < len(quoted); i++ {
		if quoted[i] != '"' {
			continue
		}
		if !strings.HasPrefix(quoted[i+1:], `"`) {
			quoted = quoted[:i]
			break
		}
		i++
	}
	return strings.ReplaceAll(quoted, `""`, `"`)
}

// passes tells whether a session pooler passes a search_path on to the server.
// It is asked by trying; with id by what the names mean then.
func (t *Target) passes(ctx context.Context, session string, id *schema.Identity) (bool, error) {
	conn, err := t.dial(ctx, session)
	if startupRefused(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer closePgConn(ctx, conn)
	if id == nil {
		result := conn.ExecParams(ctx, "select pg_catalog.current_setting('search_path')", nil, nil, nil, nil).Read()
		return result.Err == nil && len(result.Rows) == 1 && firstSchema(string(result.Rows[0][0])) == t.Schema, result.Err
	}
	err = id.Verify(ctx, conn, "")
	var mismatch *schema.MismatchError
	if errors.As(err, &mismatch) {
		return false, nil
	}
	return err == nil, err
}

// keepsPath tells whether a session through the pooler has the target's
// search_path. It is asked before the queue is there.
func (t *Target) keepsPath(ctx context.Context, pooler pooling) (bool, error) {
	switch {
	case pooler == transactionPooling:
		return false, nil
	case t.Schema == "":
		return true, nil
	}
	return t.passes(ctx, searchPath(t.Schema, ""), nil)
}

// connector makes the connections of the load. Each is verified.
func (r *run) connector(session, path string, id *schema.Identity, patient bool) runner.Connector {
	t, dial := r.target, r.target.dial
	if !patient {
		dial = r.target.redial
	}
	// Before it is verified: one that is lost in between has a server process too.
	recorded := r.backends.record(func(ctx context.Context) (*pgconn.PgConn, error) { return dial(ctx, session) })
	return func(ctx context.Context) (*pgconn.PgConn, error) {
		conn, err := recorded(ctx)
		if err != nil || id == nil {
			return conn, err
		}
		if err := t.verify(ctx, conn, path, id); err != nil {
			closePgConn(ctx, conn)
			return nil, err
		}
		return conn, nil
	}
}

// verify reports why a connection must not be used on the queue.
func (t *Target) verify(ctx context.Context, conn *pgconn.PgConn, path string, id *schema.Identity) error {
	within, cancel := context.WithTimeout(ctx, poolerWait)
	defer cancel()
	err := id.Verify(within, conn, path)
	var mismatch *schema.MismatchError
	switch {
	case errors.As(err, &mismatch):
		return fmt.Errorf("refused before any row was touched: on a connection to %s %w: "+
			"connect to PostgreSQL directly, or let the search_path of the role begin with the schema: %s", t, mismatch, t.alterRole(id.Schema))
	case err != nil && ctx.Err() == nil && within.Err() != nil:
		return fmt.Errorf("a connection to %s got no answer within %s: is the pool of a connection pooler used up "+
			"(pgbouncer: default_pool_size)? use fewer clients (-c)", t, poolerWait)
	}
	return err
}

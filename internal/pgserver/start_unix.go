//go:build linux || darwin

package pgserver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"qbench/internal/shell"

	"github.com/jackc/pgx/v5/pgconn"
)

const (
	startLimit = 60 * time.Second      // a clean cluster is ready in a fraction of a second; a slow disk may take long
	retryEvery = 10 * time.Millisecond // between two attempts to connect
)

// Start starts a disposable server and returns when it accepts connections. ctx bounds the start alone: when it ends
// earlier, so does the attempt. After an error nothing is left behind, and where the server itself gave the
// reason the error carries it. Binaries that are missing make an error that wraps [ErrNoBinaries].
func Start(ctx context.Context, o Options) (_ *Server, err error) {
	if err := checkSettings(o.Settings); err != nil {
		return nil, err
	}
	bindir, v, err := thisMachine().find(o.BinDir)
	if err != nil {
		return nil, err
	}
	bindir, err = filepath.Abs(bindir)
	if err != nil {
		return nil, fmt.Errorf("folder of the server binaries: %w", err)
	}
	a, err := serverAccount()
	if err != nil {
		return nil, err
	}
	bases := temporaryBases()
	if o.base != "" {
		bases = []string{o.base}
	}
	for _, base := range append(slices.Clone(bases), shortBases...) {
		sweep(base, a)
	}
	p, err := newProcess(bases, shortBases, a)
	if err != nil {
		return nil, err
	}
	s := &Server{bindir: bindir, socketDir: p.socketDir(), version: v.short, process: p}
	defer func() {
		if err != nil {
			err = errors.Join(p.explainFull(err), s.Stop())
		}
	}()
	if err := p.initialise(ctx, o.CacheDir, bindir, v); err != nil {
		return nil, err
	}
	if err := p.launch(filepath.Join(bindir, "postgres"), serverSettings(o, memoryBytes())); err != nil {
		return nil, err
	}
	conn, err := s.connect(ctx)
	if err != nil {
		return nil, err
	}
	s.changed, err = changedSettings(ctx, conn)
	if err = errors.Join(err, conn.Close(ctx)); err != nil {
		return nil, err
	}
	// Whether or not it still runs: after a reboot the folder has to go as well.
	s.stopCmd = p.account.asAccount(filepath.Join(bindir, "pg_ctl"), "stop", "-D", p.dataDir(), "-m", "immediate") +
		"; " + shell.Join(append([]string{"rm", "-rf"}, p.folderPaths()...)...)
	if o.Keep {
		if err := p.keep(); err != nil {
			return nil, err
		}
		s.keep = true
	}
	return s, nil
}

// initialise fills the data folder, from the template when there is a sound one. The cache only saves time: where it
// can't be read or written, the cluster is made each time.
func (p *process) initialise(ctx context.Context, cacheDir, bindir string, v version) error {
	cached := openCache(cacheDir, bindir, v, p.account)
	if cached != nil {
		err := cached.copyTo(p.dataDir(), p.account)
		if err == nil {
			return p.folder.handOver()
		}
		if noSpace(err) {
			return fmt.Errorf("initialise a disposable server: %w", err)
		}
	}
	if err := p.folder.handOver(); err != nil {
		return err
	}
	cmd := p.command(ctx, filepath.Join(bindir, "initdb"), append(slices.Clone(initdbOptions), "--pgdata="+p.dataDir())...)
	var said strings.Builder
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := runGuarded(cmd, p.guard); err != nil {
		if errors.Is(err, os.ErrPermission) {
			return p.explainStart(cmd.Path, err)
		}
		return fmt.Errorf("initialise a disposable server: %s: %w: %s", cmd.Path, err, strings.TrimSpace(said.String()))
	}
	if cached != nil {
		_ = p.saveAs(cached)
	}
	return nil
}

// saveAs makes the data folder the template.
func (p *process) saveAs(t *template) error {
	part, err := os.OpenRoot(p.folder.part())
	if err != nil {
		return err
	}
	defer part.Close()
	data, err := part.OpenRoot(dataDir)
	if err != nil {
		return err
	}
	return errors.Join(t.save(data, p.account.uid), data.Close())
}

// connect waits for the server to accept a connection, or to be gone.
func (s *Server) connect(ctx context.Context) (*pgconn.PgConn, error) {
	config, err := pgconn.ParseConfig(s.DSN())
	if err != nil {
		return nil, fmt.Errorf("connect to the disposable server: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	retry := time.NewTicker(retryEvery)
	defer retry.Stop()
	for {
		conn, err := pgconn.ConnectConfig(ctx, config)
		if err == nil {
			return conn, nil
		}
		select {
		case <-s.process.exited:
			return nil, fmt.Errorf("PostgreSQL %s did not start: %s", s.version, reason(s.Log()))
		case <-ctx.Done():
			return nil, fmt.Errorf("PostgreSQL %s was not ready in time: %w: %w; its log: %s", s.version, ctx.Err(), err, strings.TrimSpace(s.Log()))
		case <-retry.C:
		}
	}
}

// changedSettings asks the server itself: it knows its defaults, and the units it took a value in.
func changedSettings(ctx context.Context, conn *pgconn.PgConn) ([]string, error) {
	result := conn.ExecParams(ctx, `select name || '=' || current_setting(name) from pg_settings
		where source = 'command line' and setting is distinct from boot_val
		and name not in ('listen_addresses', 'unix_socket_directories') order by name`, nil, nil, nil, nil).Read()
	if result.Err != nil {
		return nil, fmt.Errorf("read the disposable server's settings: %w", result.Err)
	}
	var list []string
	for _, row := range result.Rows {
		list = append(list, string(row[0]))
	}
	return list, nil
}

package app

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nvnodetop/nvnodetop/internal/access"
	"github.com/nvnodetop/nvnodetop/internal/bell"
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/export"
	"github.com/nvnodetop/nvnodetop/internal/session"
	"github.com/nvnodetop/nvnodetop/internal/tally"
	"github.com/nvnodetop/nvnodetop/internal/web"
)

// serve is the command that shows Snapshots to browsers and programs.
type serve struct {
	cfg *config.Config
	io  streams

	place     web.Place
	tokenFile string
	names     string
	record    string // a file; "": nothing is recorded

	listener *web.Listener
	token    string
	handler  atomic.Pointer[http.Handler] // nil: the source has not been chosen yet
}

const defaultListen = "127.0.0.1:9481"

// serveFlags are those of the program that serve takes.
var serveFlags = []string{"demo", "nodes", "transport", "login", "log"}

func serveCommand(cfg *config.Config, flags *pflag.FlagSet, io streams) *cobra.Command {
	s := &serve{cfg: cfg, io: io}
	var from *config.Origins
	var paces []config.Word
	cmd := &cobra.Command{
		Use:   "serve [POLL]",
		Short: "show everything to a browser, to Prometheus and to programs, read-only",
		Long: `serve shows jobs, nodes, GPUs, problems and processes on a web page, as JSON (/api/v1/snapshot) and for Prometheus (/metrics). Nobody can change
anything through it. It listens on this host only, and prints the address, with a token that others do not know. For an address that other hosts can
reach it needs TLS.`,
		Example: `  nvnodetop serve
  nvnodetop serve --listen unix:$HOME/.nvnodetop.sock
  nvnodetop serve --listen :9481 --tls-cert cert.pem --tls-key key.pem --token-file token`,
		Args: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("demo") {
				args = cfg.TakeDemoSize(args)
			}
			if len(args) > 1 {
				return fmt.Errorf("unexpected argument %q: serve takes only POLL, in seconds", args[1])
			}
			paces = pacesOf(args)
			return nil
		},
		PreRunE: func(cmd *cobra.Command, _ []string) (err error) {
			if err := s.check(); err != nil {
				return err
			}
			if from, err = accept(cfg, cmd.Flags(), paces, io); err != nil {
				return err
			}
			if s.record != "" {
				if err := mayRecord(cfg); err != nil {
					return err
				}
			}
			return mayServe(cfg, s.place)
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			return logged(cfg, from, func(log *slog.Logger) error { return s.run(cmd.Context(), log) })
		},
	}
	f := cmd.Flags()
	f.StringVar(&s.place.Address, "listen", defaultListen,
		"listen at `ADDRESS`: HOST:PORT, :PORT for all addresses of this host, or unix:PATH")
	f.StringVar(&s.place.Cert, "tls-cert", "", "the certificate for TLS, a `FILE` in PEM format")
	f.StringVar(&s.place.Key, "tls-key", "", "its key, a `FILE` in PEM format")
	f.StringVar(&s.tokenFile, "token-file", "",
		"read the token from `FILE`, which only you may read; otherwise a new one is made")
	f.StringVar(&s.names, "metrics-names", string(export.OwnNames),
		"`NAMES` of the metrics for Prometheus: nvnodetop (in base units) or dcgm (DCGM's, where it has the metric)")
	f.StringVar(&cfg.Job, "job", "", "only the nodes of the job `ID`")
	alongsideFlag(f, &s.record)
	for _, name := range serveFlags {
		f.AddFlag(flags.Lookup(name))
	}
	return cmd
}

// check checks what only serve has.
func (s *serve) check() (err error) {
	s.cfg.Steady = s.record != "" // as any recording: nobody need look at it
	if (s.place.Cert == "") != (s.place.Key == "") {
		return errors.New("--tls-cert and --tls-key belong together")
	}
	if err := checkNames(s.names); err != nil {
		return err
	}
	if s.tokenFile != "" {
		s.token, err = readToken(s.tokenFile)
	}
	return err
}

// leastToken is how long a token must be that nobody guesses.
const leastToken = 16

func readToken(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", fmt.Errorf("--token-file: %w", err)
	}
	if !info.Mode().IsRegular() || info.Size() > 4096 {
		return "", fmt.Errorf("--token-file: %q is not a file with a token", path)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return "", fmt.Errorf("--token-file: others can read %q (chmod 600 prevents that)", path)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("--token-file: %w", err)
	}
	token := string(bytes.TrimSpace(text))
	if len(token) < leastToken || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", fmt.Errorf("--token-file: %q must have one line of at least %d printable ASCII characters without "+
			"spaces", path, leastToken)
	}
	return token, nil
}

// run listens, and then chooses the source: a port in use is reported before nodes are reached.
func (s *serve) run(ctx context.Context, log *slog.Logger) error {
	listener, err := web.Listen(s.place)
	switch {
	case errors.Is(err, web.ErrUnsafe), errors.Is(err, web.ErrAddress), errors.Is(err, web.ErrAbstract):
		return usage("--listen %w", err)
	case errors.Is(err, web.ErrOpenKey):
		return usage("--tls-key: %w", err)
	case err != nil:
		return &exitError{exitFailed, err}
	}
	s.listener = listener
	if s.token == "" && !listener.Socket {
		s.token = rand.Text()
	}
	server := web.NewHTTP(http.HandlerFunc(s.answer))
	failing := session.Go(func() error { return server.Serve(listener) })
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		<-failing.Done()
		cancel()
	}()
	if err := s.announce(); err != nil {
		return &exitError{exitFailed, err}
	}
	err = fed(ctx, s.cfg, s.io, log, alongside(s.record, s.show))
	s.part(server)
	if broken := failing.Err(); broken != nil && !errors.Is(broken, http.ErrServerClosed) {
		return failed(broken)
	}
	return err
}

// part ends the server: the last answers are sent.
func (s *serve) part(server *http.Server) {
	ctx, cancel := context.WithTimeout(context.Background(), onceParting)
	defer cancel()
	if server.Shutdown(ctx) != nil {
		_ = server.Close()
	}
}

// answer answers a request, also before it is known whom to ask for GPUs.
func (s *serve) answer(w http.ResponseWriter, r *http.Request) {
	if h := s.handler.Load(); h != nil {
		(*h).ServeHTTP(w, r)
		return
	}
	w.Header().Set("Retry-After", "1")
	http.Error(w, "starting", http.StatusServiceUnavailable)
}

// show answers requests until ctx ends, nobody has asked for longer than the admins allow, or the source cannot
// continue.
func (s *serve) show(ctx context.Context, cfg *config.Config, _ streams, from feed) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var news atomic.Uint64
	w := session.Open(ctx, cfg, 0, from, raiseMemory(), func(cluster.Event) { news.Add(1) })
	user := &attended{&sparing{feed: from}, bell.New()}
	server := web.New(web.Options{
		Snapshot: w.Store.Snapshot, Ready: tally.Settled, News: news.Load, Now: time.Now, Audience: user,
		Every: cfg.Display, Names: export.Names(s.names), Token: s.token, Local: s.listener.Local,
	})
	handler := server.Handler()
	s.handler.Store(&handler)
	away := session.Go(func() error {
		defer cancel()
		return user.left(ctx, cfg.IdleExit, "request")
	})
	server.Run(w.Context())
	cancel()
	_, quit := away.Wait(partingTime)
	return failed(cmp.Or(w.Stop(partingTime), quit))
}

// announce prints where the page is. This is the only time that the token is shown.
func (s *serve) announce() error {
	_, host := access.Here()
	if s.listener.Socket {
		path := strings.TrimPrefix(s.place.Address, "unix:")
		_, err := fmt.Fprintf(s.io.out, "unix socket %s\nfrom your own computer: ssh -L 9481:%s %s, and open "+
			"http://localhost:9481/%s\n", path, path, host, s.query())
		return err
	}
	scheme, name := "http", s.listener.Addr().(*net.TCPAddr).IP.String()
	if s.listener.TLS {
		scheme = "https"
	}
	if !s.listener.Local {
		name = host
	}
	port := strconv.Itoa(s.listener.Addr().(*net.TCPAddr).Port)
	if _, err := fmt.Fprintf(s.io.out, "%s://%s/%s\n", scheme, net.JoinHostPort(name, port), s.query()); err != nil {
		return err
	}
	if !s.listener.Local {
		return nil
	}
	_, err := fmt.Fprintf(s.io.out, "from your own computer: ssh -L %s:%s %s, and open that address there\n", port,
		s.listener.Addr(), host)
	return err
}

// query is the token for the address of the page. One from a file is known to the user.
func (s *serve) query() string {
	if s.token == "" || s.tokenFile != "" {
		return ""
	}
	return "?token=" + s.token
}

// Package serve is the command serve: Snapshots for browsers and programs.
package serve

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
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/app/feed"
	"github.com/nvnodetop/nvnodetop/internal/app/record"
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/joblog"
	"github.com/nvnodetop/nvnodetop/internal/lib/crash"
	"github.com/nvnodetop/nvnodetop/internal/lib/private"
	"github.com/nvnodetop/nvnodetop/internal/output/web"
	"github.com/nvnodetop/nvnodetop/internal/source"
	"github.com/nvnodetop/nvnodetop/internal/source/access"
)

// Options are the user's choices for the server.
type Options struct {
	*cli.Program

	endpoint  web.Endpoint
	base      string // path below which a proxy shows it
	tokenFile string
	metrics   cli.SeriesChoice // for Prometheus
	logs      bool             // also show the logs of jobs
	record    string           // a file; "": nothing is recorded

	listener *web.Listener
	token    string
	chosen   chan struct{} // closed once the source of GPUs is chosen and handler is set
	handler  http.Handler
}

const defaultListen = "127.0.0.1:9481"

// Command shows Snapshots to browsers and programs.
func Command(io cli.Streams) *cobra.Command {
	var poll []config.Word
	cmd := &cobra.Command{
		Use:   "serve [POLL]",
		Short: "serve a read-only web page, JSON API and Prometheus metrics",
		Long: `serve shows jobs, nodes, GPUs, problems and processes on a web page, as JSON
(/api/v1/snapshot) and for Prometheus (/metrics). Nobody can change anything
through it. It listens on this host only, and prints the address, with a token
that others do not know. For an address that other hosts can reach it needs TLS,
or a proxy that has it, such as Open OnDemand's.`,
		Example: `  nvnodetop serve
  nvnodetop serve --listen unix:$HOME/.nvnodetop.sock
  nvnodetop serve --listen :9481 --tls-cert cert.pem --tls-key key.pem \
      --token-file token
  nvnodetop serve --behind-proxy --listen :0 --token-file token`,
	}
	f := cmd.Flags()
	s := &Options{Program: cli.New(io, f, "demo", "nodes", "transport", "login", "log"), chosen: make(chan struct{})}
	s.addFlags(f)
	cmd.Args = s.Args(func(args []string) error {
		if len(args) > 1 {
			return fmt.Errorf("unexpected argument %q: serve takes only POLL, in seconds", args[1])
		}
		poll = cli.Intervals(args)
		return nil
	})
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if err := s.checkFlags(); err != nil {
			return err
		}
		if err := s.TakeAgents(); err != nil {
			return err
		}
		if err := s.Accept(poll...); err != nil {
			return err
		}
		if s.record != "" {
			if err := record.Allowed(&s.Config); err != nil {
				return err
			}
		}
		return refusalReason(&s.Config, s.endpoint, s.logs)
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return s.Logged(func(log *slog.Logger) error { return s.runServer(cmd.Context(), log) })
	}
	return cmd
}

// addFlags adds the flags that only serve has.
func (s *Options) addFlags(f *pflag.FlagSet) {
	f.StringVar(&s.endpoint.Address, "listen", defaultListen,
		"listen at `ADDRESS`: HOST:PORT, :PORT for all addresses of this host, or unix:PATH")
	f.BoolVar(&s.endpoint.Open, "insecure-http", false, "act as an nvgpu agent for other hosts, without TLS and token: "+
		"only /gpu_status and /cluster_status, readable for everybody on the network")
	f.BoolVar(&s.endpoint.Proxied, "behind-proxy", false,
		"a proxy with TLS, such as Open OnDemand's, shows the page: speak plain HTTP, and always ask for the token")
	f.StringVar(&s.base, "base-path", "",
		"serve below `PATH`, which the proxy leaves in addresses, such as /node/gpu01/9481")
	f.StringVar(&s.endpoint.Cert, "tls-cert", "", "the certificate for TLS, a `FILE` in PEM format")
	f.StringVar(&s.endpoint.Key, "tls-key", "", "the private key of the certificate, a `FILE` in PEM format")
	f.StringVar(&s.tokenFile, "token-file", "",
		"read the token from `FILE`, which only you may read; otherwise a new one is made")
	f.BoolVar(&s.logs, "logs", false, "show the logs of jobs, too")
	s.metrics.AddFlags(f)
	f.StringVar(&s.Config.Job, "job", "", "only the nodes of the job `ID`")
	record.BesideFlag(f, &s.record)
}

// refusalReason returns why serve may not listen there, or may not show logs.
func refusalReason(cfg *config.Config, at web.Endpoint, logs bool) error {
	switch {
	case logs && !cfg.Logs:
		return cli.Usage("logs are switched off: logs = false (%s)", cfg.LogsFrom)
	case cfg.Serve == config.ServeOff:
		return cli.Usage("serve is switched off: serve = %q (%s)", cfg.Serve, cfg.ServeFrom)
	case cfg.Serve == config.ServeLocal && at.Proxied:
		return cli.Usage("--behind-proxy is not allowed: serve = %q (%s)", cfg.Serve, cfg.ServeFrom)
	case cfg.Serve == config.ServeLocal && !at.Local():
		return cli.Usage("--listen %q is not allowed: serve = %q (%s): use 127.0.0.1:PORT or unix:PATH",
			at.Address, cfg.Serve, cfg.ServeFrom)
	}
	return nil
}

// checkFlags checks the flags that only serve has.
func (s *Options) checkFlags() (err error) {
	if (s.endpoint.Cert == "") != (s.endpoint.Key == "") {
		return errors.New("--tls-cert and --tls-key need each other: give both")
	}
	switch {
	case !s.endpoint.Open:
	case s.endpoint.Proxied:
		return errors.New("--insecure-http is for clients without a token: it cannot be combined with --behind-proxy")
	case s.endpoint.Cert != "" || s.tokenFile != "":
		return errors.New("--insecure-http has neither TLS nor a token: it cannot be combined with theirs")
	case s.endpoint.Local():
		return fmt.Errorf("--insecure-http is for an address that other hosts reach, not %q", s.endpoint.Address)
	}
	if s.base, err = web.CleanBase(s.base); err != nil {
		return fmt.Errorf("--base-path %w", err)
	}
	if err := s.metrics.Check(); err != nil {
		return err
	}
	if s.logs && s.endpoint.Open {
		return errors.New("--insecure-http shows no logs: it cannot be combined with --logs")
	}
	if s.tokenFile != "" {
		s.token, err = readToken(s.tokenFile)
	}
	return err
}

// feedNeed returns what serve needs from the nodes: with a recording they keep their pace, even if nobody watches.
func (s *Options) feedNeed() feed.Need {
	return feed.Need{Steady: s.record != "", Marks: s.record != "", Causes: s.logs,
		Progress: true}
}

const (
	leastToken = 16      // shortest token that nobody can guess, in characters
	maxToken   = 4 << 10 // bytes of its file
)

func readToken(path string) (string, error) {
	text, err := private.Read(path, maxToken)
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

// runServer first listens, and then chooses the source: if a port is in use, this is reported before nodes are reached.
func (s *Options) runServer(ctx context.Context, log *slog.Logger) error {
	listener, err := web.Listen(s.endpoint)
	switch {
	case errors.Is(err, web.ErrUnsafe), errors.Is(err, web.ErrAddress), errors.Is(err, web.ErrAbstract):
		return cli.Usage("--listen %w", err)
	case errors.Is(err, web.ErrOpenKey):
		return cli.Usage("--tls-key: %w", err)
	case err != nil:
		return cli.Exit(cli.ExitFailed, err)
	}
	s.listener = listener
	if s.endpoint.Open {
		s.Say("--insecure-http: everybody who reaches this address sees the GPUs of your nodes, their users, " +
			"PIDs and commands")
	} else if s.token == "" && (!listener.Socket || s.endpoint.Proxied) {
		s.token = rand.Text()
	}
	server := web.NewHTTP(http.HandlerFunc(s.answerRequest))
	failing := source.StartTask(func() error { return server.Serve(listener) })
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		defer crash.End()
		<-failing.Done()
		cancel()
	}()
	if err := s.printAddress(); err != nil {
		return cli.Exit(cli.ExitFailed, err)
	}
	err = feed.Run(ctx, s.Program, s.feedNeed(), log, record.Beside(s.Program, s.record, s.serveFeed))
	s.closeServer(server)
	if broken := failing.Err(); broken != nil && !errors.Is(broken, http.ErrServerClosed) {
		return cli.Failed(broken)
	}
	return err
}

// closeServer ends the server once the last answers have been sent.
func (s *Options) closeServer(server *http.Server) {
	ctx, cancel := context.WithTimeout(context.Background(), feed.ShortParting)
	defer cancel()
	if server.Shutdown(ctx) != nil {
		_ = server.Close()
	}
}

// startPatience is how long a request waits for the source of GPUs, which may depend on a slow SLURM.
const startPatience = 10 * time.Second

// answerRequest answers a request, even before the source of GPUs is known.
func (s *Options) answerRequest(w http.ResponseWriter, r *http.Request) {
	select {
	case <-s.chosen:
		s.handler.ServeHTTP(w, r)
		return
	case <-r.Context().Done():
	case <-time.After(startPatience):
	}
	w.Header().Set("Retry-After", "1")
	http.Error(w, "starting", http.StatusServiceUnavailable)
}

// serveFeed answers requests until ctx ends, until nobody has asked for longer than the admins allow, or until the
// source cannot continue.
func (s *Options) serveFeed(ctx context.Context, from feed.Feed) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var news atomic.Uint64
	w := source.OpenWatch(ctx, &s.Config, 0, from, feed.RaiseMemory(), func(cluster.Event) { news.Add(1) })
	feed.AskHung(&s.Config, from, w)
	user := feed.NewAttended(&feed.Sparing{Feed: from})
	server := web.New(web.Options{
		Snapshot: w.Look, Ready: tally.Settled, News: news.Load, Now: time.Now, Audience: user,
		Every: s.Config.Display, Names: s.metrics.Names, Metrics: s.metrics.Which,
		PIDs: s.metrics.Processes, Agent: s.endpoint.Open,
		Token: s.token, Local: s.listener.Local, Proxied: s.endpoint.Proxied, Base: s.base, Log: s.logOf(user),
		Cluster: user.Cluster,
	})
	s.handler = server.Handler()
	close(s.chosen)
	away := source.StartTask(func() error {
		defer cancel()
		return user.Left(ctx, s.Config.IdleExit, "request")
	})
	server.Run(w.Context())
	cancel()
	_, quit := away.Wait(feed.Parting)
	return cli.Failed(cmp.Or(w.Stop(feed.Parting), quit))
}

// logOf returns the reader of logs; nil: logs are not shown.
func (s *Options) logOf(from feed.Feed) func(context.Context, joblog.Query) (joblog.Piece, error) {
	if !s.logs {
		return nil
	}
	return from.Log
}

// printAddress prints the address of the page. The token is shown only here.
func (s *Options) printAddress() error {
	_, host := access.Here()
	page := s.base + "/" + s.tokenQuery()
	if s.listener.Socket {
		path := strings.TrimPrefix(s.endpoint.Address, "unix:")
		_, err := fmt.Fprintf(s.Out, "unix socket %s\nfrom your own computer: ssh -L 9481:%s %s, and open "+
			"http://localhost:9481%s\n", path, path, host, page)
		return err
	}
	at := s.listener.Addr().(*net.TCPAddr)
	scheme, name, port := "http", at.IP.String(), strconv.Itoa(at.Port)
	if s.listener.TLS {
		scheme = "https"
	}
	if !s.listener.Local {
		name = host
	}
	place := scheme + "://" + net.JoinHostPort(name, port)
	var err error
	switch {
	case s.endpoint.Open:
		_, err = fmt.Fprintf(s.Out, "%[1]s/gpu_status\n%[1]s/cluster_status\n", place+s.base)
	case s.endpoint.Proxied:
		_, err = fmt.Fprintf(s.Out, "%s%s\nfor a proxy: open this page at the proxy's address, not here\n", place, page)
	case s.listener.Local:
		_, err = fmt.Fprintf(s.Out, "%s%s\nfrom your own computer: ssh -L %s:%s %s, and open that address there\n",
			place, page, port, at, host)
	default:
		_, err = fmt.Fprintf(s.Out, "%s%s\n", place, page)
	}
	return err
}

// tokenQuery returns the token for the page's address. If the token is from a file, the user already knows it.
func (s *Options) tokenQuery() string {
	if s.token == "" || s.tokenFile != "" {
		return ""
	}
	return "?token=" + s.token
}

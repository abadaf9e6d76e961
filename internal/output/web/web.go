// Package web serves Snapshots over HTTP: the page, the parts of the JSON document, the metrics for Prometheus, and the
// answers of nvgpu's agents. It decides who may ask, and how often a state is made: at most once per interval, only
// while somebody asks, and seldom enough to take a tenth of a core. Each answer is made once per state, for all
// clients.
//
// A request changes nothing: only GET and HEAD are answered. A Server may be used from any goroutine. Answers wait
// neither for a node nor for SLURM. States have the caller's time; the server itself times only the limits of
// connections and of looks.
//
// # States
//
// nvnodetop serve (internal/output/web) keeps a Store as the screen does. A state is a Snapshot with a number, its
// revision. It is made when somebody asks, or at a tick while a stream of events is open, if there were Events since
// the last state. Each answer from a state is written and compressed once, for all clients. The time that a state takes
// to make is measured, and the next state waits ten times as long. An event tells a page about a new state, and the
// page fetches only its own part. Parts (internal/output/export/parts.go) are the JSON document with less content.
//
// The server uses a few methods of the source: Touch, while a stream of events is open, Look, while somebody asks for
// processes, Cluster, and Log if that is allowed. So it cannot change anything, nor ask the ranks of a job. Programs
// send requests too, so a request does not count as a key. An open stream of events is the sign of a person: app
// passes on one Touch in 20 minutes of an open stream, since otherwise SLURM would be asked as if keys were pressed
// all the time.
package web

import (
	"context"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/joblog"
	"github.com/nvnodetop/nvnodetop/internal/lib/bell"
	"github.com/nvnodetop/nvnodetop/internal/output/export"
	"github.com/nvnodetop/nvnodetop/internal/slurm/capacity"
)

// Audience is told which parts clients look at.
type Audience interface {
	Asked()                           // a person or a program has requested data
	Touch()                           // a person has the page open
	Look(node string, processes bool) // node whose processes are shown: cluster.EveryNode or none
}

// Options configure a Server. All but Token and Log are required.
type Options struct {
	Snapshot func(now time.Time) *cluster.Snapshot
	Ready    func(*cluster.Snapshot) bool // whether the known state is complete
	News     func() uint64                // number that changes with each news
	Now      func() time.Time
	Audience Audience

	Every   time.Duration          // minimum time between two states
	Names   export.Names           // of the metrics for Prometheus
	Metrics export.MetricSelection // for Prometheus; empty: all
	PIDs    bool                   // Prometheus also gets the processes
	Agent   bool                   // answer only as an agent of nvgpu
	// Log reads a piece of the log of a job; nil: logs are not shown
	Log func(ctx context.Context, q joblog.Query) (joblog.Piece, error)
	// Cluster returns the GPUs that SLURM can give to jobs; it may return a recent answer
	Cluster func(ctx context.Context, fresh bool) (*capacity.Cluster, error)

	Token string // token that clients must present; "": none
	Local bool   // it can be reached from this host only: names of other hosts are refused
	// Proxied says that a proxy shows the server to browsers, under the proxy's own name
	Proxied bool
	Base    string // path below which all addresses are, as returned by CleanBase; "": the root
}

// Server answers requests.
type Server struct {
	Options
	gate    gate
	states  states
	looks   viewedPages
	logs    logs
	cluster clusterAnswers
	streams atomic.Int32
	watched bell.Bell // a stream has begun
	ending  context.Context
	end     func()
}

// New returns a Server.
func New(o Options) *Server {
	s := &Server{Options: o, gate: newGate(&o), watched: bell.New()}
	s.ending, s.end = context.WithCancel(context.Background())
	s.states.make, s.states.now = o.Snapshot, o.Now
	s.states.news, s.states.least, s.states.boot = o.News, o.Every*9/10, o.Now() // no tick is exact
	s.looks.audience, s.logs.turn = o.Audience, make(chan struct{}, 1)
	return s
}

// Run makes states while streams wait for them, until ctx ends. Then it ends the streams.
func (s *Server) Run(ctx context.Context) {
	defer s.end()
	tick := time.NewTicker(s.Every)
	defer tick.Stop()
	for {
		if s.streams.Load() == 0 {
			tick.Stop()
			select {
			case <-s.watched:
			case <-ctx.Done():
				return
			}
			tick.Reset(s.Every)
		}
		select {
		case <-tick.C:
			s.Audience.Touch()
			s.states.newestState()
		case <-ctx.Done():
			return
		}
	}
}

// Handler answers all requests.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	if s.Agent {
		s.serveNvgpu(mux)
		return serveUnder(s.Base, s.gate.guardHandler(mux))
	}
	s.servePages(mux)
	s.serveParts(mux)
	mux.HandleFunc("GET "+api+"jobs/{name}/log", s.serveLog)
	mux.HandleFunc("GET "+api+"jobs/{name}/stacks", s.serveStacks)
	mux.HandleFunc("GET "+api+"cluster", s.serveCluster)
	mux.HandleFunc("GET /api/v1/events", s.serveEvents)
	mux.HandleFunc("GET /-/healthy",
		func(w http.ResponseWriter, _ *http.Request) { sendLine(w, http.StatusOK, "healthy") })
	mux.HandleFunc("GET /-/ready", s.serveReady)
	return serveUnder(s.Base, s.gate.guardHandler(mux))
}

// serveReady answers whether the known state is complete.
func (s *Server) serveReady(w http.ResponseWriter, _ *http.Request) {
	if !s.Ready(s.states.newestState().snap) {
		sendLine(w, http.StatusServiceUnavailable, "not ready: not every node has reported or failed yet")
		return
	}
	sendLine(w, http.StatusOK, "ready")
}

// sendLine answers with a line of text.
func sendLine(w http.ResponseWriter, status int, line string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(line + "\n"))
}

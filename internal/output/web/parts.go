package web

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/output/export"
	"github.com/nvnodetop/nvnodetop/internal/output/vacancy"
)

// api is where the parts of the document are.
const api = "/api/v1/"

// A part of the document at an address, for a request; nil: there is no such part.
type part struct {
	pattern   string
	processes bool // it has processes
	of        func(s *cluster.Snapshot, r *http.Request) *export.Part
}

func plain(of func(*cluster.Snapshot) *export.Part) func(*cluster.Snapshot, *http.Request) *export.Part {
	return func(s *cluster.Snapshot, _ *http.Request) *export.Part { return of(s) }
}

func named(of func(*cluster.Snapshot, string) *export.Part) func(*cluster.Snapshot, *http.Request) *export.Part {
	return func(s *cluster.Snapshot, r *http.Request) *export.Part { return of(s, r.PathValue("name")) }
}

var parts = []part{
	{"snapshot", true, plain(export.Whole)},
	{"jobs", false, plain(export.Jobs)},
	{"jobs/{name}", false, named(export.Job)},
	{"nodes", false, plain(export.Nodes)},
	{"nodes/{name}", true, named(export.Node)},
	{"nodes/{name}/gpus/{gpu}", true, func(s *cluster.Snapshot, r *http.Request) *export.Part {
		return export.GPU(s, r.PathValue("name"), r.PathValue("gpu"))
	}},
	{"problems", false, plain(export.Problems)},
	{"processes", true, plain(export.Processes)},
}

// parts answers requests for everything that is a function of the state.
func (s *Server) parts(mux *http.ServeMux) {
	for _, p := range parts {
		mux.HandleFunc("GET "+api+p.pattern, func(w http.ResponseWriter, r *http.Request) {
			s.send(w, r, "application/json", p.processes, func(out io.Writer, st *state) (bool, error) {
				part := p.of(st.snap, r)
				if part == nil {
					return false, nil
				}
				return true, part.Write(out, st.number)
			})
		})
	}
	for _, path := range []string{api, strings.TrimSuffix(api, "/")} { // for the second the mux would redirect
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) { missing(w, "there is no such part") })
	}
	mux.HandleFunc("GET /metrics", s.metrics)
	s.nvgpu(mux)
}

// metrics answers Prometheus. On one host, compressing the metrics takes longer than making and sending them.
func (s *Server) metrics(w http.ResponseWriter, r *http.Request) {
	const kind = "text/plain; version=0.0.4; charset=utf-8"
	if !s.Local {
		s.send(w, r, kind, s.PIDs, func(out io.Writer, st *state) (bool, error) {
			return true, s.exposition(out, st.snap)
		})
		return
	}
	s.looks.look(s.PIDs)
	w.Header().Set("Content-Type", kind)
	_ = s.exposition(w, s.states.newest().snap) // nobody is left to tell
}

func (s *Server) exposition(w io.Writer, snap *cluster.Snapshot) error {
	if err := export.Prometheus(w, snap, s.Names, s.Metrics); err != nil || !s.PIDs {
		return err
	}
	return export.PrometheusProcesses(w, snap, s.Names)
}

// nvgpu answers as the agents and the master of nvgpu do. To a master, each node is an agent at /nodes/NAME.
func (s *Server) nvgpu(mux *http.ServeMux) {
	mux.HandleFunc("GET /cluster_status", func(w http.ResponseWriter, r *http.Request) {
		s.send(w, r, "application/json", true, func(out io.Writer, st *state) (bool, error) {
			return true, vacancy.JSON(out, vacancy.Nodes(st.snap, false), false,
				func(n *vacancy.Node) any { return vacancy.Agent(n, st.snap.At) })
		})
	})
	status := func(w http.ResponseWriter, r *http.Request) {
		s.send(w, r, "application/json", true, func(out io.Writer, st *state) (bool, error) {
			nodes := vacancy.Nodes(st.snap, false)
			if name := r.PathValue("name"); name != "" {
				nodes = slices.DeleteFunc(nodes, func(n vacancy.Node) bool { return n.Name != name })
			}
			if len(nodes) == 0 {
				return false, nil
			}
			return true, json.NewEncoder(out).Encode(vacancy.Agents(st.snap.Discovery.Host, nodes, st.snap.At))
		})
	}
	mux.HandleFunc("GET /gpu_status", status)
	mux.HandleFunc("GET /nodes/{name}/gpu_status", status)
}

// send answers with the output of write for the newest state.
func (s *Server) send(w http.ResponseWriter, r *http.Request, kind string, processes bool,
	write func(io.Writer, *state) (bool, error)) {
	s.looks.look(processes)
	st := s.states.newest()
	h := w.Header()
	h.Set("ETag", st.tag)
	h.Set("Vary", "Accept-Encoding")
	if r.Header.Get("If-None-Match") == st.tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	a := st.answer(r.URL.Path, write)
	switch {
	case a.err != nil:
		fail(w, http.StatusInternalServerError, "the answer could not be made")
	case a.packed == nil:
		st.forget(r.URL.Path)
		missing(w, "there is none of this name, or it has no values")
	default:
		h.Set("Content-Type", kind)
		a.send(w, r)
	}
}

// send sends an answer, uncompressed to a client that cannot decompress it.
func (a *answer) send(w http.ResponseWriter, r *http.Request) {
	if acceptsGzip(r) {
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("Content-Length", strconv.Itoa(len(a.packed)))
		_, _ = w.Write(a.packed)
		return
	}
	plain, err := gzip.NewReader(bytes.NewReader(a.packed))
	if err == nil {
		_, _ = io.Copy(w, plain)
	}
}

func acceptsGzip(r *http.Request) bool {
	for word := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		name, quality, _ := strings.Cut(strings.TrimSpace(word), ";")
		if name == "gzip" && strings.TrimSpace(quality) != "q=0" {
			return true
		}
	}
	return false
}

func missing(w http.ResponseWriter, why string) { fail(w, http.StatusNotFound, why) }

// fail answers with an error for programs.
func fail(w http.ResponseWriter, status int, why string) {
	w.Header().Del("ETag")
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"error": why})
}

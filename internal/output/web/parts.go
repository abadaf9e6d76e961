package web

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/output/export"
	"github.com/nvnodetop/nvnodetop/internal/output/vacancy"
)

// api is the path of the parts of the document.
const api = "/api/v1/"

// documentRoute is a part of the document at an address, for a request; nil: there is no such part.
type documentRoute struct {
	pattern   string
	processes bool // it has processes
	of        func(s *cluster.Snapshot, r *http.Request) *export.Part
}

func ignoringRequest(of func(*cluster.Snapshot) *export.Part) func(*cluster.Snapshot, *http.Request) *export.Part {
	return func(s *cluster.Snapshot, _ *http.Request) *export.Part { return of(s) }
}

func withPathName(of func(*cluster.Snapshot, string) *export.Part) func(*cluster.Snapshot, *http.Request) *export.Part {
	return func(s *cluster.Snapshot, r *http.Request) *export.Part { return of(s, r.PathValue("name")) }
}

var parts = []documentRoute{
	{"snapshot", true, ignoringRequest(export.Whole)},
	{"jobs", false, ignoringRequest(export.Jobs)},
	{"jobs/{name}", false, withPathName(export.Job)},
	{"nodes", false, ignoringRequest(export.Nodes)},
	{"nodes/{name}", true, withPathName(export.Node)},
	{"nodes/{name}/gpus/{gpu}", true, func(s *cluster.Snapshot, r *http.Request) *export.Part {
		return export.GPU(s, r.PathValue("name"), r.PathValue("gpu"))
	}},
	{"problems", false, ignoringRequest(export.Problems)},
	{"processes", true, ignoringRequest(export.Processes)},
}

// serveParts answers requests for everything that is a function of the state.
func (s *Server) serveParts(mux *http.ServeMux) {
	for _, p := range parts {
		mux.HandleFunc("GET "+api+p.pattern, func(w http.ResponseWriter, r *http.Request) {
			s.sendOutput(w, r, "application/json", p.processes, func(out io.Writer, st *state) (bool, error) {
				part := p.of(st.snap, r)
				if part == nil {
					return false, nil
				}
				return true, part.Write(out, st.number)
			})
		})
	}
	for _, path := range []string{api, strings.TrimSuffix(api, "/")} { // for the second path the mux would redirect
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) { failNotFound(w, "there is no such part") })
	}
	mux.HandleFunc("GET /{path...}", func(w http.ResponseWriter, r *http.Request) {
		failNotFound(w, fmt.Sprintf("there is nothing at %q: the web page is at /, its parts are below %s", r.URL.Path, api))
	})
	mux.HandleFunc("GET /metrics", s.serveMetrics)
	s.serveNvgpu(mux)
}

// serveMetrics answers Prometheus. If client and server are on the same host, compressing the metrics takes longer than
// making and sending them.
func (s *Server) serveMetrics(w http.ResponseWriter, r *http.Request) {
	const kind = "text/plain; version=0.0.4; charset=utf-8"
	if !s.Local {
		s.sendOutput(w, r, kind, s.PIDs, func(out io.Writer, st *state) (bool, error) {
			return true, s.writeExposition(out, st.snap)
		})
		return
	}
	s.looks.noteRequest(s.PIDs)
	w.Header().Set("Content-Type", kind)
	_ = s.writeExposition(w, s.states.newestState().snap) // nobody is left to tell
}

func (s *Server) writeExposition(w io.Writer, snap *cluster.Snapshot) error {
	if err := export.Prometheus(w, snap, s.Names, s.Metrics); err != nil || !s.PIDs {
		return err
	}
	return export.PrometheusProcesses(w, snap, s.Names)
}

// serveNvgpu answers like the agents and the master of nvgpu. For a master, each node is an agent at /nodes/NAME.
func (s *Server) serveNvgpu(mux *http.ServeMux) {
	mux.HandleFunc("GET /cluster_status", func(w http.ResponseWriter, r *http.Request) {
		s.sendOutput(w, r, "application/json", true, func(out io.Writer, st *state) (bool, error) {
			return true, vacancy.JSON(out, vacancy.Nodes(st.snap, false), false,
				func(n *vacancy.Node) any { return vacancy.Agent(n, st.snap.At) })
		})
	})
	status := func(w http.ResponseWriter, r *http.Request) {
		s.sendOutput(w, r, "application/json", true, func(out io.Writer, st *state) (bool, error) {
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

// sendOutput answers with what write writes for the newest state.
func (s *Server) sendOutput(w http.ResponseWriter, r *http.Request, kind string, processes bool,
	write func(io.Writer, *state) (bool, error)) {
	s.looks.noteRequest(processes)
	st := s.states.newestState()
	h := w.Header()
	h.Set("ETag", st.tag)
	h.Set("Vary", "Accept-Encoding")
	if r.Header.Get("If-None-Match") == st.tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	a := st.cachedAnswer(r.URL.Path, write)
	switch {
	case a.err != nil:
		failRequest(w, http.StatusInternalServerError, "the answer could not be made")
	case a.packed == nil:
		st.dropAnswer(r.URL.Path)
		failNotFound(w, "there is none of this name, or it has no values")
	default:
		h.Set("Content-Type", kind)
		a.sendAnswer(w, r)
	}
}

// sendAnswer sends an answer. A client that cannot decompress gets it uncompressed.
func (a *compressedAnswer) sendAnswer(w http.ResponseWriter, r *http.Request) {
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

func failNotFound(w http.ResponseWriter, why string) { failRequest(w, http.StatusNotFound, why) }

// failRequest answers with an error that programs can read.
func failRequest(w http.ResponseWriter, status int, why string) {
	w.Header().Del("ETag")
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"error": why})
}

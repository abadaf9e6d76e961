package agent

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nvnodetop/nvnodetop/internal/lib/text/safe"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// documented is an answer with the names that nvgpu 0.10 has, of a GPU in use, a free one, and one of an older agent.
const documented = `{"hostname": "node01", "gpus": [
 {"type": "GeForce GTX 1080 Ti", "is_available": false, "pids": "19028,19029", "users": "alice,?",
	"running_since": "2 days ago", "utilization": 46,
  "memory": {"total": 11721506816, "free": 399834, "used": 11321671680}, "clock_mhz": 1506, "temperature": 54,
	"cmd": "train.py"},
 {"type": "GeForce GTX 1070", "is_available": true, "pids": "", "users": "", "running_since": null, "utilization": 0,
  "memory": {"total": 8513978368, "free": 8513978368, "used": 0}, "clock_mhz": 139, "temperature": 44, "cmd": null},
 {"type": "Tesla K80", "is_available": false, "pids": "7,x,9", "users": "bob", "utilization": 1000, "clock_mhz": null}]}`

func TestStatus(t *testing.T) {
	s, err := parseStatus([]byte(documented))
	if err != nil {
		t.Fatal(err)
	}
	h := s.newHello()
	if h.Host != "node01" || len(h.GPUs) != 3 || h.GPUs[0].Name != "GeForce GTX 1080 Ti" || h.GPUs[2].UUID != "" ||
		h.GPUs[0].Minor != nil {
		t.Errorf("hello %+v", h)
	}
	if v, known := h.GPUs[1].Values.Get(metric.MemoryTotal); !known || v != 8513978368 {
		t.Errorf("memory %v, %v", v, known)
	}
	for _, keys := range h.GPUs[0].Absent {
		if text := strings.Join(keys, " "); !strings.Contains(text, "power_watts") ||
			strings.Contains(" "+text, " util_percent") {
			t.Errorf("absent: %s", text)
		}
	}
	r := s.newReport()
	var got []string
	for i, g := range r.GPUs {
		for id := range metric.All(metric.GPU) {
			if v, known := g.Values.Get(id); known {
				got = append(got, fmt.Sprint(i, " ", id, " ", v))
			}
		}
	}
	want := []string{
		"0 util_percent 46", "0 memory_used_bytes 1.132167168e+10", "0 temperature_celsius 54", "0 sm_mhz 1506",
		"1 util_percent 0", "1 memory_used_bytes 0", "1 temperature_celsius 44", "1 sm_mhz 139",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("values (-want +got):\n%s", diff)
	}
	wantProcesses := []wire.Process{
		{PID: 19028, Type: "C", Identity: wire.Identity{User: "alice", Command: "train.py"},
			ElapsedSec: new(int64(2 * 86400))}, {PID: 19029, Type: "C"},
		{PID: 7, GPU: 2, Type: "C"}, {PID: 9, GPU: 2, Type: "C"},
	}
	if diff := cmp.Diff(wantProcesses, r.Processes); diff != "" || !r.Listed {
		t.Errorf("processes (-want +got):\n%s", diff)
	}
}

func TestHostileAnswersAreLimited(t *testing.T) {
	many := strings.Repeat(`{"pids":"`+strings.Repeat("1,", 5000)+`1","type":"`+strings.Repeat("x", 9999)+`","cmd":"`+
		strings.Repeat("y", 9999)+`"},`, 3)
	s, err := parseStatus([]byte(`{"hostname":"h","gpus":[` + many + strings.Repeat("{},", 5000) + `{}]}`))
	if err != nil {
		t.Fatal(err)
	}
	h, r := s.newHello(), s.newReport()
	if len(h.GPUs) != maxGPUs || len(r.Processes) != maxProcesses || len(h.GPUs[0].Name) > maxName ||
		len(r.Processes[0].Command) > wire.MaxCommand {
		t.Errorf("%d GPUs, %d processes, a name of %d bytes", len(h.GPUs), len(r.Processes), len(h.GPUs[0].Name))
	}
	for _, text := range []string{"", "x", "[]", "{}", `{"hostname":"h"}`, `{"gpus":[]}`, `{"hostname":1,"gpus":[]}`,
		`{"error":"Host not available"}`, `{"hostname":"h","gpus":[{"pids":1}]}`,
		`{"hostname":"h","gpus":[` + strings.Repeat("{},", 100_000) + `{}]}`} {
		if s, err := parseStatus([]byte(text)); err == nil {
			t.Errorf("%.60q is taken for %d GPUs", text, len(s.GPUs))
		}
	}
}

func TestURLs(t *testing.T) {
	o, err := New("http://a:1080, https://b/nodes/b/,http://a:1081")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"a": "http://a:1080/gpu_status", "b": "https://b/nodes/b/gpu_status",
		"a:1081": "http://a:1081/gpu_status"}
	if diff := cmp.Diff(want, o.agents); diff != "" || strings.Join(o.Names(), " ") != "a b a:1081" {
		t.Errorf("%v (-want +got):\n%s", o.Names(), diff)
	}
	for _, list := range []string{"ftp://a", "http://", "http://a,", "http://a,b", "http://a?x=1", "http://a#x",
		"http://a:x", "http://me:secret@a", "http://me:secret@a:x", "http://me:secret%zz@a", "me:secret@a://",
		"http://a:x?token=secret", "http://a?token=secret", "http://a:x/%zz?secret@b", "http://a,http://a"} {
		if _, err := New(list); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", list, err)
		}
	}
}

func TestFailures(t *testing.T) {
	answers := map[string]http.HandlerFunc{
		"garbage": func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>") },
		"refused": http.NotFound,
		"redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://127.0.0.1:1/", http.StatusFound)
		},
		"too_much": func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, strings.Repeat(" ", maxAnswer+1)) },
	}
	for name, class := range map[string]reach.Class{"garbage": reach.ClassGarbage, "refused": reach.ClassGarbage,
		"redirect": reach.ClassGarbage, "too_much": reach.ClassTooMuch} {
		server := httptest.NewServer(answers[name])
		o, err := New(server.URL)
		if err != nil {
			t.Fatal(err)
		}
		var steps []reach.StepState
		_, err = o.Open(t.Context(), o.names[0], func(s reach.Step) { steps = append(steps, s.State) })
		if f, ok := errors.AsType[*reach.Failure](err); !ok || f.Class != class || len(steps) != 2 ||
			steps[1] != reach.StepFailed {
			t.Errorf("%s: %v, steps %v", name, err, steps)
		}
		server.Close()
		_, err = o.Open(t.Context(), o.names[0], func(reach.Step) {})
		if f, ok := errors.AsType[*reach.Failure](err); !ok || f.Class != reach.ClassRefused {
			t.Errorf("%s, and nothing listens: %v", name, err)
		}
	}
}

// A proxy may repeat the password that it got. The error quotes the rest of its words.
func TestProxyRepeatsItsPassword(t *testing.T) {
	said := &url.Error{Op: "Get", URL: "http://a", Err: errors.New("407 no access for me:s3cr3t")}
	err := classifyError(said, safe.SecretOfURLs(&url.URL{Host: "proxy:3128", User: url.UserPassword("me", "s3cr3t")}))
	if f, ok := errors.AsType[*reach.Failure](err); !ok || f.Cause != "407 no access for …" {
		t.Errorf("%+v", err)
	}
}

// A session begins with Hello, and reports at its pace. When the GPUs change there is another Hello.
func TestSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int32
		var gpus atomic.Int32
		gpus.Store(2)
		ask := func(context.Context) (*status, error) {
			asked.Add(1)
			return parseStatus([]byte(`{"hostname":"h","gpus":[` + strings.Repeat("{},", int(gpus.Load())-1) + `{}]}`))
		}
		first, _ := ask(t.Context())
		s := newSession(ask, first)
		next := func() wire.Message {
			t.Helper()
			m, err := s.Next()
			if err != nil {
				t.Fatal(err)
			}
			return m
		}
		if m := next(); m.Hello == nil || len(m.Hello.GPUs) != 2 {
			t.Errorf("it begins with %+v", m)
		}
		began := time.Now()
		time.AfterFunc(time.Second, func() {
			_, _ = s.Call(t.Context(), wire.Request{ID: 1, Pace: &wire.Pace{IntervalMS: 3000, SecondMS: 2000}})
		})
		for i, at := range []time.Duration{time.Second, 2 * time.Second, 5 * time.Second} { // the first answer was at 0
			if m := next(); m.Report == nil || m.Report.Seq != uint64(i+1) || len(m.Report.GPUs) != 2 ||
				time.Since(began) != at {
				t.Errorf("after %v: %+v", time.Since(began), m)
			}
		}
		gpus.Store(3)
		if m := next(); m.Hello == nil || len(m.Hello.GPUs) != 3 {
			t.Errorf("with another GPU: %+v", m)
		}
		if m := next(); m.Report == nil || m.Report.MonoMS != 8000 || len(m.Report.GPUs) != 3 {
			t.Errorf("then: %+v", m)
		}
		if n := asked.Load(); n != 4 {
			t.Errorf("the agent was asked %d times", n)
		}
		if r, err := s.Call(t.Context(), wire.Request{ID: 2, Environ: &wire.ProcessID{PID: 1}}); err != nil ||
			r.ID != 2 || r.Error == "" {
			t.Errorf("a question: %+v, %v", r, err)
		}
		time.AfterFunc(time.Second, func() { _ = s.Close() })
		if m, err := s.Next(); err == nil {
			t.Errorf("after the end: %+v", m)
		}
	})
}

// One agent is one node, however its URL is written; several at one host are several.
func TestTwice(t *testing.T) {
	for list, names := range map[string]int{
		"http://h:1,http://h:1": 0, "http://h:1,http://h:1/": 0, "http://h,http://H:80": 0,
		"https://h:443,http://a,https://h/": 0,
		"http://h:1,http://h:2":             2, "http://h:1,http://h:1/x": 2, "http://h,http://h:1,https://h:1": 3,
	} {
		o, err := New(list)
		switch {
		case names == 0 && (err == nil || !strings.Contains(err.Error(), "is in the list twice")):
			t.Errorf("%s: %v", list, err)
		case names > 0 && (err != nil || len(o.Names()) != names || len(o.agents) != names):
			t.Errorf("%s: %v, %v", list, o, err)
		}
	}
}

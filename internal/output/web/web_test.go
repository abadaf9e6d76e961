package web

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/store"
	"github.com/nvnodetop/nvnodetop/internal/health"
	"github.com/nvnodetop/nvnodetop/internal/output/export"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

const hostile = `<img src=x onerror=alert(1)>`

// world is a cluster of one job on two nodes. The second node does not report.
func world(at time.Time) *store.Store {
	s := store.New(3*time.Second, health.Rules(health.Defaults()))
	gpus := func(n int) (cards []wire.Card, list []wire.GPU) {
		for i := range n {
			cards = append(cards, wire.Card{Index: i, UUID: "GPU-" + string(rune('a'+i)), Minor: new(i),
				Name: "NVIDIA H100"})
			list = append(list, wire.GPU{Index: i,
				Values: metric.Make(map[metric.ID]float64{metric.Util: float64(90 + i)})})
		}
		return cards, list
	}
	cards, list := gpus(2)
	for _, e := range []cluster.Event{
		{Discovery: &cluster.Discovery{Command: "squeue", User: "alice", Host: "login1", Asked: at, Answered: at,
			Jobs: []cluster.Job{{ID: "7", Name: hostile, User: "alice", Nodes: []string{"n1", "n2"},
				Minors: map[string][]int{"n1": {0, 1}}}}}},
		{Node: "n1", Try: &cluster.Try{Interval: 3 * time.Second}},
		{Node: "n1", Hello: &wire.Hello{Host: "n1.cluster", GPUs: cards}},
		{Node: "n1", Report: &wire.Report{GPUs: list, Listed: true,
			Processes: []wire.Process{{PID: 11, GPU: 0, Type: "C",
				Identity: wire.Identity{User: "alice", Command: "python train.py"}}}}},
		{Node: "n2", Try: &cluster.Try{Interval: 3 * time.Second}},
	} {
		e.At = at
		s.Apply(e)
	}
	return s
}

// audience counts the calls.
type audience struct {
	asked   atomic.Int32
	touched atomic.Int32
	mu      sync.Mutex
	looks   []bool
}

func (a *audience) Asked() { a.asked.Add(1) }
func (a *audience) Touch() { a.touched.Add(1) }
func (a *audience) Look(_ string, processes bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.looks = append(a.looks, processes)
}

// rig is a Server with its parts.
type rig struct {
	*Server
	audience audience
	made     atomic.Int32 // states
	news     atomic.Uint64
	answers  http.Handler
}

func newRig(token string, local bool) *rig { return rigOf(Options{Token: token, Local: local}) }

// rigOf is a rig whose Server has these choices of who may ask, and where.
func rigOf(o Options) *rig {
	r := &rig{}
	of := world(time.Now()).Snapshot
	if o.Snapshot != nil {
		of = o.Snapshot
	}
	o.Snapshot = func(now time.Time) *cluster.Snapshot {
		r.made.Add(1)
		return of(now)
	}
	if o.Cluster == nil {
		o.Cluster = hostileCluster
	}
	o.Ready, o.News, o.Now = func(*cluster.Snapshot) bool { return r.news.Load() > 0 }, r.news.Load, time.Now
	o.Audience, o.Every, o.Names = &r.audience, time.Second, export.OwnNames
	r.Server = New(o)
	r.answers = r.Handler()
	return r
}

// ask sends a request from localhost; headers are "Name: value".
func (r *rig) ask(method, path string, headers ...string) *httptest.ResponseRecorder {
	request := httptest.NewRequest(method, path, nil)
	request.Host = "localhost:9481"
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		request.Header.Set(name, value)
		if name == "Host" {
			request.Host = value
		}
	}
	w := httptest.NewRecorder()
	r.answers.ServeHTTP(w, request)
	return w
}

func TestEachPartIsAnswered(t *testing.T) {
	r := newRig("", true)
	for path, want := range map[string]string{
		"/":                           "<!doctype html>",
		"/assets/icon.svg":            "<svg",
		"/api/v1/snapshot":            `"processes":[`,
		"/api/v1/jobs":                `"totals":{"gpus_counted":2,"util_percent":90.5`,
		"/api/v1/jobs/7":              `"name":"n2","state":"connecting"`,
		"/api/v1/nodes":               `"util_percent":91`,
		"/api/v1/nodes/n1":            `"command":"python train.py"`,
		"/api/v1/nodes/n1/gpus/GPU-b": `"history":{`,
		"/api/v1/nodes/n1/gpus/1":     `"history":{`,
		"/api/v1/problems":            `"findings":[`,
		"/api/v1/processes":           `"pid":11`,
		"/api/v1/cluster":             `"time":"`,
		"/api/v1/jobs/7/stacks":       `"time":"`,
		"/metrics":                    `nvnodetop_gpu_utilization_ratio{node="n1",gpu="1"} 0.91`,
		"/gpu_status":                 `"type":"NVIDIA H100","is_available":false,"pids":"11","users":"alice"`,
		"/nodes/n1/gpu_status":        `{"version":1,"hostname":"n1.cluster","gpus":[`,
		"/cluster_status":             `"hostname": "n1.cluster"`,
		"/-/healthy":                  "healthy",
	} {
		w := r.ask("GET", path)
		if body := w.Body.String(); w.Code != http.StatusOK || !strings.Contains(body, want) {
			t.Errorf("%s: %d, %.300s", path, w.Code, body)
		}
		for name, value := range map[string]string{"Content-Security-Policy": policy,
			"X-Content-Type-Options": "nosniff", "Cross-Origin-Resource-Policy": "same-origin"} {
			if w.Header().Get(name) != value {
				t.Errorf("%s: %s is %q", path, name, w.Header().Get(name))
			}
		}
	}
	for _, path := range []string{"/api/v1/jobs/8", "/api/v1/nodes/x", "/api/v1/nodes/n2/gpus/0",
		"/api/v1/nodes/n1/gpus/x", "/api/v1/", "/api/v2/jobs", "/nodes/x/gpu_status", "/assets/", "/assets/../web.go",
		"/nix"} {
		if w := r.ask("GET", path); w.Code != http.StatusNotFound && w.Code != http.StatusTemporaryRedirect &&
			w.Code != http.StatusMovedPermanently {
			t.Errorf("%s: %d, %.100s", path, w.Code, w.Body)
		}
	}
	if n := len(r.states.last.made); n != 12 {
		t.Errorf("%d answers are kept: what does not exist must not be", n)
	}
}

func TestOnlyGetAndHead(t *testing.T) {
	r := newRig("", true)
	for _, method := range []string{"POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT"} {
		if w := r.ask(method, "/api/v1/jobs"); w.Code != http.StatusMethodNotAllowed ||
			w.Header().Get("Allow") != "GET, HEAD" {
			t.Errorf("%s: %d", method, w.Code)
		}
	}
	for _, path := range []string{"/api/v1/jobs", "/api/v1/events"} { // the stream ends
		if w := r.ask("HEAD", path); w.Code != http.StatusOK {
			t.Errorf("HEAD %s: %d", path, w.Code)
		}
	}
}

// The name of a job is free text of a user. The answer is JSON, which no browser takes for a page.
func TestHostileNamesStayText(t *testing.T) {
	w := newRig("", true).ask("GET", "/api/v1/jobs")
	var doc struct{ Jobs []struct{ Name string } }
	if err := json.Unmarshal(w.Body.Bytes(), &doc); err != nil || doc.Jobs[0].Name != hostile {
		t.Errorf("%v, %+v", err, doc)
	}
	if kind := w.Header().Get("Content-Type"); kind != "application/json" {
		t.Errorf("it is sent as %q", kind)
	}
}

func TestAnswersAreCompressedAndTagged(t *testing.T) {
	r := newRig("", true)
	plain, packed := r.ask("GET", "/api/v1/nodes"), r.ask("GET", "/api/v1/nodes", "Accept-Encoding: br, gzip;q=0.8")
	z, err := gzip.NewReader(packed.Body)
	if err != nil || packed.Header().Get("Content-Encoding") != "gzip" ||
		packed.Header().Get("Vary") != "Accept-Encoding" {
		t.Fatalf("%v, %v", err, packed.Header())
	}
	if text, err := io.ReadAll(z); err != nil || string(text) != plain.Body.String() {
		t.Errorf("%v: the compressed answer is another one", err)
	}
	if refused := r.ask("GET", "/api/v1/nodes",
		"Accept-Encoding: gzip;q=0"); refused.Header().Get("Content-Encoding") != "" {
		t.Error("compressed for a client that cannot read it")
	}
	tag := plain.Header().Get("ETag")
	if w := r.ask("GET", "/api/v1/nodes", "If-None-Match: "+tag); tag == "" || w.Code != http.StatusNotModified ||
		w.Body.Len() > 0 {
		t.Errorf("%q: %d", tag, w.Code)
	}
	page := r.ask("GET", "/").Header().Get("ETag")
	if w := r.ask("GET", "/", "If-None-Match: "+page); page == "" || w.Code != http.StatusNotModified {
		t.Errorf("the page with its tag %q: %d", page, w.Code)
	}
}

// A new state is made on request, if the old one has aged enough and there is news, or after a long silence. Each
// answer is made once per state.
func TestStatesAreMadeSeldom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig("", true)
		for _, c := range []struct {
			after time.Duration
			news  bool
			made  int32
		}{{0, true, 1}, {500 * time.Millisecond, true, 1}, {500 * time.Millisecond, false, 2},
			{2 * time.Second, false, 2}, {3 * time.Second, false, 3}, {time.Second, true, 4}} {
			time.Sleep(c.after)
			if c.news {
				r.news.Add(1)
			}
			for range 3 {
				if w := r.ask("GET", "/api/v1/jobs"); w.Code != http.StatusOK {
					t.Fatal(w.Code)
				}
			}
			if n := r.made.Load(); n != c.made {
				t.Errorf("after %v, news %v: %d states, want %d", c.after, c.news, n, c.made)
			}
		}
	})
}

// After a state with a part that takes 0.3 s, the next one follows after 3 s.
func TestStatesThatCostMuchAreMadeMoreSeldom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig("", true)
		store := r.states.make
		r.states.make = func(now time.Time) *cluster.Snapshot {
			time.Sleep(300 * time.Millisecond)
			return store(now)
		}
		for range 61 {
			r.news.Add(1)
			r.ask("GET", "/api/v1/jobs")
			time.Sleep(100 * time.Millisecond)
		}
		if n := r.made.Load(); n != 3 {
			t.Errorf("%d states in 6 s", n)
		}
	})
}

func TestReadyWhenAllIsKnown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig("secret token of 16", true)
		if w := r.ask("GET", "/-/ready"); w.Code != http.StatusServiceUnavailable {
			t.Errorf("%d before", w.Code)
		}
		r.news.Add(1)
		time.Sleep(time.Second)
		if w := r.ask("GET", "/-/ready"); w.Code != http.StatusOK {
			t.Errorf("%d then", w.Code)
		}
		if n := r.audience.asked.Load() + r.audience.touched.Load(); n != 0 {
			t.Errorf("a check of health is no user: %d", n)
		}
	})
}

// The nodes list processes for as long as somebody asks for them.
func TestProcessesAreListedWhileSomebodyLooks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig("", true)
		r.ask("GET", "/api/v1/jobs")
		if len(r.audience.looks) != 0 || r.audience.asked.Load() != 1 {
			t.Errorf("%v, asked %d times", r.audience.looks, r.audience.asked.Load())
		}
		for range 3 {
			r.ask("GET", "/api/v1/processes")
			time.Sleep(lookFor - time.Second)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := r.audience.looks; len(got) != 2 || !got[0] || got[1] || r.audience.touched.Load() != 0 {
			t.Errorf("it was told %v, touched %d times", got, r.audience.touched.Load())
		}
	})
}

// stream connects a client to the events, over a real connection, for as long as read reads them.
func (r *rig) stream(t *testing.T, read func(*bufio.Scanner)) {
	t.Helper()
	server := httptest.NewServer(r.answers)
	defer server.Close()
	request, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/api/v1/events", nil)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if kind := answer.Header.Get("Content-Type"); kind != "text/event-stream" {
		t.Errorf("the stream is %q", kind)
	}
	read(bufio.NewScanner(answer.Body))
}

func next(lines *bufio.Scanner) string {
	var event []string
	for lines.Scan() && lines.Text() != "" {
		event = append(event, lines.Text())
	}
	return strings.Join(event, "|")
}

func TestEventsSayThatThereIsNews(t *testing.T) {
	r := newRig("", true)
	r.Every, r.states.least = 50*time.Millisecond, 45*time.Millisecond
	ctx, stop := context.WithCancel(t.Context())
	ran := make(chan struct{})
	go func() {
		r.Run(ctx)
		close(ran)
	}()
	r.stream(t, func(lines *bufio.Scanner) {
		if e := next(lines); !strings.HasPrefix(e, `event: snapshot|id: 1|data: {"revision":1,"time":"20`) {
			t.Errorf("the first event is %q", e)
		}
		r.news.Add(1)
		if e := next(lines); !strings.HasPrefix(e, `event: snapshot|id: 2|data: {"revision":2,`) {
			t.Errorf("the second event is %q", e)
		}
		if n := r.audience.touched.Load(); n < 2 {
			t.Errorf("an open page is somebody who looks: %d", n)
		}
		stop()
		<-ran
		if e := next(lines); e != "event: end|data: {}" {
			t.Errorf("the last event is %q", e)
		}
	})
}

func TestStreamsAreLimited(t *testing.T) {
	r := newRig("", true)
	r.streams.Store(maxStreams)
	if w := r.ask("GET", "/api/v1/events"); w.Code != http.StatusServiceUnavailable || r.streams.Load() != maxStreams {
		t.Errorf("%d, %d streams", w.Code, r.streams.Load())
	}
}

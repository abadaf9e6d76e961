package web

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/store"
	"github.com/nvnodetop/nvnodetop/internal/joblog"
	"github.com/nvnodetop/nvnodetop/internal/output/export"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
	"github.com/nvnodetop/nvnodetop/test/chromium"
)

// Names and command lines come from other people: nothing on the page turns text into markup or a program.
func TestPageMakesNoMarkupOfText(t *testing.T) {
	bad := regexp.MustCompile(`innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|\beval\(|new Function|javascript:|style="|\bon[a-z]+="|https?://[^w]`)
	files, err := embedded.ReadDir("assets")
	if err != nil || len(files) < 10 {
		t.Fatalf("%v, %d files", err, len(files))
	}
	for _, f := range files {
		text, err := embedded.ReadFile("assets/" + f.Name())
		if found := bad.FindString(string(text)); err != nil || found != "" {
			t.Errorf("%s: %v, has %s", f.Name(), err, found)
		}
		if n := strings.Count(string(text), "\n"); n > 300 {
			t.Errorf("%s has %d lines", f.Name(), n)
		}
	}
}

// site is a server with the world of the tests, for a browser.
type site struct {
	*httptest.Server
	store  *store.Store
	server *Server
	news   atomic.Uint64
	stop   context.CancelFunc // ends its streams
}

func newSite(t *testing.T) *site {
	t.Helper()
	return siteOf(t, world(time.Now()))
}

// siteOf is a site with a store, and with what changes its Snapshots.
func siteOf(t *testing.T, store *store.Store, change ...func(*cluster.Snapshot)) *site {
	t.Helper()
	s := &site{store: store}
	snapshot := func(now time.Time) *cluster.Snapshot {
		snap := store.Snapshot(now)
		for _, do := range change {
			do(snap)
		}
		return snap
	}
	server := New(Options{
		Snapshot: snapshot, Ready: func(*cluster.Snapshot) bool { return true }, News: s.news.Load,
		Now: time.Now, Audience: &audience{},
		Every: 100 * time.Millisecond, Names: export.OwnNames, Local: true, Log: hostileLog, Cluster: hostileCluster,
	})
	ctx, stop := context.WithCancel(context.Background())
	s.stop, s.server = stop, server
	s.Server = httptest.NewServer(server.Handler())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		server.Run(ctx)
	}()
	t.Cleanup(func() {
		stop()
		<-ended
		s.Close()
	})
	return s
}

// hostileLog is the end of a log with markup, lines that are wider than any screen, and escape sequences. There is no
// standard error.
func hostileLog(_ context.Context, q joblog.Query) (joblog.Piece, error) {
	if q.Stream == joblog.Err {
		return joblog.Piece{}, errors.New("node n1 is not connected " + hostile)
	}
	text := "step 1\n" + hostile + "\n" + strings.Repeat("wide ", 2000) + "\n\n\x1b[31mred\x1b[0m \xff\n" +
		"torch.OutOfMemoryError: CUDA out of memory.\nlast"
	return joblog.Piece{Path: "/home/alice/" + strings.Repeat("deep/", 40) + "slurm-7.out", Node: "n1",
		LogPiece: wire.LogPiece{Size: int64(len(text)), Data: []byte(text)}}, nil
}

// report is a report of the node n1, with the utilization of its GPUs.
func (s *site) report(utils ...float64) { s.add(report(utils...)) }

func report(utils ...float64) *wire.Report {
	r := &wire.Report{}
	for i, util := range utils {
		r.GPUs = append(r.GPUs, wire.GPU{Index: i,
			Values: metric.Make(map[metric.ID]float64{metric.Util: util, metric.SMClock: 1200,
				metric.Throttle: wire.ThrottleSWPowerCap})})
	}
	return r
}

// add is a report of the node n1.
func (s *site) add(r *wire.Report) {
	s.store.Apply(cluster.Event{At: time.Now(), Node: "n1", Report: r})
	s.news.Add(1)
}

// TestPages: every page shows its subject, fits a phone and a desktop, and breaks no rule of its policy. Text from
// users stays text. Everybody can read it: the contrast suffices, and names, headings and landmarks are there.
func TestPages(t *testing.T) {
	t.Parallel()
	for _, look := range []chromium.Look{{Width: 390, Height: 844}, {Width: 1440, Height: 900, Dark: true}} {
		t.Run(fmt.Sprint(look.Width), func(t *testing.T) {
			t.Parallel()
			seePages(t, look)
		})
	}
}

func seePages(t *testing.T, look chromium.Look) {
	b, s := chromium.New(t), newSite(t)
	if err := b.See(look); err != nil {
		t.Fatal(err)
	}
	for address, want := range map[string][]string{
		"": {hostile, "running"}, "#/jobs": {hostile, "91%"}, "#/job/7": {hostile, "n2", "connecting"},
		"#/nodes": {"n1", "90", "91", "n2"}, "#/node/n1": {"H100", "91%", "python train.py"},
		"#/node/n2": {"n2", "connecting"}, "#/gpu/n1/GPU-b": {"H100", "GPU-b", "Utilization %", "91%",
			"SM clock MHz", "1200 MHz", "Throttle reasons", "power cap"},
		"#/gpu/n1/0": {"GPU-a", "python train.py"}, "#/problems": {"n2", "Connecting"},
		"#/processes": {"python train.py", "alice"}, "#/users": {"python train.py", "alice", "Longest"},
		"#/ranks": {"Ranks", "No process names a rank"}, "#/node/nowhere": {"nothing to show", "all jobs"},
		"#/stacks/7": {"Stacks of job", "have not been asked", "nvnodetop stacks 7"}, "#/cluster": {"n7", "h100", "gpu-long"},
		"#/log/7": {"Log of job", "slurm-7.out on n1", " KiB", "step 1", hostile, "CUDA out of memory", "last",
			"standard error"},
		"#/log/7/stderr": {"node n1 is not connected", hostile, "standard output"},
		"#/log/99":       {"Logs are shown of running jobs, if the server runs with --logs"},
		"#/job/%zz":      {"nothing to show"}, "#/gpu/n2/0": {"nothing to show", "node n2"},
		"#/constructor": {"There is no page #/constructor. See all jobs."}, "#/nosuch/7": {"There is no page #/nosuch/7."},
	} {
		s.report(90, 91) // otherwise the node is silent after a while
		if err := errors.Join(b.Open("about:blank"), b.Open(s.URL+"/"+address),
			b.Wait("document.querySelector('main section, main .failure, main a')")); err != nil {
			t.Fatalf("%s: %v", address, err)
		}
		checkPage(t, b, address, look, want)
	}
}

// A failed node keeps its past on every page, marked as old.
func TestPastOfANode(t *testing.T) {
	t.Parallel()
	b := chromium.New(t)
	then := time.Now().Add(-time.Minute)
	store := world(then)
	store.Apply(cluster.Event{At: then.Add(time.Second), Node: "n1",
		Down: &cluster.Down{Failure: reach.Failure{Class: reach.ClassClosed, Short: "connection closed"}}})
	s, look := siteOf(t, store), chromium.Look{Width: 1440, Height: 900}
	if err := b.See(look); err != nil {
		t.Fatal(err)
	}
	seen := then.Format(time.TimeOnly)
	for address, want := range map[string][]string{
		"#/nodes": {"n1", "90", "91", "connection lost", "last seen " + seen}, "#/job/7": {"91%", "last seen " + seen},
		"#/node/n1":      {"Last seen " + seen, "connection closed", "H100", "91%", "python train.py"},
		"#/gpu/n1/GPU-b": {"Last seen " + seen, "until " + seen, "91%"},
	} {
		if err := errors.Join(b.Open("about:blank"), b.Open(s.URL+"/"+address),
			b.Wait("document.querySelector('main section')")); err != nil {
			t.Fatalf("%s: %v", address, err)
		}
		checkPage(t, b, address, look, want)
	}
}

// Where the driver does not count the memory of a GPU, the pages have that of its processes, and say so.
func TestPagesWithMemoryOfProcesses(t *testing.T) {
	t.Parallel()
	b, s := chromium.New(t), newSite(t)
	look := chromium.Look{Width: 1440, Height: 900}
	if err := b.See(look); err != nil {
		t.Fatal(err)
	}
	for address, want := range map[string][]string{
		"#/jobs": {"93.0 GiB procs"}, "#/job/7": {"93.0 GiB procs"}, "#/nodes": {"93.0 GiB procs"},
		"#/node/n1":  {"91.0 GiB procs", "2.0 GiB procs", "93.0 GiB procs"},
		"#/gpu/n1/0": {"memory of processes 91.0 GiB"},
	} {
		r := report(90, 91)
		r.Listed, r.Processes = true, []wire.Process{{PID: 7, GPU: 0, GPUMemory: new(uint64(91 << 30))},
			{PID: 8, GPU: 1, GPUMemory: new(uint64(2 << 30))}}
		s.add(r)
		if err := errors.Join(b.Open("about:blank"), b.Open(s.URL+"/"+address),
			b.Wait("document.querySelector('main section, main a')")); err != nil {
			t.Fatalf("%s: %v", address, err)
		}
		checkPage(t, b, address, look, want)
	}
}

// Nodes and GPUs that jobs share count once on each page, as in the JSON.
func TestPagesCountWhatJobsShareOnce(t *testing.T) {
	t.Parallel()
	b, s := chromium.New(t), newSite(t)
	look := chromium.Look{Width: 1440, Height: 900}
	if err := b.See(look); err != nil {
		t.Fatal(err)
	}
	share := func(id string, gpus ...int) cluster.Job {
		return cluster.Job{ID: id, Name: "shares", User: "alice", Nodes: []string{"n1"},
			Minors: map[string][]int{"n1": gpus}}
	}
	at := time.Now()
	s.store.Apply(cluster.Event{At: at, Discovery: &cluster.Discovery{Command: "squeue", User: "alice", Asked: at,
		Answered: at, Jobs: []cluster.Job{
			share("7", 0), share("8", 0, 1), {ID: "9", Name: "apart", User: "alice", Nodes: []string{"n1", "n2"},
				Minors: map[string][]int{"n1": {1}, "n2": {0}}},
		}}})
	for _, address := range []string{"#/jobs", "#/job/7", "#/nodes", "#/node/n1", "#/gpu/n1/0", "#/problems",
		"#/processes"} {
		s.report(90, 91)
		if err := errors.Join(b.Open("about:blank"), b.Open(s.URL+"/"+address),
			b.Wait("document.querySelector('.seen')")); err != nil {
			t.Fatalf("%s: %v", address, err)
		}
		var seen string
		if err := b.Eval("document.querySelector('.seen').innerText", &seen); err != nil ||
			seen != "2 of 3 GPUs, 1 of 2 nodes reporting" {
			t.Errorf("%s: %q, %v", address, seen, err)
		}
		checkPage(t, b, address, look, nil) // with GPUs of other jobs
	}
}

// accessibility finds text that is hard to read, and what a screen reader cannot tell.
//
//go:embed testdata/access.js
var accessibility string

// absent is the complaint about a part that is requested and missing. It may come after the next page was opened.
var absent = regexp.MustCompile(`404.*/api/v1/(nodes/nowhere|nodes/n2/gpus/0|jobs/%25zz|jobs/99/log)$`)

func checkPage(t *testing.T, b *chromium.Browser, address string, look chromium.Look, want []string) {
	t.Helper()
	var page struct {
		Text        string
		Wide, Marks int
	}
	err := b.Eval("({text: document.body.innerText, wide: document.documentElement.scrollWidth, marks: "+
		"document.querySelectorAll('img, iframe, object, [onerror]').length})", &page)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range want {
		if !strings.Contains(page.Text, w) {
			t.Errorf("%s at %d lacks %q: %s", address, look.Width, w, page.Text)
		}
	}
	if page.Marks > 0 || page.Wide > look.Width {
		t.Errorf("%s at %d: %d pixels wide, %d elements of somebody else", address, look.Width, page.Wide, page.Marks)
	}
	var faults []string
	if err := b.Eval(accessibility, &faults); err != nil {
		t.Fatal(err)
	}
	for _, fault := range faults {
		t.Errorf("%s at %d, dark %t: %s", address, look.Width, look.Dark, fault)
	}
	complaints, err := b.Complaints()
	for _, c := range complaints {
		if !absent.MatchString(c) {
			t.Errorf("%s at %d: %s", address, look.Width, c)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

// The page shows a new report by itself, and stays where it is. It requests nothing while it is hidden, and says when
// the server is gone.
func TestPageIsLive(t *testing.T) {
	t.Parallel()
	b, s := chromium.New(t), newSite(t)
	first := "document.querySelector('.gpus td.util')"
	if err := errors.Join(b.Open(s.URL+"/#/node/n1"), b.Wait(first),
		b.Eval("window.kept = "+first+"; document.querySelector('td.gpu a').focus()", nil)); err != nil {
		t.Fatal(err)
	}
	s.report(12, 91)
	if err := b.Wait(first + ".innerText.includes('12%')"); err != nil {
		t.Fatal(err)
	}
	var same bool
	if err := b.Eval("window.kept === "+first+" && document.activeElement === document.querySelector('td.gpu a')",
		&same); err != nil || !same {
		t.Errorf("the row was made anew, or has lost the focus: %v", err)
	}
	hide := func(hidden string) error {
		return b.Eval("Object.defineProperty(document, 'hidden', {value: "+hidden+
			", configurable: true}); document.dispatchEvent(new Event('visibilitychange'))", nil)
	}
	if err := hide("true"); err != nil {
		t.Fatal(err)
	}
	for late := time.Now().Add(10 * time.Second); s.server.streams.Load() > 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(late) {
			t.Fatal("a tab that nobody sees keeps its stream")
		}
	}
	s.report(34, 91)
	if err := errors.Join(hide("false"), b.Wait(first+".innerText.includes('34%')")); err != nil {
		t.Fatal(err)
	}
	s.report(56, 91)
	if err := b.Wait(first + ".innerText.includes('56%')"); err != nil {
		t.Fatal(err)
	}
	s.stop()
	if err := b.Wait("document.body.innerText.includes('The server was stopped')"); err != nil {
		t.Error(err)
	}
}

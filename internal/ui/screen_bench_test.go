package ui

import (
	"context"
	"flag"
	"fmt"
	"hash/fnv"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"golang.org/x/sys/unix"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/store"
	words "github.com/nvnodetop/nvnodetop/internal/health"
	"github.com/nvnodetop/nvnodetop/internal/source/demo"
	"github.com/nvnodetop/nvnodetop/internal/ui/settings"
)

// The world of these measurements: the demo of 8,000 GPUs, the last seconds of which come as they would, one Snapshot
// each second.
const (
	screenNodes   = 1000
	screenGPUs    = 8
	screenSeconds = 10
	screenPoll    = 3 * time.Second
)

var onlyPage = flag.String("page", "", "measure only the pages whose names begin so")

// screenEvents are the Events of the demo up to now.
func screenEvents(b *testing.B) (events []cluster.Event) {
	d := demo.New(screenNodes, screenGPUs, demo.Seed, screenPoll, 10*time.Minute)
	d.Look(cluster.EveryNode, true)
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	now := time.Now()
	if err := d.Run(ctx, func(e cluster.Event) {
		if e.At.After(now) {
			cancel()
		} else {
			events = append(events, e)
		}
	}); err != nil {
		b.Fatal(err)
	}
	return events
}

// stage is a screen on a Store that is fed second by second.
type stage struct {
	*model
	store  *store.Store
	events []cluster.Event // still to come
	now    time.Time
	bytes  counted
}

// counted counts what is written.
type counted int64

// Write counts.
func (t *counted) Write(p []byte) (int, error) {
	*t += counted(len(p))
	return len(p), nil
}

func newStage(events []cluster.Event, w, h int, keys ...string) *stage {
	s := &stage{store: store.New(screenPoll, words.Rules(words.Defaults())), events: events}
	s.pass(events[len(events)-1].At.Add(-screenSeconds * time.Second))
	s.model = newModel(Options{
		Snapshot: s.store.Snapshot, Now: func() time.Time { return s.now }, Controls: &asked{}, Display: time.Second,
		Profile: colorprofile.TrueColor, Choices: settings.Choices{Theme: "dark"},
	}, &s.bytes)
	s.send(tea.WindowSizeMsg{Width: w, Height: h})
	for _, k := range keys {
		s.send(pressed(k))
	}
	s.tick()
	return s
}

// pass lets Events come until then.
func (s *stage) pass(then time.Time) {
	s.now = then
	for len(s.events) > 0 && !s.events[0].At.After(then) {
		s.store.Apply(s.events[0])
		s.events = s.events[1:]
	}
}

// second lets a second pass, and shows it.
func (s *stage) second() {
	s.pass(s.now.Add(time.Second))
	s.tick()
}

func (s *stage) tick() { s.send(tick{s.chain}) }

// send does all from a message to the bytes of the frame.
func (s *stage) send(msg tea.Msg) {
	s.Update(msg)
	s.View()
	s.terminal.Flush()
}

// visits are the keys that lead to the pages from the first one, and the keys that are pressed there. They lead nowhere
// else.
var visits = []struct {
	page string
	to   []string
	at   string
}{
	{"overview, heat map", nil, "down up pgdown pgup end home n N s s u u u u u a a"},
	{"overview, rows", []string{"v"}, "down up right left pgdown end home u s s u u u u"},
	{"overview, over time", []string{"v", "v"}, "down up pgdown end home s s"},
	{"overview, filter", []string{"/"}, "u t i l < 5 0 backspace backspace backspace backspace backspace backspace " +
		"backspace g p u - n 0 0 1 backspace backspace backspace backspace backspace backspace backspace backspace"},
	{"palette", []string{":"}, "n 0 7 7 backspace backspace backspace backspace r a n k space 1 1 down up backspace " +
		"backspace " +
		"backspace backspace backspace backspace backspace"},
	{"node view", []string{"enter"}, "right left . , n N p p C C a a"},
	{"GPU", []string{"enter", "enter"}, "right left down up"},
	{"problems", []string{"!"}, "down up pgdown pgup end home"},
	{"ranks", []string{"m"}, "down up pgdown pgup end home s s s s right left i"},
	{"ranks, filter", []string{"m", "/"}, "s m < 5 0 backspace backspace backspace backspace backspace"},
	{"overview, first letter", nil, "/ u esc"},
	{"ranks, first letter", []string{"m"}, "/ s esc"},
	{"processes, first letter", []string{"5"}, "F s esc"},
	{"problems, filter", []string{"!", "/"}, "n 0 0 backspace backspace backspace"},
	{"processes of a node", []string{"enter", "5"}, "down up pgdown end home right left i space t t"},
	{"processes of the job", []string{"5"}, "down up pgdown end home right left i space t t"},
	{"processes, filter", []string{"5", "F"}, "s m < 5 0 backspace backspace backspace backspace backspace t r a i n " +
		"backspace backspace backspace backspace backspace"},
	{"jobs", []string{"1"}, "down up end home s right left i"},
	{"jobs, filter", []string{"1", "/"}, "4 8 backspace backspace"},
	{"users", []string{"U"}, "down up end home s right left i"},
	{"users, filter", []string{"U", "/"}, "a l backspace backspace"},
	{"connection", []string{"d"}, "right left down up"},
	{"help", []string{"?"}, "pgdown pgup"},
	{"settings", []string{"f2"}, "down up pgdown end home"},
	{"from page to page", nil, "m m 5 2 ! ! enter o 1 2 U U d d ? ? v v v"},
}

// rounds is how often the same keys are pressed in the same story. The least of the times of each counts.
const rounds = 3

// timed returns the CPU time that a function takes, with that of the garbage collector meanwhile. It waits for nothing,
// so on a machine without other work that is how long it takes.
func timed(do func()) time.Duration {
	began := ownCPU()
	do()
	return ownCPU() - began
}

func ownCPU() time.Duration {
	var t unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t)
	return time.Duration(t.Nano())
}

// yardstick is what a fixed piece of work takes: hashing 1 MiB byte by byte. On a machine of 2024 it is about 1 ms.
func yardstick() time.Duration {
	var text [1 << 20]byte
	best := time.Hour
	sum := fnv.New64a()
	for range 30 {
		best = min(best, timed(func() { sum.Write(text[:]) }))
	}
	runtime.KeepAlive(sum.Sum64()) // or the compiler leaves the work out
	return best
}

// part of sorted times.
func quantile(sorted []time.Duration, q float64) time.Duration {
	return sorted[min(int(float64(len(sorted))*q), len(sorted)-1)]
}

func ms(d time.Duration) string { return fmt.Sprintf("%.2f", float64(d)/1e6) }

// printed returns what writes a table, and what ends it.
func printed(heads ...string) (row func(cells ...any), end func()) {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	row = func(cells ...any) {
		for i, c := range cells {
			if i > 0 {
				fmt.Fprint(w, "\t")
			}
			fmt.Fprint(w, c)
		}
		fmt.Fprintln(w)
	}
	head := make([]any, len(heads))
	for i, h := range heads {
		head[i] = h
	}
	row(head...)
	return row, func() { w.Flush() }
}

// visit plays a story, and returns how long the keys and the ticks took. The reports before a tick do not count: among
// real nodes they come one by one.
func visit(s *stage, keys []string) (took, ticks []time.Duration) {
	for range screenSeconds - 1 {
		s.pass(s.now.Add(time.Second))
		ticks = append(ticks, timed(s.tick))
		for _, k := range keys {
			took = append(took, timed(func() { s.send(pressed(k)) }))
		}
	}
	return took, ticks
}

// least keeps the least of the times of each.
func least(best *[]time.Duration, times []time.Duration) {
	if *best == nil {
		*best = times
	}
	for i, d := range times {
		(*best)[i] = min((*best)[i], d)
	}
}

// BenchmarkScreenKeys prints how long it takes from a key to the bytes of its frame, with 8,000 GPUs, for each page.
// Each second there is a new Snapshot, which has to be looked at anew. The garbage collector runs. Like the program, it
// has one thread.
func BenchmarkScreenKeys(b *testing.B) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	events := screenEvents(b)
	size := yardstick()
	fmt.Printf("\nfrom a key to its frame, ms, 200x50, %d nodes of %d GPUs; the yardstick takes %s\n", screenNodes,
		screenGPUs, ms(size))
	row, end := printed("page", "keys", "p50", "p99", "worst", "by", "p99/yardstick", "tick p50")
	var all []time.Duration
	for _, v := range visits {
		if !strings.HasPrefix(v.page, *onlyPage) {
			continue
		}
		var took, ticks []time.Duration
		keys := strings.Fields(v.at)
		for range rounds {
			keyed, ticked := visit(newStage(events, 200, 50, v.to...), keys)
			least(&took, keyed)
			least(&ticks, ticked)
		}
		worst := slices.Index(took, slices.Max(took))
		by := keys[worst%len(keys)]
		all = append(all, took...)
		slices.Sort(took)
		slices.Sort(ticks)
		p99 := quantile(took, 0.99)
		row(v.page, len(took), ms(quantile(took, 0.5)), ms(p99), ms(took[len(took)-1]), by,
			fmt.Sprintf("%.1f", float64(p99)/float64(size)), ms(quantile(ticks, 0.5)))
	}
	slices.Sort(all)
	p99 := quantile(all, 0.99)
	row("all", len(all), ms(quantile(all, 0.5)), ms(p99), ms(all[len(all)-1]), "",
		fmt.Sprintf("%.1f", float64(p99)/float64(size)), "")
	end()
	b.ReportMetric(float64(p99)/1e6, "p99-ms")
	b.ReportMetric(float64(p99)/float64(size), "p99/yardstick")
}

// BenchmarkScreenBytes prints how many bytes a second the screens send that nobody touches, as a share of a whole
// frame.
func BenchmarkScreenBytes(b *testing.B) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	events := screenEvents(b)
	fmt.Printf("\nbytes a second, one Snapshot each second, polls of %v, %d nodes of %d GPUs\n", screenPoll,
		screenNodes, screenGPUs)
	row, end := printed("page", "size", "whole frame", "a second", "share")
	for _, v := range visits {
		if !strings.HasPrefix(v.page, *onlyPage) {
			continue
		}
		for _, size := range [][2]int{{200, 50}, {120, 40}, {80, 24}} {
			s := newStage(events, size[0], size[1], v.to...)
			s.bytes = 0
			s.terminal.Forget()
			s.resolveScene()
			s.send(nil)
			whole := float64(s.bytes)
			s.bytes = 0
			for range screenSeconds - 1 {
				s.second()
			}
			each := float64(s.bytes) / (screenSeconds - 1)
			row(v.page, fmt.Sprintf("%dx%d", size[0], size[1]), int(whole), int(each),
				fmt.Sprintf("1/%.1f", whole/each))
		}
	}
	end()
}

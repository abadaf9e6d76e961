package poller

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// The log has each session with its end, and the same failure ever more seldom; of a failure it has only our own words.
func TestTheLogOfANode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newFakeCluster()
		c.nodes["a"] = &fakeNode{life: 89 * time.Second, fail: func(try int) error {
			switch {
			case try <= 10:
				return &reach.Failure{Class: reach.ClassAuth, Short: "login refused", Detail: "s3cr3t", Cause: "s3cr3t",
					Words: "s3cr3t", Hints: []string{"s3cr3t"}}
			case try == 11:
				return errors.New("odd")
			}
			return nil
		}}
		var text bytes.Buffer
		drop := func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey || a.Key == "retry" {
				return slog.Attr{}
			}
			return a
		}
		log := slog.New(slog.NewTextHandler(&text, &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: drop}))
		m := New(Config{Opener: c, Interval: 3 * time.Second, Retries: 1, Log: log})
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() { m.Run(ctx, func(cluster.Event) {}) })
		m.SetNodes([]string{"a"})
		for c.tries("a") < 13 {
			pass(10 * time.Second)
		}
		pass(10 * time.Second)
		cancel()
		wg.Wait()
		const at = " node=a door=ssh"
		failed := "level=WARN msg=\"attempt failed\"" + at + " class=auth why=\"login refused\" reported=0s times="
		want := strings.Join([]string{
			"level=DEBUG msg=attempt" + at, failed + "1", failed + "2", failed + "4", failed + "8",
			"level=WARN msg=\"attempt failed\"" + at + " class=other why=odd reported=0s times=1",
			"level=INFO msg=\"session begins\"" + at, "level=WARN msg=\"session ended\"" + at +
				" class=closed why=\"connection closed\" reported=1m24s times=1",
			"level=INFO msg=\"session begins\"" + at, "level=INFO msg=\"session closed\"" + at, "",
		}, "\n")
		if text.String() != want {
			t.Errorf("the log is\n%s\nwant\n%s", text.String(), want)
		}
	})
}

// Each signal to a process is a line of the log before it is sent, and another with its result. The log has none of the
// node's words.
func TestTheLogOfSignals(t *testing.T) {
	var text bytes.Buffer
	c := newFakeCluster()
	c.nodes["a"] = &fakeNode{}
	c.answer = func(r wire.Request) (wire.Reply, error) {
		if r.Signal == nil {
			return wire.Reply{}, nil
		}
		if asked := text.String(); strings.Count(asked[strings.LastIndex(asked, "result=")+1:],
			`"signal asked"`) != len(r.Signal.Processes) {
			t.Errorf("sent before the log has it:\n%s", asked)
		}
		switch r.Signal.Number {
		case 9:
			return wire.Reply{Error: "s3cr3t"}, nil
		case 10:
			return wire.Reply{}, errors.New("s3cr3t")
		case 12:
			return wire.Reply{}, fmt.Errorf("%w: s3cr3t", reach.ErrNoReply)
		}
		return wire.Reply{Signaled: []wire.Signaled{
			{PID: 1}, {PID: 2, Error: "s3cr3t", ErrorID: wire.SignalReused}, {PID: 3, ErrorID: "s3cr3t"},
			{PID: 4, Error: "s3cr3t"}, {PID: 7, Error: "s3cr3t", ErrorID: wire.SignalNoAnswer}, {PID: 666},
		}}, nil
	}
	drop := func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}
	synctest.Test(t, func(t *testing.T) {
		m := New(Config{Opener: c, Interval: 3 * time.Second, Retries: 1,
			Log: slog.New(slog.NewTextHandler(&text, &slog.HandlerOptions{ReplaceAttr: drop}))})
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() { m.Run(ctx, func(cluster.Event) {}) })
		m.SetNodes([]string{"a"})
		synctest.Wait()
		text.Reset()
		send := func(node string, number int, pids ...int) {
			s := &wire.Signal{Number: number}
			for _, pid := range pids {
				s.Processes = append(s.Processes, wire.ProcessID{PID: pid, StartTicks: 77})
			}
			_, _ = m.Ask(t.Context(), node, wire.Request{Signal: s})
		}
		send("a", 15, 1, 2, 3, 4, 7, 5, 6)
		send("a", 9, 1)
		send("a", 10, 1)
		send("a", 12, 1)
		send("x", 40, 1)
		_, _ = m.Ask(t.Context(), "a", wire.Request{Environ: &wire.ProcessID{PID: 1}})
		got, asked := "", ""
		for line := range strings.Lines(text.String()) {
			if strings.Contains(line, "asked") {
				asked += line
			} else {
				got += line
			}
		}
		cancel()
		wg.Wait()
		if first := "level=INFO msg=\"signal asked\" node=a pid=1 start=77 signal=TERM\n"; !strings.HasPrefix(asked,
			first) || strings.Count(asked, "\n") != 11 {
			t.Errorf("asked for\n%s", asked)
		}
		line := func(level, node string, pid int, signal, result string) string {
			return fmt.Sprintf("level=%s msg=signal node=%s pid=%d start=77 signal=%s result=%s\n", level, node, pid,
				signal, result)
		}
		want := line("INFO", "a", 1, "TERM", "sent") + line("WARN", "a", 2, "TERM", "reused") +
			line("WARN", "a", 3, "TERM", "unknown") +
			line("WARN", "a", 4, "TERM", "unknown") + line("WARN", "a", 7, "TERM", "no_answer") +
			line("WARN", "a", 5, "TERM", `"not told"`) + line("WARN", "a", 6, "TERM", `"not told"`) +
			line("WARN", "a", 1, "KILL", "refused") + line("WARN", "a", 1, "USR1", `"not sent"`) +
			line("WARN", "a", 1, "USR2", `"no answer, may have arrived"`) + line("WARN", "x", 1, "40", `"not sent"`)
		if got != want {
			t.Errorf("the log is\n%s\nwant\n%s", got, want)
		}
	})
}

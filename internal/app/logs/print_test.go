package logs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/joblog"
	"github.com/nvnodetop/nvnodetop/internal/probe/tail"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// rig prints the log at path.
type rig struct {
	printer
	path      string
	out       *os.File
	questions []joblog.Query

	mu      sync.Mutex // protects the following, which the test changes while the rig prints
	said    bytes.Buffer
	failing error
	waits   string // the job has not begun
	never   bool   // it was canceled before
}

func newRig(t *testing.T, text string) *rig {
	t.Helper()
	dir := t.TempDir()
	r := &rig{path: filepath.Join(dir, "slurm-7.out")}
	r.add(t, text)
	var err error
	if r.out, err = os.Create(filepath.Join(dir, "out")); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.out.Close() })
	r.printer = printer{window: joblog.NewWindow(-firstPiece), from: &logSource{read: r.answer},
		Options: &Options{job: "7", lines: 3, Program: &cli.Program{Streams: cli.Streams{Out: r.out, Err: &r.said}}}}
	return r
}

func (r *rig) answer(_ context.Context, q joblog.Query) (joblog.Piece, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.questions = append(r.questions, q)
	if r.failing != nil {
		return joblog.Piece{}, r.failing
	}
	if r.waits != "" {
		return joblog.Piece{LogPiece: wire.LogPiece{Missing: true}, Waits: r.waits, Never: r.never}, nil
	}
	p, err := tail.Read(wire.ReadLog{Path: r.path, From: q.From, Max: q.Max, Latest: q.Latest})
	return joblog.Piece{LogPiece: *p, Path: r.path, At: time.Now()}, err
}

func (r *rig) add(t *testing.T, text string) {
	t.Helper()
	f, err := os.OpenFile(r.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = f.WriteString(text)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

func (r *rig) printed(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(r.out.Name())
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestLastLines(t *testing.T) {
	r := newRig(t, "1\n2\n3\n\x1b[31m4\nhalf")
	if err := r.printLog(t.Context()); err != nil || r.printed(t) != "3\n4\nhalf\n" {
		t.Errorf("%q, %v", r.printed(t), err)
	}
	r = newRig(t, strings.Repeat(strings.Repeat("x", 99)+"\n", 3000))
	if r.lines = 2000; r.printLog(t.Context()) != nil || strings.Count(r.printed(t), "\n") != 2000 {
		t.Errorf("%d lines", strings.Count(r.printed(t), "\n"))
	}
	r = newRig(t, "")
	os.Remove(r.path)
	if err := r.printLog(t.Context()); err == nil || !strings.Contains(err.Error(), "there is no file") {
		t.Errorf("without a file: %v", err)
	}
	r = newRig(t, "1\n")
	r.stderr = true
	if r.printLog(t.Context()) != nil || r.questions[0].Stream != joblog.Err || r.questions[0].Job != "7" {
		t.Errorf("asked for %+v", r.questions)
	}
}

// Lines are printed once, when they have ended. A log that is gone, replaced or out of reach for a while is followed.
func TestFollow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "1\n2\nha")
		r.follow = true
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- r.printLog(ctx) }()
		for i, step := range []struct {
			do   func()
			want string // printed so far
			said string
		}{
			{func() {}, "1\n2\n", ""},
			{func() { r.add(t, "lf\nnext") }, "1\n2\nhalf\n", ""},
			{func() { r.failing = errors.New("not connected") }, "1\n2\nhalf\n", "not connected"},
			{func() { r.failing = nil; r.add(t, "\n") }, "1\n2\nhalf\nnext\n", ""},
			{func() { os.Remove(r.path) }, "1\n2\nhalf\nnext\n", "there is no file"},
			{func() { r.add(t, "new\n") }, "1\n2\nhalf\nnext\nnew\n", "was emptied or replaced"},
			{func() { r.add(t, strings.Repeat("filler\n", wire.MaxLog)) }, "", "not read: the log grows faster"},
		} {
			r.mu.Lock()
			r.said.Reset()
			step.do()
			r.mu.Unlock()
			time.Sleep(3*pause + pause/2)
			synctest.Wait()
			if got := r.printed(t); step.want != "" && got != step.want {
				t.Errorf("%d: printed %q, want %q", i, got, step.want)
			}
			if got := r.said.String(); strings.Count(got, "\n") > 1 || !strings.Contains(got, step.said) ||
				(step.said == "") != (got == "") {
				t.Errorf("%d: said %q, want %q", i, got, step.said)
			}
		}
		stop()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("it ends with %v", err)
		}
	})
}

// A job that is canceled while its log is awaited ends the following.
func TestFollowUntilCanceled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "another job's\n")
		r.follow, r.waits = true, "job 7 has not begun"
		time.AfterFunc(5*pause+pause/2, func() {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.waits, r.never = "job 7 was canceled", true
		})
		began := time.Now()
		if err := r.printLog(doneAfter(t, 20*pause)); err == nil || err.Error() != "job 7 was canceled" ||
			r.printed(t) != "" ||
			time.Since(began) > 7*pause {
			t.Errorf("%v after %v, printed %q", err, time.Since(began), r.printed(t))
		}
		if err := r.printLog(doneAfter(t, 20*pause)); err == nil || err.Error() != "job 7 was canceled" {
			t.Errorf("at once: %v", err)
		}
	})
}

// A log that stays out of reach ends the following with its reason.
func TestFollowEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "1\n")
		if r.follow = true; r.printLog(doneAfter(t, 2*pause)) == nil {
			t.Error("it ends by itself")
		}
		r = newRig(t, "1\n")
		r.follow = true
		time.AfterFunc(2*pause, func() {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.failing = fmt.Errorf("not connected")
		})
		began := time.Now()
		if err := r.printLog(t.Context()); err == nil || err.Error() != "not connected" || time.Since(began) > 15*pause {
			t.Errorf("%v after %v", err, time.Since(began))
		}
	})
}

// Lines before those that the user wants are not printed later either. A line that has begun counts as one of them.
func TestFollowFromTheEnd(t *testing.T) {
	for lines, want := range []string{0: "next\n", 1: "half\nnext\n", 2: "3\nhalf\nnext\n"} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, "1\n2\n3\nha")
			r.follow, r.lines = true, lines
			time.AfterFunc(pause+pause/2, func() {
				r.mu.Lock()
				defer r.mu.Unlock()
				r.add(t, "lf\nnext\n")
			})
			if err := r.printLog(doneAfter(t, 4*pause)); !errors.Is(err, context.DeadlineExceeded) || r.printed(t) != want {
				t.Errorf("%d lines: %q, %v", lines, r.printed(t), err)
			}
		})
	}
}

// The following ends when nobody reads it, though the log does not grow.
func TestNobodyReads(t *testing.T) {
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	r := newRig(t, "1\n2\n")
	r.follow, r.Out = true, out
	time.AfterFunc(pause/2, func() { in.Close() })
	exit, is := errors.AsType[*cli.ExitError](r.printLog(doneAfter(t, 10*pause)))
	if !is || exit.Code != 141 || exit.Err != nil {
		t.Errorf("it ends with %v", exit)
	}
}

func doneAfter(t *testing.T, after time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), after)
	t.Cleanup(cancel)
	return ctx
}

package joblog

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// place of a file in TestWhereALogIsRead.
type at struct {
	here, shared, old bool // this host has it; on the network; from before the job
	hereErr           error
	node              string // "has", "lacks", "refuses" or "" (cannot be asked)
}

func TestWhereALogIsRead(t *testing.T) {
	for name, test := range map[string]struct {
		at   at
		away bool   // SLURM is asked on another host: "here" is that one
		want string // "here", "node", "missing", or words of the error
	}{
		"on the network":              {at{here: true, shared: true, node: "has"}, false, "here"},
		"local to the node":           {at{node: "has"}, false, "node"},
		"another file of that name":   {at{here: true, node: "has"}, false, "node"},
		"only here, after the job":    {at{here: true}, false, "here"},
		"from before the job":         {at{here: true, old: true}, false, "not connected"},
		"nowhere":                     {at{node: "lacks"}, false, "missing"},
		"node lacks it, this has it":  {at{here: true, node: "lacks"}, false, "here"},
		"hangs here":                  {at{hereErr: errors.New("it hangs"), node: "has"}, false, "node"},
		"hangs here, no node":         {at{hereErr: errors.New("it hangs")}, false, "it hangs"},
		"refused on the node":         {at{node: "refuses"}, false, "node01: is a ?FIFO"},
		"with --login":                {at{here: true, shared: true, node: "has"}, true, "node"},
		"with --login, node is gone":  {at{here: true}, true, "here"},
		"with --login, older":         {at{here: true, old: true}, true, "older than the job"},
		"with --login, node lacks it": {at{here: true, node: "lacks"}, true, "here"},
		"with --login, nowhere":       {at{}, true, "no file \"/o\" here"},
	} {
		r := NewReader(Sources{
			Find: func(context.Context, string) (*cluster.LogFiles, error) {
				return &cluster.LogFiles{Out: "/o", Err: "/o", Host: "node01", User: "alice", Start: noon}, nil
			},
			Ask: func(_ context.Context, _ string, q wire.Request) (reply wire.Reply, err error) {
				switch test.at.node {
				case "has":
					reply.Log = &wire.LogPiece{Size: 4, Data: []byte("node")}
				case "lacks":
					reply.Log = &wire.LogPiece{Missing: true}
				case "refuses":
					reply.Error = "is a \x07FIFO"
				default:
					err = errors.New("not connected")
				}
				return reply, err
			},
			User: "alice", Host: "login1",
		})
		if test.away {
			r.from.Login = r.read
		}
		r.read = func(wire.ReadLog) (*wire.LogPiece, error) {
			p := &wire.LogPiece{Missing: !test.at.here, Shared: test.at.shared, ModMS: noon.UnixMilli() + 1}
			if test.at.old {
				p.ModMS = noon.UnixMilli() - 1
			}
			return p, test.at.hereErr
		}
		for range 2 { // where it was read before, too
			p, err := r.Read(t.Context(), Query{Job: "7", Max: 4})
			got := "here"
			switch {
			case err != nil:
				got = err.Error()
			case p.Missing:
				got = "missing"
			case p.Node != "":
				got = "node"
			}
			if !strings.Contains(got, test.want) {
				t.Errorf("%s: %s, want %s", name, got, test.want)
			}
		}
	}
}

// reader reads the log of job 7.
func reader(files cluster.LogFiles, read func(wire.ReadLog) (*wire.LogPiece, error)) (r *Reader, asked *int) {
	asked = new(int)
	r = NewReader(Sources{Find: func(context.Context, string) (*cluster.LogFiles, error) {
		*asked++
		return &files, nil
	}, Ask: func(context.Context, string, wire.Request) (wire.Reply, error) {
		return wire.Reply{}, errors.New("not connected")
	}, User: "alice", Host: "login1"})
	r.read = read
	return r, asked
}

func TestNoLog(t *testing.T) {
	for words, files := range map[string]cluster.LogFiles{
		"belongs to \"bob\"": {Out: "/o", User: "bob"},
		"no batch script":    {User: "alice"},
		"to /dev/null":       {Out: "/dev/null", User: "alice"},
		"not started":        {Out: "/o", User: "alice"},
	} {
		r, _ := reader(files, func(wire.ReadLog) (*wire.LogPiece, error) {
			return nil, errors.New("not started")
		})
		if p, err := r.Read(t.Context(), Query{Job: "7", Max: 1}); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%+v: %+v, %v, want %q", files, p, err, words)
		}
	}
}

// A file system that does not respond holds one goroutine, says so, and is read again when it responds.
func TestHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		back, reads := make(chan struct{}), atomic.Int32{}
		r, asked := reader(cluster.LogFiles{Out: "/nfs/o", User: "alice", Host: "node01"},
			func(wire.ReadLog) (*wire.LogPiece, error) {
				reads.Add(1)
				<-back
				return &wire.LogPiece{Size: 2, Data: []byte("ok"), Shared: true}, nil
			})
		for i := range 5 {
			began := time.Now()
			_, err := r.Read(t.Context(), Query{Job: "7", Max: 1})
			if err == nil || !strings.Contains(err.Error(), `reading "/nfs/o" has hung for`) ||
				time.Since(began) > patience || reads.Load() != 1 {
				t.Errorf("%d: %v after %v, %d reads", i, err, time.Since(began), reads.Load())
			}
		}
		time.Sleep(2 * keepFiles)
		if _, err := r.Read(t.Context(), Query{Job: "7", Max: 1}); err == nil || reads.Load() != 1 || *asked != 1 {
			t.Errorf("%v, %d reads, SLURM was asked %d times", err, reads.Load(), *asked)
		}
		close(back)
		synctest.Wait()
		if p, err := r.Read(t.Context(), Query{Job: "7", Max: 1}); err != nil || string(p.Data) != "ok" {
			t.Errorf("%+v, %v", p, err)
		}
	})
}

// SLURM is asked once for a log that grows, at most once a minute for one that cannot be read, and less and less often
// for one that does not grow.
func TestSLURMIsAskedSeldom(t *testing.T) {
	for name, test := range map[string]struct {
		missing bool
		growth  int64
		most    int // questions in an hour, after the first
		least   int
	}{"grows": {growth: 1}, "missing": {missing: true, most: 60, least: 55}, "quiet": {most: 6, least: 5}} {
		synctest.Test(t, func(t *testing.T) {
			size := int64(0)
			r, asked := reader(cluster.LogFiles{Out: "/o", Err: "/e", User: "alice", Host: "login1"},
				func(wire.ReadLog) (*wire.LogPiece, error) {
					size += test.growth
					return &wire.LogPiece{Missing: test.missing, Size: size}, nil
				})
			for range 3600 {
				time.Sleep(time.Second)
				if _, err := r.Read(t.Context(), Query{Job: "7", Max: 1}); err != nil {
					t.Fatal(err)
				}
			}
			if n := *asked - 1; n > test.most || n < test.least {
				t.Errorf("%s: asked %d times more", name, n)
			}
		})
	}
}

// Where nobody waits for a log, SLURM is asked once for its files, and every 10 minutes if it has named none.
func TestNobodyWaits(t *testing.T) {
	for name, test := range map[string]struct {
		files cluster.LogFiles
		err   error
		most  int // questions in an hour, after the first
		least int
	}{"missing": {files: cluster.LogFiles{Out: "/o", User: "alice", Host: "login1"}},
		"no files": {err: errors.New("no log"), most: 6, least: 5}} {
		synctest.Test(t, func(t *testing.T) {
			r, asked := reader(test.files, func(wire.ReadLog) (*wire.LogPiece, error) {
				return &wire.LogPiece{Missing: true}, nil
			})
			if find := r.from.Find; test.err != nil {
				r.from.Find = func(ctx context.Context, job string) (*cluster.LogFiles, error) {
					_, _ = find(ctx, job)
					return nil, test.err
				}
			}
			for range 3600 {
				time.Sleep(time.Second)
				_, _ = r.Read(t.Context(), Query{Job: "7", Max: 1, Seldom: true})
			}
			if n := *asked - 1; n > test.most || n < test.least {
				t.Errorf("%s: asked %d times more", name, n)
			}
		})
	}
}

// A job that has started again on another node is followed there. SLURM's failures change nothing, and a question that
// SLURM does not answer holds a read up for a moment only.
func TestRequeued(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		now, down, nodes := "node01", false, []string{}
		r := NewReader(Sources{User: "alice", Host: "login1",
			Find: func(ctx context.Context, _ string) (*cluster.LogFiles, error) {
				if down {
					<-ctx.Done()
					return nil, ctx.Err()
				}
				return &cluster.LogFiles{Out: "/tmp/o", User: "alice", Host: now}, nil
			},
			Ask: func(_ context.Context, node string, _ wire.Request) (wire.Reply, error) {
				nodes = append(nodes, node)
				return wire.Reply{Log: &wire.LogPiece{Size: 2}}, nil
			}})
		r.read = func(wire.ReadLog) (*wire.LogPiece, error) { return &wire.LogPiece{Missing: true}, nil }
		last := func() string {
			t.Helper()
			began := time.Now()
			if _, err := r.Read(t.Context(), Query{Job: "7", Max: 4}); err != nil || time.Since(began) > doubtful {
				t.Fatal(err, time.Since(began))
			}
			return nodes[len(nodes)-1]
		}
		if got := last(); got != "node01" {
			t.Error(got)
		}
		now, down = "node02", true
		time.Sleep(keepFiles)
		if got := last(); got != "node01" {
			t.Errorf("SLURM does not answer: %s", got)
		}
		down = false
		time.Sleep(2 * keepFiles)
		if got := last(); got != "node02" {
			t.Errorf("requeued: %s", got)
		}
	})
}

// A read that hangs since before SLURM was asked again says since when.
func TestHangsSinceBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		back := make(chan struct{})
		defer close(back)
		r, _ := reader(cluster.LogFiles{Out: "/nfs/o", User: "alice", Host: "login1"},
			func(wire.ReadLog) (*wire.LogPiece, error) { <-back; return &wire.LogPiece{}, nil })
		_, _ = r.Read(t.Context(), Query{Job: "7", Max: 1})
		before := r.jobs["7"]
		r.from.Find = func(context.Context, string) (*cluster.LogFiles, error) {
			next := *before.files
			next.Host = "node02"
			return &next, nil
		}
		if _, err := r.askFiles(t.Context(), &Query{Job: "7"}, before); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Read(t.Context(), Query{Job: "7", Max: 1}); err == nil ||
			!strings.Contains(err.Error(), "has hung for 8s") {
			t.Errorf("it says %v", err)
		}
	})
}

// A job that waits says why, and its log is there once it begins. Before, a file of that name is another job's, unless
// the job was requeued. A job that was canceled before it began has none either.
func TestWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		files := cluster.LogFiles{ID: "7", Out: "/o", User: "alice", Waits: "Prio\x07rity",
			Expected: time.Now().Add(time.Hour)}
		r := NewReader(Sources{User: "alice", Host: "login1",
			Find: func(context.Context, string) (*cluster.LogFiles, error) { return new(files), nil },
			Ask: func(context.Context, string, wire.Request) (wire.Reply, error) {
				return wire.Reply{}, errors.New("not connected")
			}})
		r.read = func(wire.ReadLog) (*wire.LogPiece, error) {
			return &wire.LogPiece{Shared: true, Data: []byte("x"), Size: 1}, nil
		}
		want := "job 7 has not begun: SLURM's reason is Prio?rity, it expects the start at " +
			files.Expected.Format("15:04")
		read := func() Piece {
			t.Helper()
			time.Sleep(keepNone)
			p, err := r.Read(t.Context(), Query{Job: "7", Max: 4})
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
		if p := read(); p.Absence() != want || !p.Missing || p.Never || len(p.Data) > 0 {
			t.Errorf("%q, %+v", p.Absence(), p)
		}
		files.Again = true
		if p := read(); p.Missing || !p.Earlier || p.Waits != "" || string(p.Data) != "x" {
			t.Errorf("requeued: %+v", p)
		}
		files = cluster.LogFiles{ID: "7", Out: "/o", User: "alice", Host: "node01", Start: time.Now()}
		if p := read(); p.Missing || p.Earlier || p.Waits != "" {
			t.Errorf("%+v", p)
		}
		files = cluster.LogFiles{ID: "7", Out: "/o", User: "alice", Ended: true, Unused: true}
		time.Sleep(keepFiles)
		if p := read(); !p.Missing || !p.Never || !strings.Contains(p.Absence(), "canceled before it began") {
			t.Errorf("canceled: %+v", p)
		}
	})
}

// A name that was guessed is right only if the file is there, and not older than the job.
func TestGuessed(t *testing.T) {
	for name, test := range map[string]struct {
		piece wire.LogPiece
		right bool
	}{
		"there": {wire.LogPiece{Shared: true, ModMS: noon.UnixMilli()}, true},
		"older": {wire.LogPiece{Shared: true, ModMS: noon.UnixMilli() - 1}, false},
		"none":  {wire.LogPiece{Missing: true, Shared: true}, false},
	} {
		r, _ := reader(cluster.LogFiles{Out: "/slurm-7.out", User: "alice", Host: "login1", Start: noon, Guessed: true},
			func(wire.ReadLog) (*wire.LogPiece, error) { return new(test.piece), nil })
		_, err := r.Read(t.Context(), Query{Job: "7", Max: 4})
		if (err == nil) != test.right || err != nil && !strings.Contains(err.Error(), "--output of its batch script") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What SLURM does not know is not asked for with each read.
func TestUnknownJob(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		r := NewReader(Sources{Find: func(context.Context, string) (*cluster.LogFiles, error) {
			asked++
			return nil, errors.New("no such job")
		}})
		for range 60 {
			if _, err := r.Read(t.Context(), Query{Job: "7", Max: 4}); err == nil || err.Error() != "no such job" {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
		}
		if asked != 6 {
			t.Errorf("asked %d times", asked)
		}
	})
}

// However many logs are on a file system that does not respond, few reads hang.
func TestManyHang(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		back, reads := make(chan struct{}), atomic.Int32{}
		r, _ := reader(cluster.LogFiles{Out: "/nfs/o", User: "alice", Host: "login1"},
			func(wire.ReadLog) (*wire.LogPiece, error) {
				reads.Add(1)
				<-back
				return &wire.LogPiece{}, nil
			})
		read := func(job int) error {
			_, err := r.Read(t.Context(), Query{Job: strconv.Itoa(job), Max: 1})
			return err
		}
		for job := range 20 {
			if err := read(job); err == nil {
				t.Errorf("job %d was read", job)
			}
		}
		if n := reads.Load(); n != maxReads {
			t.Errorf("%d reads", n)
		}
		close(back)
		synctest.Wait()
		for job := range 20 {
			if err := read(job); err != nil {
				t.Error(err)
			}
		}
	})
}

package joblog

import (
	"context"
	"errors"
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
		away bool
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
		"with --login, node is gone":  {at{here: true, shared: true}, true, "not connected"},
		"with --login, node lacks it": {at{here: true, shared: true, node: "lacks"}, true, "missing"},
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
			User: "alice", Host: "login1", Away: test.away,
		})
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

// SLURM is asked once for a log that can be read, and at most once a minute for one that cannot.
func TestSLURMIsAskedSeldom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		missing := false
		r, asked := reader(cluster.LogFiles{Out: "/o", Err: "/e", User: "alice", Host: "login1"},
			func(wire.ReadLog) (*wire.LogPiece, error) { return &wire.LogPiece{Missing: missing}, nil })
		for want, gone := range []bool{0: false, 1: true, 2: true} {
			missing = gone
			for range 120 {
				time.Sleep(time.Second)
				if _, err := r.Read(t.Context(), Query{Job: "7", Max: 1}); err != nil {
					t.Fatal(err)
				}
			}
			if *asked > 1+2*want {
				t.Errorf("asked %d times", *asked)
			}
		}
	})
}

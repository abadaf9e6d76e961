package demo

import (
	"bytes"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/hang/nccl"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// NCCL of a job that hangs names the rank that loads data; that of another one moves.
func TestWhatNCCLSays(t *testing.T) {
	for _, nodes := range []int{4, 128} {
		hangs := New(nodes, 8, Seed, 3*time.Second, time.Minute).Hang().world
		moves := New(nodes, 8, Seed, 3*time.Second, time.Minute).world
		v := verdictOf(t, hangs)
		if v.State != nccl.Stuck || len(v.Causes) != 1 || v.Members < 32 || v.Waiting != v.Members-1 {
			t.Fatalf("%d nodes: %+v", nodes, v)
		}
		for _, h := range hangs.hosts {
			for g := range h.gpus {
				if !h.isTraining() {
					continue
				}
				r, cause := rankOfRAS(hangs, h, g, time.Minute), v.Causes[0]
				if is := r.PID == cause.PID && r.Host == cause.Host; is != (h.gpus[g].fate&lags != 0) {
					t.Errorf("%d nodes: PID %d on %s: cause %t", nodes, r.PID, h.name, is)
				}
			}
		}
		if v := verdictOf(t, moves); v.State != nccl.Moving || v.Moved != v.Members {
			t.Errorf("%d nodes: %+v", nodes, v)
		}
	}
}

func verdictOf(t *testing.T, w *world) *nccl.Verdict {
	t.Helper()
	var answers [2]*nccl.Answer
	for i := range answers {
		at := time.Minute + time.Duration(i)*4*time.Second
		for _, h := range w.hosts {
			if !h.isTraining() || answers[i] != nil {
				continue
			}
			p := w.makeProcess(h, 0, at)
			piece, err := probe{h, w, at}.answerRAS(&wire.AskRAS{ProcessID: wire.ProcessID{PID: p.PID,
				StartTicks: p.StartTicks}})
			if err != nil {
				t.Fatal(err)
			}
			if answers[i], err = nccl.Read(bytes.NewReader(piece.Data)); err != nil || answers[i].Cut ||
				len(piece.Data) > wire.MaxRASPiece {
				t.Fatalf("%d bytes: %+v, %v", len(piece.Data), answers[i], err)
			}
		}
	}
	return nccl.Judge(answers[0], answers[1], nil)
}

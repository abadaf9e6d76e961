package demo

import (
	"errors"
	"fmt"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/source/demo/site"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// answerRAS returns what NCCL says about the training job.
func (n probe) answerRAS(q *wire.AskRAS) (*wire.RASPiece, error) {
	p, gpu, err := n.identifyProcess(q.ProcessID)
	switch {
	case err != nil:
		return nil, err
	case p.User != me || !n.isTraining() || n.gpus[gpu].use.job != trainingID:
		return nil, errors.New("no RAS of NCCL listens at port 28028: the job has no NCCL 2.24 or newer, or has not " +
			"used it yet")
	}
	var nodes [][]site.RASRank
	for _, h := range n.world.hosts {
		if !h.isTraining() {
			continue
		}
		var ranks []site.RASRank
		for g := range h.gpus {
			if n.world.hasProcess(h, g, n.now) {
				ranks = append(ranks, rankOfRAS(n.world, h, g, n.now))
			}
		}
		nodes = append(nodes, ranks)
	}
	return site.RASAnswer(nodes)
}

// rankOfRAS returns a rank with the number of AllReduces that it has launched.
func rankOfRAS(w *world, h *host, gpu int, now time.Duration) site.RASRank {
	launched := 66_502
	switch lags := h.gpus[gpu].fate&lags != 0; {
	case !w.hangsAt(h, now):
		launched = int((h.uptimeAtStart()+now)/(100*time.Millisecond)) % 10_000_000
	case lags:
		launched--
	}
	return site.NewRASRank(fmt.Sprintf("10.20.%d.%d", h.number/200, 1+h.number%200), w.makeProcess(h, gpu, now).PID, gpu,
		launched)
}

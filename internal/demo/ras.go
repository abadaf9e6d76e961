package demo

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// What RAS of NCCL 2.28.7 and newer writes in JSON, as far as somebody reads it.
type (
	rasAnswer struct {
		Version string    `json:"nccl_version"`
		Comms   []rasComm `json:"communicators"`
	}
	rasComm struct {
		Hash    string    `json:"hash"`
		Size    int       `json:"size"`
		Ranks   []rasRank `json:"ranks"`
		Missing []rasRank `json:"missing_ranks"`
	}
	rasRank struct {
		Rank   int            `json:"rank"`
		Host   string         `json:"host"`
		PID    int            `json:"pid"`
		NVML   int            `json:"nvml_dev"`
		Status map[string]int `json:"status"`
		Counts map[string]int `json:"collective_counts"`
	}
)

// wholeOnly is the number of ranks above which only the communicator of all ranks fits into one piece.
const wholeOnly = 512

// ras is what NCCL says of the training job: a communicator of all ranks, and one of the ranks of each node.
func (n probe) ras(q *wire.AskRAS) (*wire.RASPiece, error) {
	p, gpu, err := n.the(q.ProcessID)
	switch {
	case err != nil:
		return nil, err
	case p.User != me || !n.trains() || n.gpus[gpu].use.job != trainingID:
		return nil, errors.New("no RAS of NCCL listens at port 28028: the job has no NCCL 2.24 or newer, or has not " +
			"used it yet")
	}
	answer := rasAnswer{Version: "2.28.9", Comms: []rasComm{{Hash: "0x5fe1d0a94d3b9c11", Missing: []rasRank{}}}}
	for i, h := range n.world.hosts {
		if !h.trains() {
			continue
		}
		node := rasComm{Hash: fmt.Sprintf("0x77ab%012x", i), Missing: []rasRank{}}
		for g := range h.gpus {
			if n.world.runs(h, g, n.now) {
				r := rankOfRAS(n.world, h, g, n.now)
				node.Ranks = append(node.Ranks, r)
				r.Counts = map[string]int{"AllReduce": r.Counts["AllReduce"] / 8}
				answer.Comms[0].Ranks = append(answer.Comms[0].Ranks, r)
			}
		}
		node.Size = len(node.Ranks)
		answer.Comms = append(answer.Comms, node)
	}
	all := &answer.Comms[0]
	if all.Size = len(all.Ranks); all.Size > wholeOnly {
		answer.Comms = answer.Comms[:1]
	}
	for i := range answer.Comms {
		for k := range answer.Comms[i].Ranks {
			answer.Comms[i].Ranks[k].Rank = k
		}
	}
	text, err := json.Marshal(answer)
	return &wire.RASPiece{Address: "127.0.0.1:28028", Data: slices.Concat([]byte("SERVER PROTOCOL 2\nOK\nOK\n"), text)},
		err
}

// rankOfRAS is a rank with what it has launched in the communicator of its node: eight times as much as in that of all.
func rankOfRAS(w *world, h *host, gpu int, now time.Duration) rasRank {
	p := w.process(h, gpu, now)
	launched := 66_502
	switch lags := h.gpus[gpu].fate&lags != 0; {
	case !w.hangsAt(h, now):
		launched = int((h.booted()+now)/(100*time.Millisecond)) % 10_000_000
	case lags:
		launched--
	}
	return rasRank{Host: fmt.Sprintf("10.20.%d.%d", h.number/200, 1+h.number%200), PID: p.PID, NVML: gpu,
		Status: map[string]int{"init_state": 0, "async_error": 0}, Counts: map[string]int{"AllReduce": 8 * launched}}
}

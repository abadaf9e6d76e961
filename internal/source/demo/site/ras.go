package site

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// The JSON of NCCL 2.28.7 and newer, as far as it is used.
type (
	rasDocument struct {
		Version string         `json:"nccl_version"`
		Comms   []communicator `json:"communicators"`
	}
	communicator struct {
		Hash    string    `json:"hash"`
		Size    int       `json:"size"`
		Ranks   []RASRank `json:"ranks"`
		Missing []RASRank `json:"missing_ranks"`
	}
)

// RASRank is a rank of a communicator.
type RASRank struct {
	Rank   int            `json:"rank"`
	Host   string         `json:"host"` // its address
	PID    int            `json:"pid"`
	NVML   int            `json:"nvml_dev"`
	Status map[string]int `json:"status"`
	Counts map[string]int `json:"collective_counts"`
}

// ofWhole is how many AllReduces all ranks of a node launch for each one that all ranks of the job launch.
const ofWhole = 8

// NewRASRank returns a rank that has launched that many AllReduces with all ranks of the job.
func NewRASRank(host string, pid, gpu, launched int) RASRank {
	return RASRank{Host: host, PID: pid, NVML: gpu, Status: map[string]int{"init_state": 0, "async_error": 0},
		Counts: map[string]int{"AllReduce": ofWhole * launched}}
}

// wholeOnly is the number of ranks above which a piece only has room for the communicator of all ranks.
const wholeOnly = 512

// RASAnswer returns the answer about a job with ranks on nodes: one communicator of all ranks, and one for the ranks of
// each node.
func RASAnswer(nodes [][]RASRank) (*wire.RASPiece, error) {
	all := newCommunicator("0x5fe1d0a94d3b9c11", slices.Concat(nodes...))
	for i := range all.Ranks {
		all.Ranks[i].Counts = map[string]int{"AllReduce": all.Ranks[i].Counts["AllReduce"] / ofWhole}
	}
	a := rasDocument{Version: "2.29.7", Comms: []communicator{all}}
	for i, ranks := range nodes {
		if all.Size <= wholeOnly {
			a.Comms = append(a.Comms, newCommunicator(fmt.Sprintf("0x77ab%012x", i), ranks))
		}
	}
	text, err := json.Marshal(a)
	return &wire.RASPiece{Address: "127.0.0.1:28028",
		Data: slices.Concat([]byte("SERVER PROTOCOL 2\nOK\nOK\n"), text)}, err
}

func newCommunicator(hash string, ranks []RASRank) communicator {
	c := communicator{Hash: hash, Size: len(ranks), Ranks: slices.Clone(ranks), Missing: []RASRank{}}
	for i := range c.Ranks {
		c.Ranks[i].Rank = i
	}
	return c
}

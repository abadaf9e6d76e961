package export

import (
	"math"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/tally"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

type process struct {
	PID        int      `json:"pid"`
	Start      uint64   `json:"start_ticks,omitempty"`
	GPU        *int     `json:"gpu,omitempty"`     // gpus[].index
	Key        string   `json:"gpu_key,omitempty"` // gpus[].key, of one without an index
	Type       string   `json:"type"`
	State      string   `json:"state,omitempty"`
	User       string   `json:"user,omitempty"`
	Name       string   `json:"name,omitempty"`
	Command    string   `json:"command,omitempty"`
	Directory  string   `json:"directory,omitempty"`
	Parent     int      `json:"parent_pid,omitempty"`
	Job        string   `json:"job_number,omitempty"`
	Step       string   `json:"step,omitempty"`
	Rank       *int     `json:"rank,omitempty"`
	LocalRank  *int     `json:"local_rank,omitempty"`
	World      *int     `json:"world_size,omitempty"`
	RankFrom   string   `json:"rank_variable,omitempty"`
	Foreign    bool     `json:"foreign,omitempty"`
	Memory     *uint64  `json:"gpu_memory_bytes,omitempty"`
	GPUShare   *float64 `json:"gpu_memory_percent,omitempty"`
	SM         *int     `json:"sm_percent,omitempty"`
	MemUtil    *int     `json:"mem_util_percent,omitempty"`
	Encoder    *int     `json:"encoder_percent,omitempty"`
	Decoder    *int     `json:"decoder_percent,omitempty"`
	CPU        *float64 `json:"cpu_percent,omitempty"`
	RSS        *uint64  `json:"rss_bytes,omitempty"`
	HostMemory *float64 `json:"host_memory_percent,omitempty"`
	Threads    *int     `json:"threads,omitempty"`
	Elapsed    *int64   `json:"elapsed_seconds,omitempty"`
}

func newProcess(n *cluster.Node, g *cluster.GPU, p *wire.Process) process {
	out := process{
		PID: p.PID, Start: p.StartTicks, Type: p.Type, State: p.State, User: p.User, Name: p.Name, Command: p.Command, Directory: p.Directory,
		Parent: p.Parent, Job: p.Job, Step: p.Step, Foreign: p.Foreign, Memory: p.GPUMemory, SM: p.SMPercent, MemUtil: p.MemPercent,
		Encoder: p.EncPercent, Decoder: p.DecPercent, CPU: p.CPUPercent, RSS: p.RSS, Threads: p.Threads, Elapsed: p.ElapsedSec,
	}
	out.GPU, out.Key = nameOf(g)
	out.GPUShare, out.HostMemory = percent(tally.GPUShare(g, p)), percent(tally.HostPercent(n, p))
	if r := p.Rank; r != nil {
		out.Rank, out.LocalRank, out.World, out.RankFrom = &r.Rank, r.Local, r.World, r.From
	}
	return out
}

// percent is a share, to two decimals; nil if it is not known.
func percent(value float64, known bool) *float64 {
	if !known {
		return nil
	}
	value = math.Round(100*value) / 100
	return &value
}

// rank is one rank of a job on one GPU, or without one.
type rank struct {
	Rank     int       `json:"rank"`
	World    *int      `json:"world_size,omitempty"`
	State    string    `json:"state"`
	Node     string    `json:"node,omitempty"`
	GPU      *int      `json:"gpu,omitempty"`
	Key      string    `json:"gpu_key,omitempty"` // of a GPU without a number
	PID      int       `json:"pid,omitempty"`
	LastSeen time.Time `json:"last_seen,omitzero"`
}

var rankStates = map[tally.RankState]string{
	tally.RankRuns: "runs", tally.RankGone: "gone", tally.RankUnseen: "never_seen", tally.RankUnknown: "unknown",
}

func newRanks(s *cluster.Snapshot, job *cluster.JobView) (list []rank) {
	for _, row := range tally.Ranks(s, job) {
		if row.Rank == nil {
			continue
		}
		r := rank{Rank: row.Rank.Rank, World: row.Rank.World, State: rankStates[row.State], Node: row.Node, LastSeen: row.LastSeen}
		if row.Number != cluster.NoNumber {
			r.GPU = &row.Number
		} else if row.GPU != nil {
			r.Key = row.GPU.Key
		}
		if row.Process != nil {
			r.PID = row.Process.PID
		}
		list = append(list, r)
	}
	return list
}

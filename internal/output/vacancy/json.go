package vacancy

import (
	_ "embed"
	"io"
	"math"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/lib/text"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// Schema is the JSON Schema of the documents of JSON.
//
//go:embed schema.json
var Schema []byte

// version is the version of these documents. It is in a field that nvgpu and gpustat do not have. The meaning of a
// field changes only with it.
const version = 1

// agent is the answer of an nvgpu agent to /gpu_status, with nvgpu's names and forms: an unknown value is null.
type agent struct {
	Version  int        `json:"version"`
	Hostname string     `json:"hostname"`
	GPUs     []agentGPU `json:"gpus"`
}

// silentAgent is the entry in nvgpu's /cluster_status for an agent that does not answer.
type silentAgent struct {
	Version int    `json:"version"`
	Error   string `json:"error"`
}

type agentGPU struct {
	gpuInfo
	Type        string       `json:"type"`
	Available   bool         `json:"is_available"`
	PIDs        string       `json:"pids"`
	Users       string       `json:"users"` // one for each process
	Since       *string      `json:"running_since"`
	Utilization *int64       `json:"utilization"`
	Memory      *agentMemory `json:"memory"`
	Clock       *int64       `json:"clock_mhz"`
	Temperature *int64       `json:"temperature"`
	Command     *string      `json:"cmd"`
}

// gpuInfo has the fields of nvgpu's gpu_info that an agent's answer does not have.
type gpuInfo struct {
	Index   string   `json:"index"`
	UUID    *string  `json:"uuid"`
	Used    *int64   `json:"mem_used"`  // MiB
	Total   *int64   `json:"mem_total"` // MiB
	Percent *float64 `json:"mem_used_percent"`
}

func (g *GPU) makeInfo() gpuInfo {
	used, total := g.memoryUse()
	info := gpuInfo{Index: g.Index, UUID: textOrNil(g.Card.UUID), Used: toMebibytes(used), Total: toMebibytes(total)}
	if percent, known := cluster.Percent(used, total); known {
		info.Percent = &percent
	}
	return info
}

// agentMemory is NVML's memory of a GPU, in bytes.
type agentMemory struct {
	Total int64 `json:"total"`
	Free  int64 `json:"free"`
	Used  int64 `json:"used"`
}

// Agent returns a node in the form in which nvgpu's agents report it at /gpu_status. A node that does not report is an
// error.
func Agent(n *Node, at time.Time) any {
	if !tally.HasNumbers(n.Node) {
		return silentAgent{version, missingReason(n.Node)}
	}
	return agent{Version: version, Hostname: n.Host(), GPUs: n.agentGPUs(at)}
}

// Agents returns several nodes in the form in which one agent, on host, reports them. A single node has the form of
// Agent.
func Agents(host string, nodes []Node, at time.Time) any {
	if len(nodes) == 1 {
		return Agent(&nodes[0], at)
	}
	all := agent{Version: version, Hostname: host, GPUs: []agentGPU{}}
	for i := range nodes {
		all.GPUs = append(all.GPUs, nodes[i].agentGPUs(at)...)
	}
	return all
}

func (n *Node) agentGPUs(at time.Time) []agentGPU {
	list := []agentGPU{}
	for i := range n.GPUs {
		g := &n.GPUs[i]
		list = append(list, agentGPU{
			gpuInfo: g.makeInfo(),
			Type:    g.Card.Name, Available: g.State == Free, PIDs: g.joinPIDs(), Users: strings.Join(g.userNames(), ","),
			Since:       textOrNil(g.processAge(n.Node, at)),
			Utilization: wholeOrNil(g.Float(metric.Util)), Memory: g.agentMemory(), Clock: wholeOrNil(g.Float(metric.SMClock)),
			Temperature: wholeOrNil(g.Float(metric.Temperature)), Command: textOrNil(g.firstCommand()),
		})
	}
	return list
}

func (g *GPU) agentMemory() *agentMemory {
	bytes, of := g.memoryUse()
	used, total := wholeOrNil(bytes), wholeOrNil(of)
	if used == nil || total == nil {
		return nil
	}
	return &agentMemory{*total, max(*total-*used, 0), *used}
}

// gpustatHost is a host as gpustat prints it, with gpustat's names and forms: an unknown value is null.
type gpustatHost struct {
	Version  int       `json:"version"`
	Hostname string    `json:"hostname"`
	Driver   *string   `json:"driver_version"`
	Time     string    `json:"query_time"`
	GPUs     []statGPU `json:"gpus"`
}

type statGPU struct {
	Index       int           `json:"index"`
	UUID        *string       `json:"uuid"`
	Name        string        `json:"name"`
	Temperature *int64        `json:"temperature.gpu"`
	Fan         *int64        `json:"fan.speed"`
	Utilization *int64        `json:"utilization.gpu"`
	Encoder     *int64        `json:"utilization.enc"`
	Decoder     *int64        `json:"utilization.dec"`
	Power       *int64        `json:"power.draw"`
	PowerLimit  *int64        `json:"enforced.power.limit"`
	Used        *int64        `json:"memory.used"`  // MiB
	Total       *int64        `json:"memory.total"` // MiB
	Processes   []statProcess `json:"processes"`    // nil: unknown
}

type statProcess struct {
	User      *string  `json:"username"`
	Command   *string  `json:"command"`
	Arguments []string `json:"full_command"`
	Memory    *int64   `json:"gpu_memory_usage"` // MiB
	CPU       *float64 `json:"cpu_percent"`
	RSS       *uint64  `json:"cpu_memory_usage"`
	PID       int      `json:"pid"`
}

// statTime is the form in which Python prints a local time.
const statTime = "2006-01-02T15:04:05.000000"

// Stat returns a node in the form in which gpustat reports its host. A node that does not report has no GPUs.
func Stat(n *Node, at time.Time) any {
	s := gpustatHost{Version: version, Hostname: n.Host(), Time: at.Local().Format(statTime), GPUs: []statGPU{}}
	if n.Hello != nil {
		s.Driver = textOrNil(n.Hello.Driver)
	}
	for i := range n.GPUs {
		g := &n.GPUs[i]
		used, total := g.memoryUse()
		s.GPUs = append(s.GPUs, statGPU{
			Index: g.Card.Index, UUID: textOrNil(g.Card.UUID), Name: g.Card.Name,
			Temperature: wholeOrNil(g.Float(metric.Temperature)),
			Fan:         wholeOrNil(g.Float(metric.Fan)),
			Utilization: wholeOrNil(g.Float(metric.Util)), Encoder: wholeOrNil(g.Float(metric.Encoder)),
			Decoder:    wholeOrNil(g.Float(metric.Decoder)),
			Power:      wholeOrNil(math.Trunc(g.Float(metric.Power))),
			PowerLimit: wholeOrNil(math.Trunc(g.Float(metric.PowerLimit))),
			Used:       toMebibytes(used), Total: toMebibytes(total), Processes: n.statProcesses(g),
		})
	}
	return s
}

// statProcesses returns all processes on a GPU. Like gpustat, it includes those that only draw.
func (n *Node) statProcesses(g *GPU) []statProcess {
	if !g.Listed {
		return nil
	}
	list := []statProcess{}
	for i := range n.Processes {
		if p := &n.Processes[i]; p.GPU == g.GPU.Index {
			list = append(list, newStatProcess(p))
		}
	}
	return list
}

func newStatProcess(p *wire.Process) statProcess {
	name, arguments := splitProgram(p)
	out := statProcess{User: textOrNil(p.User), Command: textOrNil(name), Arguments: arguments, CPU: p.CPUPercent,
		RSS: p.RSS,
		PID: p.PID}
	if p.GPUMemory != nil {
		out.Memory = toMebibytes(float64(*p.GPUMemory))
	}
	return out
}

// textOrNil returns a text, nil if it is empty.
func textOrNil(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// wholeOrNil returns a number, nil if it is unknown.
func wholeOrNil(v float64) *int64 {
	if math.IsNaN(v) {
		return nil
	}
	return new(int64(math.Round(v)))
}

func toMebibytes(bytes float64) *int64 { return wholeOrNil(math.Trunc(bytes / (1 << 20))) }

// JSON writes a document for each node, which the function of makes. For a single host it is written as that host's own
// program would print it, otherwise as a list.
func JSON(w io.Writer, nodes []Node, single bool, of func(*Node) any) error {
	const indent = "    "
	if single && len(nodes) == 1 {
		return text.WriteJSON(w, indent, of(&nodes[0]))
	}
	list := []any{}
	for i := range nodes {
		list = append(list, of(&nodes[i]))
	}
	return text.WriteJSON(w, indent, list)
}

package agent

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/lib/text"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// Limits of an agent's answer. serve may be an agent for many nodes.
const (
	maxGPUs      = 1024
	maxProcesses = 4096
	maxName      = 256
)

// rooms are limits that are checked before an answer is decoded: an empty GPU takes many times the memory of its text.
var rooms = wire.Rooms{List: 32 << 10, Values: 64 << 10}

// status is the answer of an agent. Old agents do not report the memory.
type status struct {
	Hostname *string `json:"hostname"`
	GPUs     []gpu   `json:"gpus"`
}

type gpu struct {
	Type        string   `json:"type"`
	PIDs        string   `json:"pids"`
	Users       string   `json:"users"`
	Utilization *float64 `json:"utilization"`
	Memory      *struct {
		Total *float64 `json:"total"`
		Used  *float64 `json:"used"`
	} `json:"memory"`
	Clock       *float64 `json:"clock_mhz"`
	Temperature *float64 `json:"temperature"`
	Command     *string  `json:"cmd"`
	Since       *string  `json:"running_since"`
}

func parseStatus(answer []byte) (*status, error) {
	if err := wire.Bounded(answer, &rooms); err != nil {
		return nil, err
	}
	var s status
	if err := json.Unmarshal(answer, &s); err != nil {
		return nil, err
	}
	if s.Hostname == nil || s.GPUs == nil {
		return nil, errors.New("it has no hostname or no gpus")
	}
	s.GPUs = s.GPUs[:min(len(s.GPUs), maxGPUs)]
	return &s, nil
}

// told lists the metrics that an agent reports.
var told = []metric.ID{metric.Util, metric.MemoryUsed, metric.MemoryTotal, metric.SMClock, metric.Temperature}

// untold has the keys of all other metrics, with the reason why they are absent.
var untold = func() map[string][]string {
	keys := []string{wire.AbsentXids}
	for id := range metric.All(metric.GPU) {
		if !slices.Contains(told, id) {
			keys = append(keys, id.Row().Key)
		}
	}
	return map[string][]string{"nvgpu's agent does not report it": keys}
}()

// newHello returns the facts that do not change.
func (s *status) newHello() *wire.Hello {
	h := &wire.Hello{Host: text.Cut(*s.Hostname, maxName)}
	for i := range s.GPUs {
		c := wire.Card{Index: i, Name: text.Cut(s.GPUs[i].Type, maxName), Absent: untold}
		if m := s.GPUs[i].Memory; m != nil {
			setMetric(&c.Values, metric.MemoryTotal, m.Total)
		}
		h.GPUs = append(h.GPUs, c)
	}
	return h
}

// hasSameGPUs reports whether two answers describe the same GPUs.
func (s *status) hasSameGPUs(as *status) bool {
	return *s.Hostname == *as.Hostname && slices.EqualFunc(s.GPUs, as.GPUs, func(a, b gpu) bool {
		return a.Type == b.Type && (a.Memory == nil) == (b.Memory == nil)
	})
}

// newReport returns one sample.
func (s *status) newReport() *wire.Report {
	r := &wire.Report{Listed: true}
	for i := range s.GPUs {
		g := &s.GPUs[i]
		sample := wire.GPU{Index: i}
		setMetric(&sample.Values, metric.Util, g.Utilization)
		setMetric(&sample.Values, metric.SMClock, g.Clock)
		setMetric(&sample.Values, metric.Temperature, g.Temperature)
		if g.Memory != nil {
			setMetric(&sample.Values, metric.MemoryUsed, g.Memory.Used)
		}
		r.GPUs = append(r.GPUs, sample)
		r.Processes = append(r.Processes, g.listProcesses(i, maxProcesses-len(r.Processes))...)
	}
	return r
}

// setMetric sets a metric if its value is known.
func setMetric(values *metric.Values, id metric.ID, v *float64) {
	if v != nil {
		values.Set(id, *v)
	}
}

// units are the units of time in an agent's text, in seconds.
var units = map[string]int64{"second": 1, "minute": 60, "hour": 3600, "day": 86400, "week": 7 * 86400,
	"month": 30.5 * 86400, "year": 365 * 86400}

// parseElapsed returns the time in an agent's text, such as "2 days ago", in seconds. It is about as exact as the text.
func parseElapsed(since *string) (seconds int64, known bool) {
	if since == nil {
		return 0, false
	}
	if *since == "just now" || *since == "instantly" {
		return 0, true
	}
	words := strings.Fields(*since)
	if len(words) != 3 || words[2] != "ago" {
		return 0, false
	}
	n, err := strconv.ParseInt(words[0], 10, 16)
	if words[0] == "a" || words[0] == "an" {
		n, err = 1, nil
	}
	unit, is := units[strings.TrimSuffix(words[1], "s")]
	return n * unit, err == nil && n >= 0 && is
}

// listProcesses returns the processes on a GPU. The command and the time of the oldest process are assigned to the
// first process. Users are known only if each process has one: some agents leave out the users of processes that have
// ended.
func (g *gpu) listProcesses(index, most int) (list []wire.Process) {
	if g.PIDs == "" {
		return nil
	}
	pids, users := strings.Split(g.PIDs, ","), strings.Split(g.Users, ",")
	for i, word := range pids[:min(len(pids), most)] {
		pid, err := strconv.Atoi(strings.TrimSpace(word))
		if err != nil || pid < 1 {
			continue
		}
		p := wire.Process{PID: pid, GPU: index, Type: "C"}
		if len(users) == len(pids) && users[i] != "?" {
			p.User = text.Cut(users[i], maxName)
		}
		if i == 0 && g.Command != nil {
			p.Command = text.Cut(*g.Command, wire.MaxCommand)
		}
		if age, known := parseElapsed(g.Since); i == 0 && known {
			p.ElapsedSec = &age
		}
		list = append(list, p)
	}
	return list
}

package queue

import (
	"context"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/lib/text"
	"github.com/nvnodetop/nvnodetop/internal/slurm/command"
)

// Shape is the part of a request that decides how soon a job starts, and that a user may give up.
type Shape struct {
	Nodes, Tasks int
	PerNode      string // GPUs of each node, and other GRES: "gpu:a100:4"
	Total        string // GPUs of the whole job
	On           string // nodes that must be among its nodes, in SLURM's notation
	Limit        time.Duration
}

// request is a job as scontrol shows it, by key.
type request map[string]string

// requestOf reads the keys of a record after the name of its user, which is printed after the name of the job.
func requestOf(r command.Record) request {
	all := request{}
	if users := r.All("UserId"); len(users) > 0 {
		r = r[users[0]:]
	}
	for _, line := range r {
		for key, value := range line.Fields() {
			if _, known := all[key]; !known {
				all[key] = value
			}
		}
	}
	return all
}

// value returns a value; "" if SLURM has none.
func (r request) value(key string) string {
	switch v := r[key]; v {
	case "(null)", "N/A", "None":
		if key == "Reason" {
			return v
		}
		return ""
	default:
		return v
	}
}

// shape returns the shape of the request.
func (r request) shape() Shape {
	nodes, _, _ := strings.Cut(r.value("NumNodes"), "-")
	s := Shape{PerNode: requested(r.value("TresPerNode")), On: r.value("ReqNodeList"),
		Limit: command.ParseLimit(r.value("TimeLimit")),
		Total: strings.TrimPrefix(strings.TrimPrefix(requested(r.value("TresPerJob")), "gpu"), ":")}
	s.Nodes, _ = strconv.Atoi(nodes)
	s.Tasks, _ = strconv.Atoi(r.value("NumTasks"))
	return s
}

// requested returns a list of GRES as the options of sbatch take it: SLURM 22.05 shows "gres:gpu:4", later versions
// "gres/gpu:4".
func requested(list string) string {
	var items []string
	for item := range strings.SplitSeq(list, ",") {
		items = append(items, strings.TrimPrefix(strings.TrimPrefix(item, "gres:"), "gres/"))
	}
	return strings.Join(items, ",")
}

// fixed are the options of the request that stay in every trial, by key of scontrol.
func (r request) fixed() (options []string) {
	for _, o := range []struct{ key, option string }{
		{"Partition", "partition"}, {"Account", "account"}, {"QOS", "qos"}, {"Reservation", "reservation"},
		{"Features", "constraint"}, {"ExcNodeList", "exclude"}, {"CPUs/Task", "cpus-per-task"},
		{"MinMemoryNode", "mem"}, {"MinMemoryCPU", "mem-per-cpu"},
	} {
		if v := r.value(o.key); v != "" && v != "0" {
			options = append(options, "--"+o.option+"="+v)
		}
	}
	if v := requested(r.value("TresPerTask")); strings.HasPrefix(v, "gpu:") {
		options = append(options, "--gpus-per-task="+strings.TrimPrefix(v, "gpu:"))
	}
	if r.value("OverSubscribe") == "NO" {
		options = append(options, "--exclusive")
	}
	return options
}

// options returns the options of the shape.
func (s *Shape) options() (options []string) {
	if s.Nodes > 0 {
		options = append(options, "--nodes="+strconv.Itoa(s.Nodes))
	}
	if s.Tasks > 0 {
		options = append(options, "--ntasks="+strconv.Itoa(s.Tasks))
	}
	if s.PerNode != "" {
		options = append(options, "--gres="+s.PerNode)
	}
	if s.Total != "" {
		options = append(options, "--gpus="+s.Total)
	}
	if s.On != "" {
		options = append(options, "--nodelist="+s.On)
	}
	if s.Limit > 0 {
		options = append(options, "--time="+strconv.Itoa(int(s.Limit/time.Minute)))
	}
	return options
}

// leastLimit is the shortest time limit whose half is worth a question.
const leastLimit = 10 * time.Minute

// shapes returns a shape and two smaller ones: half of the nodes, or of the GPUs on the only node, and half of the
// time.
func shapes(own Shape) []Shape {
	all := []Shape{own}
	if small := own; small.halve() {
		all = append(all, small)
	}
	if own.Limit >= leastLimit {
		short := own
		short.Limit /= 2
		all = append(all, short)
	}
	return all
}

// halve makes the shape half as large, if that is possible.
func (s *Shape) halve() bool {
	if s.Nodes < 2 {
		per, halved := halfOf(s.PerNode)
		total, alsoHalved := halfOf(s.Total)
		s.PerNode, s.Total, s.Tasks = per, total, max(1, s.Tasks/2)
		return halved || alsoHalved
	}
	half := s.Nodes / 2
	s.Tasks = max(half, s.Tasks*half/s.Nodes)
	s.Nodes, s.On = half, ""
	s.Total, _ = halfOf(s.Total)
	return true
}

// halfOf halves the number at the end of a request: "gpu:a100:4" becomes "gpu:a100:2". It reports whether it has.
func halfOf(list string) (string, bool) {
	at := strings.LastIndexAny(list, ":") + 1
	n, err := strconv.Atoi(list[at:])
	if err != nil || n < 2 || strings.Contains(list, ",") {
		return list, false
	}
	return list[:at] + strconv.Itoa(n/2), true
}

// starts is what sbatch --test-only says about a job that would start.
var starts = regexp.MustCompile(`to start at (\S+) using \d+ processors on (?:nodes )?(\S+)`)

// try asks when a job would start. It reports false if there is no answer.
func (a *asker) try(ctx context.Context, fixed []string, s Shape) (Trial, bool) {
	argv := append([]string{"sbatch", "--test-only"}, fixed...)
	_, stderr, err := a.ask(ctx, append(append(argv, s.options()...), "--wrap=true")...)
	if ctx.Err() != nil || command.Missing(err) {
		return Trial{}, false
	}
	t := Trial{Shape: s}
	if found := starts.FindSubmatch(stderr); found != nil {
		t.Start, t.Nodes = command.ParseTime(string(found[1])), string(found[2])
		return t, !t.Start.IsZero()
	}
	for _, prefix := range []string{"sbatch: error: ", "error: ", "sbatch: ", "allocation failure: "} {
		stderr = []byte(strings.TrimPrefix(strings.TrimSpace(string(stderr)), prefix))
	}
	t.Refused = text.Cut(text.FirstLine(string(stderr)), 200)
	return t, t.Refused != ""
}

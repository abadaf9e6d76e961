package sacct

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/slurm/notation"
)

// columns are the fields that sacct prints for a job or a step, in order, each with the function that reads it. The
// name comes last: the job's owner chose it, and it may contain anything, even newlines.
var columns = []struct {
	name string
	take func(r *record, v string)
}{
	{"JobID", func(r *record, v string) { r.id = v }},
	{"JobIDRaw", func(r *record, v string) { r.Number = v }},
	{"User", func(r *record, v string) { r.User = v }},
	{"Account", func(r *record, v string) { r.Account = v }},
	{"QOS", func(r *record, v string) { r.QOS = v }},
	{"Partition", func(r *record, v string) { r.Partition = v }},
	{"State", func(r *record, v string) { r.State, _, _ = strings.Cut(v, " ") }},
	{"ExitCode", func(r *record, v string) { r.Code, r.Signal = parseExit(v) }},
	{"Submit", func(r *record, v string) { r.Submit = parseTime(v) }},
	{"Start", func(r *record, v string) { r.Start = parseTime(v) }},
	{"End", func(r *record, v string) { r.End = parseTime(v) }},
	{"ElapsedRaw", func(r *record,
		v string) {
		r.Elapsed = time.Duration(r.readCount("elapsed seconds", v)) * time.Second
	}},
	{"Suspended", func(r *record, v string) { r.Suspended = parseClock(v) }},
	{"TimelimitRaw", func(r *record, v string) { r.Limit = time.Duration(parseCount(v)) * time.Minute }},
	{"NNodes", func(r *record, v string) { r.Nodes = r.readCount("nodes", v) }},
	{"NodeList", func(r *record, v string) { r.NodeList = v }},
	{"AllocCPUS", func(r *record, v string) { r.CPUs = r.readCount("CPUs", v) }},
	{"NTasks", func(r *record, v string) { r.tasks = r.readCount("tasks", v) }},
	{"ReqMem", func(r *record, v string) { r.reqMem = v }},
	{"AllocTRES", func(r *record, v string) { r.alloc = v }},
	{"TotalCPU", func(r *record, v string) { r.CPUTime = parseClock(v) }},
	{"MaxRSS", func(r *record, v string) { r.maxRSS = parseBytes(v) }},
	{"MaxRSSNode", func(r *record, v string) { r.maxRSSNode = v }},
	{"TRESUsageInTot", func(r *record, v string) { r.total = v }},
	{"TRESUsageInMax", func(r *record, v string) { r.most = v }},
	{"TRESUsageInAve", func(r *record, v string) { r.mean = v }},
	{"ConsumedEnergyRaw", func(r *record, v string) { r.Joules = float64(parseCount(v)) }},
	{"JobName", func(r *record, v string) { r.Name = v }},
}

// format is sacct's --format for columns.
var format = func() string {
	names := make([]string, len(columns))
	for i := range columns {
		names[i] = columns[i].name
	}
	return strings.Join(names, ",")
}()

// record is one line of sacct: a job, or a step with its job's ID before a dot. MaxRSS, ReqMem and the lists of TRES
// are as sacct printed them.
type record struct {
	Job
	id, reqMem               string
	alloc, total, most, mean string
	tasks                    int
	maxRSS                   uint64
	maxRSSNode               string
}

// maxSteps limits how many steps of a job are kept, from the first and the last ones: a job may have 100,000.
const maxSteps = 2000

// Parse reads sacct's output. mark separates the fields, and no name contains it. Text before the first record, from a
// wrapper, is ignored.
func Parse(out []byte, mark string) ([]Job, error) {
	if len(bytes.TrimSpace(out)) == 0 {
		return nil, nil
	}
	parts := strings.Split(string(out), mark)
	each := len(columns) - 1 // the last part of a record also has the beginning of the next one
	if len(parts) == 1 || (len(parts)-1)%each != 0 {
		return nil, fmt.Errorf("%d fields do not make records of %d: %.80q", len(parts), len(columns), parts[0])
	}
	var jobs []Job
	id := parts[0][strings.LastIndexByte(strings.TrimRight(parts[0], "\n"), '\n')+1:]
	for at := 0; at+each < len(parts); at += each {
		r := record{}
		columns[0].take(&r, strings.TrimSpace(id))
		for i := 1; i < each; i++ {
			columns[i].take(&r, strings.TrimSpace(parts[at+i]))
		}
		name := strings.TrimSuffix(parts[at+each], "\n")
		if at+2*each < len(parts) { // another record follows: its ID is the last line
			cut := strings.LastIndexByte(name, '\n')
			if cut < 0 {
				return nil, errors.New("a record does not end")
			}
			name, id = name[:cut], name[cut+1:]
		}
		columns[each].take(&r, name)
		jobs = addRecord(jobs, &r)
	}
	for i := range jobs {
		jobs[i].leaveOutImpossible()
	}
	return jobs, nil
}

// addRecord adds a job, or adds a step to its job, which is the last one.
func addRecord(jobs []Job, r *record) []Job {
	job, step, is := strings.Cut(r.id, ".")
	if !is {
		return append(jobs, r.newJob())
	}
	if len(jobs) == 0 {
		return jobs
	}
	if j := &jobs[len(jobs)-1]; j.ID == job {
		if len(j.Steps) == maxSteps {
			j.Steps = j.Steps[:maxSteps-1]
		}
		j.Steps = append(j.Steps, r.newStep(step))
		for _, words := range r.Impossible {
			j.Impossible = append(j.Impossible, words+" of step "+step)
		}
	}
	return jobs
}

func (r *record) newJob() Job {
	j := r.Job
	j.ID = r.id
	j.GPUs, j.CountsGPUs = notation.CountInTRES(r.alloc)
	if !j.CountsGPUs { // a job without GPUs lacks this item, which other jobs have
		j.GPUs = 0
	}
	j.Model, j.isMIG = gpuModel(r.alloc), migType.MatchString(r.alloc)
	j.Memory = r.memoryRequest()
	return j
}

// memoryRequest reads ReqMem: until SLURM 21.08 "4Gc" per CPU or "16Gn" per node, since then "64G" for the whole job.
// What the job got takes precedence.
func (r *record) memoryRequest() Request {
	text := r.reqMem
	switch {
	case strings.HasSuffix(text, "c"):
		return Request{parseBytes(strings.TrimSuffix(text, "c")), true}
	case strings.HasSuffix(text, "n"):
		return Request{parseBytes(strings.TrimSuffix(text, "n")), false}
	}
	whole := cmp.Or(parseBytes(tresItem(r.alloc, "mem")), parseBytes(text))
	return Request{Bytes: whole / uint64(max(r.Nodes, 1))}
}

func (r *record) newStep(name string) Step {
	s := Step{Name: name, State: r.State, Program: r.Name, NodeList: r.NodeList, Start: r.Start, End: r.End,
		Elapsed: r.Elapsed,
		Code:    r.Code, Signal: r.Signal, Nodes: r.Nodes, Tasks: r.tasks, CPUs: r.CPUs, CPUTime: r.CPUTime,
		MaxRSS:     cmp.Or(r.maxRSS, parseBytes(tresItem(r.most, "mem"))),
		TotalRSS:   parseBytes(tresItem(r.total, "mem")),
		MaxRSSNode: r.maxRSSNode, Joules: r.Joules}
	s.Memory = parseBytes(tresItem(r.alloc, "mem")) / uint64(max(r.Nodes, 1))
	s.GPUs, _ = notation.CountInTRES(r.alloc)
	if v := tresItem(r.total, "gres/gpuutil"); v != "" {
		s.GPUUtilMost = parseNumber(v)
	} else if v := parseNumber(tresItem(r.mean, "gres/gpuutil")); v != nil {
		all := *v * float64(max(r.tasks, 1))
		s.GPUUtilMost = &all
	}
	if v := tresItem(r.most, "gres/gpumem"); v != "" {
		s.MaxGPUMemory = parseMemory(v)
	}
	if migType.MatchString(r.alloc) {
		s.forgetInstances()
	}
	return s
}

// migType matches the type of a MIG instance in a list of TRES: "gres/gpu:a100_1g.5gb=1".
var migType = regexp.MustCompile(`(?i)gres/gpu:[^=,]*([0-9]g\.[0-9]+gb|mig)`)

// tresItem returns the value of one TRES in a list such as "cpu=32,mem=250G,gres/gpu=4"; "": the list lacks it.
func tresItem(list, name string) string {
	for part := range strings.SplitSeq(list, ",") {
		if value, ok := strings.CutPrefix(part, name+"="); ok {
			return value
		}
	}
	return ""
}

// gpuModel returns the type of the GPUs in a list of TRES; "": there is none, or there are several.
func gpuModel(list string) string {
	types := slices.DeleteFunc(notation.ReadTRES(list).Types, func(t notation.GPUType) bool { return t.Total == 0 })
	if len(types) != 1 {
		return ""
	}
	return types[0].Name
}

// parseNumber reads a number that is neither negative nor absurd; nil: there is none.
func parseNumber(text string) *float64 {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v >= 0 && v < 1e9) {
		return nil
	}
	return &v
}

// maxCount is more than any count in SLURM. Larger numbers are its markers for "none".
const maxCount = 1<<31 - 1

// parseCount reads a whole number; 0 if there is none, or if it is a marker.
func parseCount(text string) int64 {
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil || v < 0 || v > 1e15 || v > maxCount && v >= math.MaxUint32-2 && v <= math.MaxUint32 {
		return 0
	}
	return v
}

// units are the units of memory amounts, in ascending order.
const units = "KMGTPE"

// parseBytes reads "2368K", "1.50G" or "1024"; 0 if the text is not an amount.
func parseBytes(text string) uint64 {
	if v := parseMemory(text); v != nil {
		return *v
	}
	return 0
}

// parseMemory reads an amount of memory; nil if there is none, or if it is a marker.
func parseMemory(text string) *uint64 {
	scale := 1.0
	if n := len(text); n > 0 {
		if at := strings.IndexByte(units, text[n-1]); at >= 0 {
			scale, text = math.Pow(1024, float64(at+1)), text[:n-1]
		}
	}
	v, err := strconv.ParseFloat(text, 64)
	if bytes := v * scale; err == nil && bytes >= 0 && bytes < 1<<60 {
		whole := uint64(bytes)
		return &whole
	}
	return nil
}

// parseTime reads a time in UTC; zero for "Unknown" and "None".
func parseTime(text string) time.Time {
	t, err := time.Parse(timeFormat, text)
	if err != nil {
		return time.Time{}
	}
	return t
}

// parseClock reads "1-02:03:04", "02:03:04" or "03:04.567"; 0 if the text is not a time.
func parseClock(text string) time.Duration {
	days, clock, has := strings.Cut(text, "-")
	if !has {
		days, clock = "0", text
	}
	d, err := strconv.ParseUint(days, 10, 16)
	parts := strings.Split(clock, ":")
	if err != nil || len(parts) < 2 || len(parts) > 3 {
		return 0
	}
	total := 0.0
	for i, part := range parts {
		v, err := strconv.ParseFloat(part, 64)
		if err != nil || !(v >= 0 && v < 1e9) || i < len(parts)-1 && strings.ContainsAny(part, ".e") {
			return 0
		}
		total = total*60 + v
	}
	if total += float64(d) * 86400; total > maxCount {
		return 0
	}
	return time.Duration(total * float64(time.Second))
}

// parseExit reads an exit status and a signal, such as "3:0".
func parseExit(text string) (code, signal int) {
	c, s, _ := strings.Cut(text, ":")
	status, err1 := strconv.ParseUint(c, 10, 16)
	by, err2 := strconv.ParseUint(s, 10, 16)
	if err1 != nil || err2 != nil {
		return 0, 0
	}
	return int(status), int(by)
}

// Requeued is the longest time between the end of a run and the submission of the next one. Another job with the same
// ID, from before SLURM's numbers started over, is farther away.
const Requeued = time.Minute

// Last returns for each job the record that was submitted last, together with the runs before it, ordered by start. The
// record has no start if the job is waiting to run again, or was canceled while it waited.
func Last(jobs []Job) []Job {
	jobs = slices.Clone(jobs)
	slices.SortStableFunc(jobs, func(a, b Job) int { return bySubmission(&a, &b) })
	slices.Reverse(jobs)
	var last []Job
	at := map[string]int{}
	for _, j := range jobs {
		k, later := at[j.ID]
		if !later {
			at[j.ID] = len(last)
			last = append(last, j)
			continue
		}
		next := &last[k]
		if n := len(next.Earlier); n > 0 {
			next = &next.Earlier[n-1]
		}
		if j.Ran() && j.User == next.User && j.Name == next.Name && next.Submit.Sub(j.End).Abs() <= Requeued {
			last[k].Earlier = append(last[k].Earlier, j)
		}
	}
	slices.Reverse(last)
	slices.SortStableFunc(last, func(a, b Job) int { return a.Start.Compare(b.Start) })
	return last
}

// bySubmission orders the records of a job. If two were submitted in the same second, the one without a start is the
// later one.
func bySubmission(a, b *Job) int {
	if order := a.Submit.Compare(b.Submit); order != 0 {
		return order
	}
	if a.Start.IsZero() != b.Start.IsZero() {
		return b.Start.Compare(a.Start)
	}
	return a.Start.Compare(b.Start)
}

package report

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/health"
	"github.com/nvnodetop/nvnodetop/internal/output/report/output"
	"github.com/nvnodetop/nvnodetop/internal/source/demo"
	"github.com/nvnodetop/nvnodetop/pkg/report"
	"github.com/nvnodetop/nvnodetop/test/golden"
	"github.com/nvnodetop/nvnodetop/test/valid"
)

// story are the Events of six minutes of the demo, and of the minute before.
func story(t *testing.T) (events []cluster.Event) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 6*time.Minute)
		defer cancel()
		if err := demo.New(4, 8, 1, 3*time.Second, time.Minute).Run(ctx,
			func(e cluster.Event) { events = append(events, e) }); err != nil {
			t.Error(err)
		}
	})
	return events
}

func reportOf(t *testing.T, events []cluster.Event) *Report {
	t.Helper()
	o := New("48211", 3*time.Second, health.Rules(health.Defaults()))
	for _, e := range events {
		o.Apply(e)
	}
	r := o.Report()
	if r == nil {
		t.Fatal("no report")
	}
	return r
}

// The demo's job as it ends: SLURM says so at the last Event.
func endedStory(t *testing.T) []cluster.Event {
	t.Helper()
	events := story(t)
	last := events[len(events)-1].At
	return append(events, cluster.Event{At: last, Discovery: &cluster.Discovery{
		Command: "squeue", Asked: last, Answered: last,
		Ended: []cluster.EndedJob{{ID: "48211", Number: "48211", State: cluster.JobFailed, Exit: &cluster.Exit{Code: 1},
			End: last.Add(-2 * time.Second), Missed: last}},
	}})
}

// Events that have been written and read again give the same report, to the last digit.
func TestSameFromARecording(t *testing.T) {
	events := endedStory(t)
	text, err := json.Marshal(events)
	if err != nil {
		t.Fatal(err)
	}
	var read []cluster.Event
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	var live, recorded bytes.Buffer
	if err := output.JSON(&live, reportOf(t, events)); err != nil {
		t.Fatal(err)
	}
	if err := output.JSON(&recorded, reportOf(t, read)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(live.String(), recorded.String()); diff != "" {
		t.Errorf("live and recorded differ:\n%s", diff)
	}
}

func TestGolden(t *testing.T) {
	r := reportOf(t, endedStory(t))
	for name, write := range map[string]func(*bytes.Buffer) error{
		"report.txt":  func(b *bytes.Buffer) error { return output.Text(b, r, time.UTC, output.TextFormat{}) },
		"report.md":   func(b *bytes.Buffer) error { return output.Markdown(b, r, time.UTC) },
		"report.json": func(b *bytes.Buffer) error { return output.JSON(b, r) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		golden.Equal(t, "testdata/"+name, b.String())
	}
}

func validate(t *testing.T, r *Report) map[string]any {
	t.Helper()
	var b bytes.Buffer
	if err := output.JSON(&b, r); err != nil {
		t.Fatal(err)
	}
	return valid.Document(t, output.Schema, b.Bytes())
}

// A report in a file may lack any field: somebody else may have written it. Every format prints what is there.
func TestAnyFieldMayBeMissing(t *testing.T) {
	whole := everything()
	text, err := json.Marshal(whole)
	if err != nil {
		t.Fatal(err)
	}
	var doc any
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	n := 0
	without(doc, func() {
		n++
		text, err := json.Marshal(doc)
		r := &Report{}
		if err != nil || json.Unmarshal(text, r) != nil {
			t.Fatalf("%v in %s", err, text)
		}
		for name, write := range output.Formats {
			if err := write(&bytes.Buffer{}, r, output.TextFormat{Width: 80, Color: true}); err != nil {
				t.Errorf("%s: %v of %s", name, err, text)
			}
		}
		for name, write := range output.Comparisons {
			if err := write(&bytes.Buffer{}, output.Compare(whole, r), output.TextFormat{}); err != nil {
				t.Errorf("%s: %v of %s", name, err, text)
			}
		}
	})
	if n < 200 {
		t.Errorf("%d fields", n)
	}
}

// without calls do once without each field of a document.
func without(doc any, do func()) {
	switch d := doc.(type) {
	case []any:
		for _, e := range d {
			without(e, do)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(d)) {
			was := d[name]
			delete(d, name)
			do()
			d[name] = was
			without(was, do)
		}
	}
}

// The document matches the schema, and a report in which everything is known has every field of it.
func TestSchema(t *testing.T) {
	doc := validate(t, everything())
	var schema map[string]any
	if err := json.Unmarshal(output.Schema, &schema); err != nil {
		t.Fatal(err)
	}
	fields(t, schema, "document", schema, doc)
	validate(t, reportOf(t, story(t)))
}

// everything is a report that has every field.
func everything() *Report {
	one := 1
	place := &Place{Node: "n1", GPU: &one, Key: "k"}
	limit := uint64(9)
	memory := &Memory{Peak: 8, Limit: &limit, Headroom: &one64, At: place}
	number := 5.5
	full := Numbers{
		Util: &Util{Mean: 1, Lowest: 2, Highest: 3, LowestAt: place, HighestAt: place}, Memory: memory,
		Temperature: &number, Power: &Power{Mean: 1, Peak: 2}, Energy: &Energy{KWh: 1, Joules: 2, From: FromBoth},
		Throttled: []Throttled{{Reason: "sw_power_cap", Seconds: 3, From: FromSamples}},
	}
	cpu := &report.JobCPU{Seconds: 1, Busy: 2}
	hours := Hours{Given: 1, Seen: 2, Used: &number}
	return &Report{
		Version: Version,
		Job: Job{ID: "7_1", Number: "8", Name: "train", User: "alice", Account: "ml", QOS: "normal",
			Partition: "gpu", Submit: began, Start: began, End: began,
			Limit: 60, State: "FAILED", Code: &one, Signal: 9, Cause: "rank 3: ValueError: bad batch"},
		Watched: Watched{From: began, To: began, Seconds: 1, Suspended: 2},
		Total:   Total{Nodes: 1, GPUs: 2, GPUsSeen: 3, Hours: hours, HostMemory: memory, JobCPU: cpu, Numbers: full},
		Nodes: []Node{{
			Name: "n1", GPUs: 1, Seen: 2, Unseen: 3, Gaps: 4, Hours: hours, CPU: &number, HostMemory: memory, JobCPU: cpu,
			Numbers: full,
			List:    []GPU{{Number: &one, Key: "k", UUID: "u", Model: "m", Seen: 1, Numbers: full}},
		}},
		Ranks: []Rank{{Rank: 1, World: &one, Place: *place, PID: 1, Seen: 2, Numbers: full}},
		Findings: []Finding{{Kind: "thermal", Severity: "warning", Since: began, Before: true, Over: began, Times: 2,
			Node: "n1", GPU: &one, Key: "k", Text: "Hot.", Hint: "cool it"}},
		Notes: []Note{{Kind: noteUtil, Text: "Low."}},
		Pace:  &report.Pace{SecondsPerStep: 2.4, Earlier: &report.EarlierRun{Job: "5", Seen: began, SecondsPerStep: 2.6}},
		Stacks: []report.Stacks{{Time: began, State: "stuck", Said: []string{"Stuck."}, NCCL: []string{"Stuck."}, Asked: 2,
			Read: 2, Groups: []report.StackGroup{{Ranks: 1, Members: "rank 1", Summary: "wait", Outlier: true}}, Others: 1}},
		Accounting: &report.Accounting{
			Elapsed: 1, Waited: &number, Nodes: 1, NodeList: "n1", CPUs: 2, Tasks: 3,
			CPU: &report.CPUTime{Given: 1, Used: 2, Percent: 3}, Memory: memory, PerCPU: true, GPUs: &one,
			Model:       "a100",
			GPUUtilMost: &number, GPUMemory: &limit, GPUHours: &report.Shares{Given: 1, Used: &number, Wasted: &number,
				UsedMost: &number, WastedLeast: &number},
			OutOfMemory: "0", OutOfMemoryLimit: &limit,
			Earlier: []report.Run{{State: "REQUEUED", Start: began, End: began, Elapsed: 1, Nodes: 1,
				NodeList: "n1", GPUHours: &number}},
			Energy: &number, MoreSteps: 1,
			Steps: []report.Step{{Name: "0", Program: "p", State: "FAILED", Code: &one, Signal: 9, Start: began,
				Elapsed: 1,
				Nodes:   1, Tasks: 1, CPU: &number, Memory: &limit, Node: "n1", GPUUtilMost: &number}},
		},
		Advice:  []report.Advice{{Kind: "short_run", Option: "--time", Value: "01:00:00", Reason: "why"}},
		Cost:    &report.Cost{Currency: "EUR", GPUHours: &number, Energy: &number, CO2: &number},
		Sources: []report.Source{{From: report.FromRecording, Parts: "all", File: "a.nvr"}},
		Tags: []report.Tag{{Name: "epoch", From: began, To: began, Seconds: 1, Times: 2,
			Util: &report.TagUtil{Mean: 1, Highest: 2}, GPUMemory: &limit, RAM: &limit, Energy: &number}},
	}
}

var one64 = uint64(1)

// Marks of the job are sections of its report; those of another job are not.
func TestTags(t *testing.T) {
	events := story(t)
	job := "48211"
	for i := range events {
		if d := events[i].Discovery; d != nil {
			for k := range d.Jobs {
				if d.Jobs[k].ID == job {
					job = d.Jobs[k].Number
				}
			}
		}
	}
	from := events[len(events)-1].At.Add(-3 * time.Minute)
	marked := slices.Clone(events[:1])
	for _, e := range events[1:] {
		if e.At.After(from) && !marked[len(marked)-1].At.After(from) {
			for _, m := range []cluster.Mark{{Job: job, Name: "eval\x1b", Kind: cluster.Begins, At: from, By: "n1"},
				{Job: job, Name: "eval\x1b", Kind: cluster.Ends, At: from.Add(time.Minute), By: "n1"},
				{Job: "1", Name: "other", At: from, By: "n1"}} {
				marked = append(marked, cluster.Event{At: from, Mark: &m})
			}
		}
		marked = append(marked, e)
	}
	r := reportOf(t, marked)
	if len(r.Tags) != 1 {
		t.Fatalf("%+v", r.Tags)
	}
	tag := r.Tags[0]
	if strings.Contains(tag.Name, "\x1b") || tag.Seconds != 60 || tag.Util == nil || tag.Util.Mean < 10 ||
		tag.GPUMemory == nil || tag.Energy == nil || *tag.Energy < 60*32*60 || *tag.Energy > 60*32*800 {
		t.Errorf("%+v", tag)
	}
	var text bytes.Buffer
	if err := output.Formats["text"](&text, r, output.TextFormat{}); err != nil ||
		!strings.Contains(text.String(), "\nTags\n") {
		t.Errorf("%v, %s", err, text.String())
	}
}

// fields checks that the document has all properties of its schema.
func fields(t *testing.T, schema map[string]any, at string, s map[string]any, v any) {
	t.Helper()
	if ref, ok := s["$ref"].(string); ok {
		s = schema["$defs"].(map[string]any)[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any)
	}
	if items, ok := s["items"].(map[string]any); ok {
		for _, e := range v.([]any) {
			fields(t, schema, at, items, e)
		}
	}
	properties, _ := s["properties"].(map[string]any)
	for name, sub := range properties {
		e, has := v.(map[string]any)[name]
		if !has {
			t.Errorf("%s has no %s", at, name)
			continue
		}
		fields(t, schema, at+"."+name, sub.(map[string]any), e)
	}
}

// Every note is in the schema.
func TestSchemaHasTheNotes(t *testing.T) {
	for _, kind := range []string{
		noteOutOfMemory, noteTimeLimit, noteNeverUsed, noteUtil, noteGPUMemory, noteHostLow, noteHostHigh, noteShortRun,
		noteShortWatch, noteLate, noteUnseen, noteGPUsUnseen, noteOwner, noteEnergy,
	} {
		r := reportOf(t, []cluster.Event{{At: began, Discovery: &cluster.Discovery{Answered: began,
			Jobs: []cluster.Job{{ID: "48211"}}}}})
		r.Notes = []Note{{Kind: kind, Text: "x"}}
		validate(t, r)
	}
}

// No name of a node or a job can become Markdown.
func TestMarkdownIsEscaped(t *testing.T) {
	r := reportOf(t, []cluster.Event{{At: began, Discovery: &cluster.Discovery{Answered: began,
		Jobs: []cluster.Job{{ID: "48211", Name: "<b>|x*", Nodes: []string{"a|b"}}}}}})
	var b bytes.Buffer
	if err := output.Markdown(&b, r, time.UTC); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		if strings.Contains(line, "<b>") || strings.HasPrefix(line, "| a|b") {
			t.Errorf("line %q", line)
		}
	}
}

// Ranks have a table of their own only where that of the GPUs cannot say it all.
func TestTableOfRanks(t *testing.T) {
	r := reportOf(t, story(t))
	titles := func() (titles []string) {
		var b bytes.Buffer
		if err := output.Markdown(&b, r, time.UTC); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(b.String()) {
			if title, is := strings.CutPrefix(line, "## "); is && title != "Problems\n" && title != "Notes\n" {
				titles = append(titles, strings.TrimSpace(title))
			}
		}
		return titles
	}
	if got := titles(); !slices.Equal(got, []string{"Nodes", "GPUs"}) {
		t.Errorf("tables %v", got)
	}
	r.Ranks[0].Seen--
	if got := titles(); !slices.Equal(got, []string{"Nodes", "GPUs", "Ranks"}) {
		t.Errorf("tables %v of a rank that was not there all the time", got)
	}
	r.Ranks[0].Seen++
	r.Ranks[0].Place = r.Ranks[1].Place
	if got := titles(); !slices.Equal(got, []string{"Nodes", "GPUs", "Ranks"}) {
		t.Errorf("tables %v of two ranks on one GPU", got)
	}
}

// Each note comes when it should, and not otherwise.
func TestNotes(t *testing.T) {
	type state struct {
		util, used [2]float64 // of the GPUs of n1
		host       [2]uint64  // GiB used, limit
		over       cluster.EndState
		seconds    int
	}
	plain := state{util: [2]float64{80, 70}, used: [2]float64{60, 60}, host: [2]uint64{60, 100},
		over: cluster.JobFailed, seconds: 400}
	for name, tc := range map[string]struct {
		change func(*state)
		kinds  []string
		says   string
	}{
		"all well": {func(*state) {}, nil, ""},
		"one never used": {func(s *state) { s.util[1] = 0 }, []string{noteNeverUsed},
			"1 of 2 GPUs were never used: n1 GPU1."},
		"none used": {func(s *state) { s.util = [2]float64{} }, []string{noteNeverUsed},
			"None of the 2 GPUs was ever used"},
		"low": {func(s *state) { s.util = [2]float64{20, 20} }, []string{noteUtil},
			"The mean GPU utilization is low: 20.0%."},
		"very low": {func(s *state) { s.util = [2]float64{5, 25} }, []string{noteUtil}, "is very low: 15.0%"},
		"little memory": {func(s *state) { s.used = [2]float64{8, 12} }, []string{noteGPUMemory},
			"more than 15.0% of its memory"},
		"host memory": {func(s *state) { s.host[0] = 10 }, []string{noteHostLow},
			"more than 10.0 GiB of the 100.0 GiB"},
		"host is full": {func(s *state) { s.host[0] = 97 }, []string{noteHostHigh},
			"up to 97.0% of its host memory on n1"},
		"short": {func(s *state) { s.seconds, s.util = 200, [2]float64{} }, []string{noteShortWatch},
			"Watched for 3m 20s: too short to judge the use of GPUs and memory, which takes 5m."},
		"out of memory": {func(s *state) { s.over = cluster.JobOutOfMemory }, []string{noteOutOfMemory}, "--mem"},
		"out of time": {func(s *state) { s.over = cluster.JobTimedOut }, []string{noteTimeLimit},
			"time limit of 4h"},
		"less than asked": {func(s *state) { s.over = cluster.JobCompleted }, []string{noteShortRun},
			"needed 6m 40s of its time limit of 4h (3%)"},
	} {
		s := plain
		tc.change(&s)
		job := theJob()
		job.Nodes, job.Minors = []string{"n1"}, map[string][]int{"n1": {0, 1}}
		p := start(t, job)
		p.hello(0, "n1")
		for sec := range s.seconds + 1 {
			r := reportWith(sec, s.util, s.used)
			r.Jobs[0].Used, r.Jobs[0].Limit = s.host[0]<<30, s.host[1]<<30
			p.send(float64(sec), "n1", r)
		}
		p.ends(float64(s.seconds), cluster.EndedJob{State: s.over, End: at(float64(s.seconds))})
		var kinds []string
		text := ""
		for _, n := range p.made().Notes {
			kinds, text = append(kinds, n.Kind), text+n.Text
		}
		if !slices.Equal(kinds, tc.kinds) || !strings.Contains(text, tc.says) {
			t.Errorf("%s: %v %q, want %v with %q", name, kinds, text, tc.kinds, tc.says)
		}
	}
}

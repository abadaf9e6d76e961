package recording

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/test/raced"
)

// repeated is n elements of a list.
func repeated(n int, element string) string {
	return strings.TrimSuffix(strings.Repeat(element+",", n), ",")
}

// ofEach is a line for each of n nodes.
func ofEach(n int, event string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"at":1,"node":"n%d",%s}`+"\n", i, event)
	}
	return b.String()
}

const first = `{"at":1,"node":"first","gone":true}` + "\n"

const oneHello = `{"at":1,"node":"n%d","hello":{"gpus":[%s]}}` + "\n"

// hellos are nodes with GPUs, and reports with processes.
func hellos(nodes, gpus, processes int) string {
	var b strings.Builder
	for i := range nodes {
		fmt.Fprintf(&b, oneHello, i, repeated(gpus, "{}"))
		if processes > 0 {
			fmt.Fprintf(&b, `{"at":1,"node":"n%d","report":{"listed":true,"gpus":[],"processes":[%s]}}`+"\n", i,
				repeated(processes, "{}"))
		}
	}
	return b.String()
}

// jobs are a Discovery.
func jobs(rest string) string { return `{"at":1,"node":"","discovery":{` + rest + "}}\n" }

// most is how many empty objects fit into a line.
const most = maxLine / 4

// A small file cannot fill the memory: the allocation is refused before it happens.
func TestBudget(t *testing.T) {
	raced.Skip(t)
	names := make([]string, maxNodes)
	for i := range names {
		names[i] = fmt.Sprintf(`"n%d"`, i)
	}
	all := strings.Join(names, ",")
	for name, text := range map[string]string{
		"jobs":           jobs(`"jobs":[` + repeated(most, "{}") + `]`),
		"pending":        jobs(`"jobs":[],"pending":[` + repeated(most, "{}") + `]`),
		"ended":          jobs(`"jobs":[],"ended":[` + repeated(most, "{}") + `]`),
		"switches":       jobs(`"jobs":[],"switches":[` + repeated(most, "{}") + `]`),
		"nodes of a job": jobs(`"jobs":[{"nodes":[` + repeated(most, `""`) + `]}]`),
		"minors":         jobs(`"jobs":[{"minors":{` + repeated(maxNodes+1, `"a":[]`) + `}}]`),
		"places":         jobs(`"jobs":[` + repeated(9, `{"nodes":[`+all+`]}`) + `]`),
		"names":          jobs(`"jobs":[{"nodes":[` + all + `]},{"nodes":["other"]}]`),
		"a long line":    `{"at":1,"node":"a","try":{"transport":"` + strings.Repeat("x", maxLine/4) + `"}}` + "\n",
		"transports": `{"at":1,"node":"a","down":{"failure":{"transports":[` + repeated(most/16, "{}") + `]}}}` +
			"\n",
		"attempts":  ofEach(maxNodes+1, `"try":{"interval":1}`),
		"steps":     ofEach(maxNodes+1, `"step":{"stage":"connect"}`),
		"paces":     ofEach(maxNodes+1, `"pace":{"interval":1}`),
		"failures":  ofEach(maxNodes+1, `"down":{"failure":{"class":"x"}}`),
		"GPUs":      hellos(maxGPUs/256+1, 256, 0),
		"processes": hellos(maxProcesses/1000+1, 1, 1000),
		"bytes": strings.Repeat(fmt.Sprintf(`{"at":1,"node":"a","down":{"failure":{"words":"%s"}}}`+"\n",
			strings.Repeat("x", 1<<19)), 2*maxBudgetBytes>>20+1),
	} {
		file := framed(t, first+text+`{"at":2,"node":"last","gone":true}`+"\n")
		r := opened(t, file)
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		store, last := newStore(), false
		err := r.Run(t.Context(), func(e cluster.Event) {
			last = last || e.Node == "last"
			store.Apply(e)
		})
		runtime.ReadMemStats(&after)
		if took := int64(after.Sys) - int64(before.Sys); last || took > 256<<20 {
			t.Errorf("%s: %d bytes take %d MiB, to the end: %t, %v", name, len(file), took>>20, last, err)
		}
	}
}

// Each kind of Event is counted: one that is too large for the budget is refused.
func TestEachKindIsCounted(t *testing.T) {
	for _, kind := range kinds() {
		var e cluster.Event
		at := reflect.ValueOf(&e).Elem().FieldByIndex(kind.Index)
		at.Set(reflect.New(kind.Type.Elem()))
		var l budgetLedger
		if err := l.Take(&e, maxBudgetBytes+1); !errors.Is(err, errTooMuch) {
			t.Errorf("%s: %v", kind.Name, err)
		}
	}
}

// kinds are the fields of an Event that have its contents.
func kinds() (list []reflect.StructField) {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[cluster.Event]()) {
		if f.Type.Kind() == reflect.Pointer {
			list = append(list, f)
		}
	}
	return list
}

// groups are n groups of stacks, each with so many ranks.
func groups(n, ranks int, rank string) string {
	return repeated(n, `{"ranks":[`+repeated(ranks, rank)+`]}`)
}

// stacksOf are the stacks of many jobs.
func stacksOf(jobs int, groups string) string {
	var list []string
	var b strings.Builder
	for i := range jobs {
		list = append(list, fmt.Sprintf(`{"id":"%d"}`, i))
		fmt.Fprintf(&b, `{"at":2,"node":"","stacks":{"job":"%d","nccl":{"coupled_gpus":1},"groups":[%s]}}`+"\n", i, groups)
	}
	return `{"at":1,"node":"","discovery":{"jobs":[` + strings.Join(list, ",") + "]}}\n" + b.String()
}

// progressOf is how far the programs of many jobs are.
func progressOf(jobs int, form string) string {
	var b strings.Builder
	for i := range jobs {
		fmt.Fprintf(&b, `{"at":1,"node":"","discovery":{"jobs":[{"id":"%d"}]}}`+"\n", i)
		fmt.Fprintf(&b, `{"at":2,"node":"","progress":{"job":"%d","form":"%s","step":1}}`+"\n", i, form)
	}
	return b.String()
}

// A hostile recording of whatever kind stays small. Each kind of Event has one here, at least.
func TestEachKindStaysSmall(t *testing.T) {
	raced.Skip(t)
	words := strings.Repeat("x", 900<<10)
	bombs := map[string][]string{
		"Discovery": {jobs(`"jobs":[` + repeated(200, `{"minors":{`+repeated(2000, `"a":[]`)+`}}`) + `]`),
			jobs(`"jobs":[` + repeated(16_000, `null`) + `],"pending":[` + repeated(16_000, `null`) + `]`)},
		"Try": {ofEach(160, `"try":{"transport":"`+words+`"}`),
			ofEach(200, `"try":{"stages":[`+repeated(1000, `"a"`)+`]}`)},
		"Step":   {strings.Repeat(ofEach(20, `"step":{"stage":"a"}`), 1000)},
		"Hello":  {hellos(200, 1000, 0)},
		"Report": {hellos(100, 1, 1000)},
		"Pace":   {ofEach(10_000, `"pace":{"interval":1}`)},
		"Down": {ofEach(2000, `"try":{"interval":1}`) + ofEach(100, `"down":{"failure":{"words":"`+words+`"}}`) +
			ofEach(100, `"try":{"interval":1}`) + ofEach(10, `"step":{"stage":"a","text":"`+words+`"}`)},
		"Mark": {strings.Repeat(`{"at":1,"node":"","mark":{"job":"7","name":"`+words+`"}}`+"\n", 180),
			strings.Repeat(`{"at":1,"node":"","mark":{"job":"7","name":"a"}}`+"\n", 5000)},
		"Stacks": {stacksOf(40, groups(300, 1000, "{}")), stacksOf(40, groups(40, 1000, "{}")),
			stacksOf(40, groups(100, 1000, "null")), stacksOf(40, `{"ranks":[{}],"workers":[`+repeated(16_000, "{}")+`]}`),
			stacksOf(40, `{"ranks":[{}],"threads":[`+repeated(900, `{"frames":[`+repeated(100, "{}")+`]}`)+`]}`),
			stacksOf(500, groups(10, 10, "{}"))},
		"Progress": {progressOf(300, words), strings.Repeat(progressOf(70, "x"), 100)},
	}
	for _, kind := range kinds() {
		if len(bombs[kind.Name]) == 0 {
			t.Errorf("there is no hostile file of a %s", kind.Name)
		}
		for i, text := range bombs[kind.Name] {
			r, store := opened(t, framed(t, first+text)), newStore()
			before := heap()
			err := r.Run(t.Context(), store.Apply)
			if kept := heap() - before; kept > maxBudgetBytes+32<<20 {
				t.Errorf("%s %d: the Store keeps %d MiB, %v", kind.Name, i, kept>>20, err)
			}
			runtime.KeepAlive(store)
		}
	}
}

// heap is the memory in use.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// Every recording of the largest clusters can be read.
func TestBudgetIsLargeEnough(t *testing.T) {
	raced.Skip(t)
	var many, minors []string
	for i := range 1000 {
		many = append(many, fmt.Sprintf(`"gpu-n%04d"`, i))
		minors = append(minors, fmt.Sprintf(`"gpu-n%04d":[0,1,2,3,4,5,6,7]`, i))
	}
	job := `{"id":"1","nodes":[` + strings.Join(many, ",") + `],"minors":{` + strings.Join(minors, ",") + `}}`
	for name, text := range map[string]string{
		"100 jobs on 1,000 nodes": jobs(`"jobs":[` + repeated(100, job) + `]`),
		"10,000 jobs": jobs(`"jobs":[` + repeated(10_000, `{"id":"1","nodes":["a","b"]}`) +
			`],"pending":[` + repeated(10_000, `{"id":"1"}`) + `]`),
		"stacks of 16 jobs of 4,000 ranks": stacksOf(16, groups(1, 4000,
			`{"rank":1234,"node":"gpu-n1234","gpus":[0],"pid":123456,"start_ticks":1234567,"state":"S"}`)),
		"2,000 nodes of 8 GPUs": hellos(2000, 8, 32),
		"again and again":       strings.Repeat(hellos(1000, 8, 32), 10),
	} {
		file := framed(t, first+text+`{"at":2,"node":"last","gone":true}`+"\n")
		last := false
		if err := opened(t, file).Run(t.Context(),
			func(e cluster.Event) { last = last || e.Node == "last" }); err != nil || !last {
			t.Errorf("%s: to the end: %t, %v", name, last, err)
		}
	}
}

// endless is a recording that takes long to read, in few bytes.
func endless(t *testing.T) []byte {
	t.Helper()
	return framed(t, strings.Repeat(`{"at":1,"node":"a","gone":true}`+"\n", 600_000))
}

// The reader of a recording can stop, whatever the file contains.
func TestReadingStops(t *testing.T) {
	file := endless(t)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel)
	began := time.Now()
	_, err := Open(ctx, bytes.NewReader(file), int64(len(file)))
	if took := time.Since(began); !errors.Is(err, context.Canceled) || took > time.Second/2 {
		t.Errorf("to open it: %v after %v", err, took)
	}
	r := opened(t, file)
	p := NewPlayer(r, newStore())
	defer p.Close()
	for name, read := range map[string]func(context.Context){
		"Run":      func(ctx context.Context) { _ = r.Run(ctx, func(cluster.Event) {}) },
		"Snapshot": func(ctx context.Context) { p.Snapshot(ctx, r.End) },
		"Survey":   p.Survey,
	} {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(20*time.Millisecond, cancel)
		began = time.Now()
		read(ctx)
		if took := time.Since(began); took > time.Second/2 {
			t.Errorf("%s takes %v", name, took)
		}
		cancel()
	}
	if err := p.Err(); err != nil {
		t.Errorf("that it was stopped is no damage: %v", err)
	}
}

// A screen does not wait: a glance reads a part of an oversized stretch, and the next glance goes on.
func TestAGlanceIsShort(t *testing.T) {
	raced.Skip(t)
	r := opened(t, endless(t))
	p := NewPlayer(r, newStore())
	defer p.Close()
	_, exact := p.Glance(r.End)
	if exact {
		t.Fatal("all was read at once")
	}
	glances := 1
	for ; !exact && glances < 100; glances++ {
		_, exact = p.Glance(r.End)
	}
	if want := 600_000 * leastLine / glanced; !exact || glances < want || glances > want+2 {
		t.Errorf("%d glances, exact: %t", glances, exact)
	}
}

package wire

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/nvnodetop/nvnodetop/internal/lib/field"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// pipe passes messages from a Writer to a Reader.
type pipe struct {
	w   Writer
	r   *Reader
	buf bytes.Buffer
}

func newPipe() *pipe { return newPipeTo(json.Unmarshal) }

func newPipeTo(parse Parser) *pipe {
	p := &pipe{}
	p.r = NewReaderWith(bufio.NewReaderSize(&p.buf, ReadSize).ReadSlice, parse)
	return p
}

// parsers are the parsers that read reports: of the tests and of the login side.
var parsers = []Parser{json.Unmarshal, func(text []byte, v any) error { return jsonv2.Unmarshal(text, v) }}

// pass returns the message as it arrives, and the line.
func (p *pipe) pass(m Message) (got Message, line string, err error) {
	if err := p.w.Write(&p.buf, m); err != nil {
		return got, "", err
	}
	line = p.buf.String()
	err = p.r.Next(&got)
	return got, line, err
}

// The other end gets the same messages that a probe writes, in any order.
func TestReportsArriveWhole(t *testing.T) {
	for seed := range uint64(60) {
		p, g := newPipeTo(parsers[seed%2]), &generator{Rand: rand.New(rand.NewPCG(seed, 7))}
		for step := range 80 {
			m := g.message()
			got, line, err := p.pass(m)
			if errors.Is(err, ErrLineTooLong) { // then the sampler leaves out the processes
				r := *m.Report
				r.Processes, r.Listed = nil, false
				m = Message{Report: &r}
				got, line, err = p.pass(m)
			}
			if err != nil || !reflect.DeepEqual(got, m) {
				diff := cmp.Diff(m, got, cmp.AllowUnexported(metric.Values{}))
				t.Fatalf("seed %d, step %d: %v\n%s\n%.2000s", seed, step, err, diff, line)
			}
		}
	}
}

// generator makes reports, most of them like the previous one.
type generator struct {
	*rand.Rand
	last Report
}

func (g *generator) one(in int) bool { return g.IntN(in) == 0 }

func (g *generator) message() Message {
	switch {
	case g.last.Seq == 0, g.one(15):
		g.last = Report{Seq: 1, Host: g.last.Host, GPUs: []GPU{}, Processes: g.last.Processes}
		for i := range g.IntN(4) {
			g.last.GPUs = append(g.last.GPUs, GPU{Index: i + g.IntN(2)})
		}
		return Message{Hello: &Hello{Version: Version, GPUs: []Card{}}}
	case g.one(15):
		return Message{Reply: &Reply{ID: g.Uint64()}}
	}
	r := g.last
	r.Seq++
	r.OffBeat, r.MonoMS = g.one(3), g.Int64N(1e9)
	g.values(&r.Host.Values, metric.Host)
	r.GPUs = slices.Clone(r.GPUs)
	if g.one(30) && len(r.GPUs) > 0 { // another list of GPUs, even without a Hello
		r.GPUs = r.GPUs[1:]
	}
	for i := range r.GPUs {
		g.gpu(&r.GPUs[i])
	}
	g.processes(&r)
	r.Faults, r.Xids = nil, nil
	if g.one(4) {
		r.Faults, r.Xids = []Fault{{Collector: "<host>", Error: "\x1b"}}, []Xid{{Code: 79}}
	}
	g.last = r
	if r.Processes == nil {
		g.last.Processes = nil
	}
	return Message{Report: &r}
}

func (g *generator) values(v *metric.Values, s metric.Scope) {
	if g.one(12) {
		*v = metric.Values{}
	}
	for id := range metric.All(s) {
		switch g.IntN(8) {
		case 0:
			v.Set(id, float64(g.IntN(3)))
		case 1:
			v.Set(id, g.Float64()*100)
		case 2:
			v.Set(id, -1e9) // absent
		}
	}
	if s == metric.Host && g.one(2) {
		v.Set(metric.Uptime, float64(g.IntN(1e6)))
	}
}

func (g *generator) gpu(u *GPU) {
	g.values(&u.Values, metric.GPU)
	u.Lost, u.LostID, u.Repeated = "", "", g.one(5)
	if g.one(8) {
		*u = GPU{Index: u.Index, Lost: `GPU is "lost"`, LostID: LostReset, HangsMS: 3}
	}
}

// processes changes a field of some processes, adds some and drops some. Sometimes their names are too long for a line.
func (g *generator) processes(r *Report) {
	r.Listed = !g.one(5)
	list := slices.Clone(r.Processes)
	r.Processes = nil
	if !r.Listed {
		return
	}
	if g.one(4) {
		g.Shuffle(len(list), reflect.Swapper(list))
	}
	for i := range list {
		for g.one(2) {
			g.field(reflect.ValueOf(&list[i]).Elem())
		}
		if !g.one(6) {
			r.Processes = append(r.Processes, list[i])
		}
	}
	for len(r.Processes) < 8 && !g.one(3) {
		p := Process{PID: g.IntN(4), StartTicks: g.Uint64N(3), GPU: g.IntN(2)}
		for range g.IntN(20) {
			g.field(reflect.ValueOf(&p).Elem())
		}
		r.Processes = append(r.Processes, p)
	}
	if g.one(40) && len(r.Processes) > 0 {
		r.Processes[0].Command = strings.Repeat("x", MaxLine)
	}
}

// field gives a field of a struct another value, or makes it absent. The targets of pointers do not change.
func (g *generator) field(v reflect.Value) {
	v = v.Field(g.IntN(v.NumField()))
	switch {
	case v.Kind() == reflect.Struct:
		g.field(v)
	case g.one(4):
		v.SetZero()
	case v.Kind() == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		if v.Elem().Kind() == reflect.Struct {
			g.field(v.Elem())
			return
		}
		g.scalar(v.Elem())
	default:
		g.scalar(v)
	}
}

func (g *generator) scalar(v reflect.Value) {
	switch {
	case v.Kind() == reflect.String:
		v.SetString([]string{"R", "S", `"`, "<\\>", "é", "python"}[g.IntN(6)])
	case v.Kind() == reflect.Bool:
		v.SetBool(g.one(2))
	case v.CanInt():
		v.SetInt(g.Int64N(4))
	case v.CanUint():
		v.SetUint(g.Uint64N(4))
	default:
		v.SetFloat(g.Float64())
	}
}

// A change of any single field of a process arrives.
func TestEveryFieldOfAProcessArrives(t *testing.T) {
	var leaves func(v reflect.Value, visit func(reflect.Value))
	leaves = func(v reflect.Value, visit func(reflect.Value)) {
		switch v.Kind() {
		case reflect.Struct:
			for i := range v.NumField() {
				leaves(v.Field(i), visit)
			}
		case reflect.Pointer:
			leaves(v.Elem(), visit)
		default:
			visit(v)
		}
	}
	count := 0
	leaves(reflect.ValueOf(occupied()).Elem(), func(reflect.Value) { count++ })
	for i := range count {
		p, at := newPipe(), 0
		changed := occupied()
		leaves(reflect.ValueOf(changed).Elem(), func(v reflect.Value) {
			if at++; at-1 == i {
				v.SetZero()
			}
		})
		for _, want := range []*Process{occupied(), changed, occupied()} {
			got, line, err := p.pass(Message{Report: &Report{GPUs: []GPU{}, Processes: []Process{*want}}})
			if err != nil || !reflect.DeepEqual(got.Report.Processes[0], *want) {
				t.Fatalf("%s gives %+v, %v, want %+v", line, got.Report, err, want)
			}
		}
	}
}

func occupied() *Process {
	var p Process
	occupy(reflect.ValueOf(&p).Elem())
	return &p
}

// A report without a base, or with a base about other GPUs, ends the session.
func TestBaselessReports(t *testing.T) {
	const whole = `{"report":{"gpus":[{"index":0,"values":{"util_percent":3}}],"processes":[{"pid":1}]}}` + "\n"
	const hello = `{"hello":{"version":1}}` + "\n"
	for name, tc := range map[string]struct{ before, line string }{
		"the first":       {"", `{"report":{"same":true,"gpus":[]}}`},
		"after a hello":   {whole + hello, `{"report":{"same":true,"gpus":[{"index":0}]}}`},
		"another GPU":     {whole, `{"report":{"same":true,"gpus":[{"index":1}]}}`},
		"a change more":   {whole, `{"report":{"same":true,"changes":{"util_percent":[1,null]},"gpus":[{"index":0}]}}`},
		"a GPU more":      {whole, `{"report":{"same":true,"gpus":[{"index":0},{"index":1}]}}`},
		"no list":         {"", `{"report":{"processes":[{"as":0}]}}`},
		"beyond the list": {whole, `{"report":{"same":true,"gpus":[{"index":0}],"processes":[{"as":1}]}}`},
		"before the list": {whole, `{"report":{"same":true,"gpus":[{"index":0}],"processes":[{"as":-1}]}}`},
		"a list, whole":   {whole, `{"report":{"gpus":[{"index":0}],"processes":[{"as":0}]}}`},
	} {
		r := NewReader(strings.NewReader(tc.before + tc.line + "\n"))
		var err error
		for range strings.Count(tc.before, "\n") {
			err = errors.Join(err, r.Next(&Message{}))
		}
		m := Message{}
		bad := r.Next(&m)
		if err != nil || !errors.Is(bad, ErrNoBase) || m.Report != nil {
			t.Errorf("%s: %v, then %+v, %v", name, err, m, bad)
		}
		if _, ok := errors.AsType[*MalformedError](bad); !ok {
			t.Errorf("%s: %T", name, bad)
		}
	}
}

// A hostile probe can keep text by references to it: this text does not grow from line to line.
func TestMemoryIsBounded(t *testing.T) {
	var stream strings.Builder
	stream.WriteString(`{"report":{"processes":[{"command":"` + strings.Repeat("x", MaxLine/2) + `"}]}}` + "\n")
	stream.WriteString(`{"report":{"same":true,"processes":[{"as":0},{"command":"` +
		strings.Repeat("x", MaxLine/2-100) + `"}]}}` + "\n")
	stream.WriteString(`{"report":{"same":true,"processes":[{"as":0},{"as":1},{"as":1}]}}` + "\n")
	r := NewReader(strings.NewReader(stream.String()))
	for i, want := range []error{nil, nil, ErrListTooLong} {
		if err := r.Next(&Message{}); !errors.Is(err, want) {
			t.Errorf("line %d: %v, want %v", i, err, want)
		}
	}
	var w Writer
	long := Process{Identity: Identity{Command: strings.Repeat("x", MaxLine/2)}}
	err := w.Write(io.Discard, Message{Report: &Report{Processes: []Process{long}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(io.Discard, Message{Report: &Report{Processes: []Process{long, {PID: 1}, long,
		long}}}); !errors.Is(err, ErrLineTooLong) {
		t.Errorf("a list that no Reader takes: %v", err)
	}
}

// busyReport is the report of a node with 8 busy GPUs and 16 processes at a moment: all metrics, and the same ones
// change as on a real node.
func busyReport(at int) *Report {
	rng := rand.New(rand.NewPCG(uint64(at), 1))
	r := &Report{Seq: uint64(at + 1), MonoMS: 3542400000 + 3001*int64(at), Listed: true, TookMS: 4}
	for id := range metric.All(metric.Host) {
		r.Host.Set(id, 1<<30+float64(id))
	}
	for _, id := range []metric.ID{metric.CPU, metric.Load, metric.Load5, metric.Load15} {
		r.Host.Set(id, 100*rng.Float64())
	}
	for _, id := range []metric.ID{metric.HostMemoryUsed, metric.NetTX, metric.NetRX, metric.InfiniBandTX,
		metric.InfiniBandRX} {
		r.Host.Set(id, 1e10*rng.Float64())
	}
	r.Host.Set(metric.Uptime, float64(3542400+3*at))
	r.Jobs = []JobMemory{{Job: "48211", Used: 412<<30 + rng.Uint64N(1<<30), Limit: 1 << 40}}
	for i := range 8 {
		r.GPUs = append(r.GPUs, GPU{Index: i, Values: busyGPU(rng, at)})
		for k := range 2 {
			r.Processes = append(r.Processes, busyProcess(rng, at, i, k))
		}
	}
	return r
}

func busyGPU(rng *rand.Rand, at int) (v metric.Values) {
	for id := range metric.All(metric.GPU) {
		if id.Row().Pace != metric.Once {
			v.Set(id, float64(id))
		}
	}
	for _, id := range []metric.ID{
		metric.Util, metric.MemUtil, metric.SMActive, metric.SMOccupancy, metric.TensorActive, metric.DRAMActive,
		metric.Temperature, metric.MemoryTemperature,
	} {
		v.Set(id, 40+20*rng.Float64())
	}
	for _, id := range []metric.ID{metric.SMClock, metric.GraphicsClock, metric.VideoClock} {
		v.Set(id, 1900+80*rng.Float64())
	}
	for _, id := range []metric.ID{metric.PCIeTX, metric.PCIeRX, metric.NVLinkTX, metric.NVLinkRX} {
		v.Set(id, 1e10*rng.Float64())
	}
	v.Set(metric.MemoryUsed, 70e9+1e9*rng.Float64())
	v.Set(metric.Power, 600+90*rng.Float64())
	v.Set(metric.Energy, 3e9+2000*float64(at)+rng.Float64())
	v.Set(metric.PowerCapTime, 1e6+2*float64(at)+rng.Float64())
	return v
}

func busyProcess(rng *rand.Rand, at, gpu, k int) Process {
	cpu := float64(rng.IntN(20000)) / 100
	return Process{
		PID: 412000 + 16*gpu + k, StartTicks: 354000000, GPU: gpu, Type: "C", State: []string{"R", "S"}[rng.IntN(2)],
		Identity: Identity{
			User: "alice", UID: new(20001), Name: "python", Command: "/home/alice/venv/bin/python train.py " +
				strings.Repeat("--flag value ", 20),
			Directory: "/home/alice/project", Parent: 411999, Job: "48211", Step: "0",
			Rank: &Rank{Rank: gpu, Local: new(gpu), World: new(64), From: "RANK"},
		},
		GPUMemory: new(uint64(35e9)), SMPercent: new(rng.IntN(100)), MemPercent: new(rng.IntN(100)), EncPercent: new(0),
		DecPercent: new(0),
		CPUPercent: &cpu, RSS: new(8e9 + rng.Uint64N(1e9)), Threads: new(96), ElapsedSec: new(int64(2400 + 3*at)),
	}
}

// maxBusy is the largest number of bytes for the report of a busy node with 8 GPUs.
const maxBusy = 6000

func TestBusyReportIsSmall(t *testing.T) {
	p := newPipe()
	for at := range 5 {
		want := busyReport(at)
		got, line, err := p.pass(Message{Report: want})
		if err != nil || !reflect.DeepEqual(got.Report, want) {
			t.Fatalf("report %d: %v", at, err)
		}
		if at > 0 && len(line) > maxBusy {
			t.Errorf("%d bytes, want at most %d:\n%s", len(line), maxBusy, line)
		}
	}
}

func BenchmarkEncodeBusyReport(b *testing.B) {
	reports := [2]*Report{busyReport(0), busyReport(1)}
	var w Writer
	var total counting
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		if err := w.Write(&total, Message{Report: reports[n%2]}); err != nil {
			b.Fatal(err)
		}
		n++
	}
	b.ReportMetric(float64(total)/float64(n), "B/report")
}

type counting int

func (c *counting) Write(p []byte) (int, error) {
	*c += counting(len(p))
	return len(p), nil
}

func BenchmarkDecodeBusyReport(b *testing.B) {
	var w Writer
	var whole, changes bytes.Buffer
	const rounds = 8
	for at := range rounds + 1 {
		to := &changes
		if at == 0 {
			to = &whole
		}
		if err := w.Write(to, Message{Report: busyReport(at)}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(changes.Len())/rounds, "B/report")
	r := NewReader(io.MultiReader(&whole, &endless{text: changes.Bytes()}))
	if err := r.Next(&Message{}); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(changes.Len()) / rounds)
	b.ReportAllocs()
	for b.Loop() {
		if err := r.Next(&Message{}); err != nil {
			b.Fatal(err)
		}
	}
}

// endless repeats a text.
type endless struct {
	text []byte
	at   int
}

func (e *endless) Read(p []byte) (int, error) {
	n := copy(p, e.text[e.at:])
	e.at = (e.at + n) % len(e.text)
	return n, nil
}

// The facts of a GPU beside its values go with each report: a GPU with such facts is not left out.
func TestPlain(t *testing.T) {
	for i := range reflect.TypeFor[GPU]().NumField() {
		name := reflect.TypeFor[GPU]().Field(i).Name
		if name == "Index" || name == "Values" {
			continue
		}
		var odd GPU
		switch f := reflect.ValueOf(&odd).Elem().Field(i); f.Kind() {
		case reflect.String:
			f.SetString("x")
		case reflect.Bool:
			f.SetBool(true)
		case reflect.Int64:
			f.SetInt(7)
		default:
			t.Fatalf("%s has a kind that this test does not know", name)
		}
		var sent bytes.Buffer
		var w Writer
		reports := []*Report{{Seq: 1, GPUs: []GPU{{}, {Index: 1}}}, {Seq: 2, GPUs: []GPU{{}, {Index: 1}}},
			{Seq: 3, GPUs: []GPU{odd, {Index: 1}}}, {Seq: 4, GPUs: []GPU{{}, {Index: 1}}}}
		r := NewReader(&sent)
		for _, want := range reports {
			if err := w.Write(&sent, Message{Report: want}); err != nil {
				t.Fatal(err)
			}
			if named := strings.Contains(sent.String(), `"gpus"`); named != (want.Seq == 1 || want.Seq == 3) {
				t.Errorf("%s: %s", name, sent.String())
			}
			var got Message
			if err := r.Next(&got); err != nil || !reflect.DeepEqual(got.Report, want) {
				t.Errorf("%s: %v: got %+v, want %+v", name, err, got.Report, want)
			}
		}
	}
}

// Each number of a process is in amounts, with its key in JSON. Otherwise a report repeats its old value.
func TestAmountsAreAllNumbers(t *testing.T) {
	numbers := Numbers()
	for f := range reflect.TypeFor[Process]().Fields() {
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Type.Kind() != reflect.Pointer {
			continue
		}
		at := slices.IndexFunc(numbers, func(n field.Field[Process]) bool { return n.Key == key })
		if at < 0 {
			t.Errorf("%s is not among the amounts", key)
			continue
		}
		var p Process
		_, before := numbers[at].Number(&p)
		reflect.ValueOf(&p).Elem().FieldByIndex(f.Index).Set(reflect.New(f.Type.Elem()))
		if _, known := numbers[at].Number(&p); before || !known {
			t.Errorf("%s reads another number", key)
		}
		numbers = slices.Delete(numbers, at, at+1)
	}
	if len(numbers) > 0 {
		t.Errorf("amounts that are no numbers of a process: %+v", numbers)
	}
}

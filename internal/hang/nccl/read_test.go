package nccl_test

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/nvnodetop/nvnodetop/internal/hang/nccl"
	"github.com/nvnodetop/nvnodetop/internal/hang/nccl/ask"
	"github.com/nvnodetop/nvnodetop/test/raced"
	"github.com/nvnodetop/nvnodetop/test/ras"
)

// guide is the example of NCCL's user guide.
const guide = `SERVER PROTOCOL 2
OK
OK
{
  "nccl_version": "2.29.1",
  "cuda_runtime_version": 13000,
  "timestamp": "2025-12-19 13:06:53",
  "communicators_count": 1,
  "communicators": [
    {
      "hash": "0xae94423cfbb2ef4a",
      "secondary_hash": "0xb7e7187447156001:0xb8242ed28a71381e",
      "size": 2,
      "ranks_count": 1,
      "missing_ranks_count": 1,
      "ranks": [
        {
          "rank": 0, "host": "172.16.64.245", "pid": 1524344, "cuda_dev": 0, "nvml_dev": 3,
          "status": {"init_state": 7, "async_error": 6, "finalize_called": false, "destroy_flag": true, "abort_flag": false},
          "collective_counts": {"Broadcast": 0, "Reduce": 18446744073709551615, "AllReduce": 5},
          "of a later version": {"x": [1, {"y": null}]}
        }
      ],
      "missing_ranks": [
        {"rank": 1, "host": "unknown", "pid": -1, "cuda_dev": 1, "nvml_dev": 1,
         "status": {"unresponsive": true, "considered_dead": false}}
      ]
    }
  ],
  "new": [1, 2],
  "ras": {"collection_time_sec": 2.054, "timeouts_count": 2}
}
`

func TestReadJSON(t *testing.T) {
	a, err := nccl.Read(strings.NewReader(guide))
	if err != nil {
		t.Fatal(err)
	}
	if a.Version != "2.29.1" || !a.JSON || a.Cut || a.Timeouts != 2 || a.Took != 2054*time.Millisecond ||
		len(a.Comms) != 1 {
		t.Fatalf("got %+v", a)
	}
	c := a.Comms[0]
	if c.ID != "0xae94423cfbb2ef4a 0xb7e7187447156001:0xb8242ed28a71381e" || c.Size != 2 || c.Number != 1 ||
		len(c.Ranks) != 1 || len(c.Missing) != 1 {
		t.Fatalf("got %+v", c)
	}
	r := c.Ranks[0]
	counts := map[string]uint64{}
	for i, name := range a.Operations {
		counts[name] = r.Counts[i]
	}
	if r.GPU != (nccl.GPU{Host: "172.16.64.245", PID: 1524344, Index: 3}) || r.Init != nccl.InProgress ||
		r.Error != nccl.RemoteError || !r.Leaves || fmt.Sprint(counts) !=
		"map[AllReduce:5 Broadcast:0 Reduce:18446744073709551615]" {
		t.Errorf("got %+v, %v", r, counts)
	}
	if want := (nccl.Missing{GPU: nccl.GPU{Index: 1}, Rank: 1, Why: nccl.Unresponsive}); c.Missing[0] != want {
		t.Errorf("got %+v, want %+v", c.Missing[0], want)
	}
}

// An answer that is broken off anywhere gives what was understood, and says so.
func TestReadTheBeginning(t *testing.T) {
	w := stuck(13)
	w.Lose(grid[21].Peer, true, false)
	w.Version = "2.29.7"
	for _, json := range []bool{true, false} {
		var out bytes.Buffer
		out.WriteString("SERVER PROTOCOL 2\nOK\n")
		write := w.Text
		if json {
			write = w.JSON
		}
		if err := write(&out); err != nil {
			t.Fatal(err)
		}
		whole := out.Bytes()
		head := bytes.Index(whole, []byte("Warnings")) + len("Warnings\n")
		if json {
			head = len(whole) - len("}\n")
		}
		for n := 0; n < head; n += 97 {
			a, err := nccl.Read(bytes.NewReader(whole[:n]))
			if err == nil && !a.Cut {
				t.Fatalf("JSON %t: %d of %d bytes are not cut", json, n, len(whole))
			}
			if err != nil {
				continue
			}
			if v := nccl.Judge(a, a, nil); v.State != nccl.Unclear {
				t.Fatalf("JSON %t: %d of %d bytes are %s", json, n, len(whole), v.State)
			}
		}
		for n := head; n < len(whole) && !json; n++ { // within a line of the last section
			if a, err := nccl.Read(bytes.NewReader(whole[:n])); err != nil || !a.Cut && whole[n-1] != '\n' {
				t.Fatalf("JSON %t: %d of %d bytes are not cut, %v", json, n, len(whole), err)
			}
		}
	}
}

func TestReadNothing(t *testing.T) {
	for text, want := range map[string]string{
		"":                                   "the connection was closed",
		"OK\n":                               "the connection was closed",
		"SERVER PROTOCOL 2\nOK\nOK\n":        "closed the connection without an answer",
		"SSH-2.0-OpenSSH_9.2\r\n":            `it begins with "SSH-2.0-OpenSSH_9.2"`,
		"\x1b[2J\x1b]0;x\x07\n":              "it begins with",
		strings.Repeat("x", 1<<20):           "a line without end",
		"ERROR: Unknown command x\nHTTP/1.1": `it begins with "ERROR`,
	} {
		a, err := nccl.Read(strings.NewReader(text))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\x1b") {
			t.Errorf("%.40q: got %+v, %v, want %q", text, a, err, want)
		}
	}
}

// What NCCL's user guide shows of the text.
func TestReadText(t *testing.T) {
	const text = `NCCL version 2.24.3 compiled with CUDA 12.8
CUDA runtime version 12080, driver version 12080

Job summary
===========

  Nodes  Processes         GPUs  Processes     GPUs
(total)   per node  per process    (total)  (total)
      4          8            1         32       32

Communicators... (2.05s)
=============

Group     Comms     Nodes     Ranks     Ranks     Ranks    Status  Errors
    #  in group  per comm  per node  per comm  in group
    0         1         4       7-8        32        32   RUNNING  INCOMPLETE,MISMATCH
    1         7         4         1         4        28   RUNNING      OK

Errors
======

INCOMPLETE
  Missing communicator data from 1 job process
  Process 3487984 on node 172.16.64.213 managing GPUs 5,6 (NVML 1,2)

#0-0 (cf264af53edbe986) INCOMPLETE
  Missing communicator data from 1 rank
  The missing rank: 21

Warnings
========

TIMEOUT
  Encountered 2 communication timeouts while gathering communicator data

#0-0 (cf264af53edbe986) MISMATCH
  Communicator ranks have different collective operation counts
  26 ranks have launched up to operation 6650
  2 ranks have launched up to operation 6649
  Rank 0 -- GPU 0 managed by process 483072 on node 172.16.64.210
  Rank 2 -- GPU 2 (NVML 6) managed by process 483074 on node 172.16.64.210
  Rank 5 has launched up to operation 6648 -- [process information not found]
  Something new about rank 7

`
	a, err := nccl.Read(strings.NewReader("SERVER PROTOCOL 2\r\nOK\r\nERROR: Unknown command SET FORMAT json\r\n" +
		text))
	if err != nil {
		t.Fatal(err)
	}
	if a.JSON || a.Cut || a.Version != "2.24.3" || a.Took != 2050*time.Millisecond || a.Timeouts != 2 ||
		!slices.Equal(a.Rest, []string{"  Something new about rank 7"}) || len(a.Groups) != 2 || len(a.Comms) != 1 {
		t.Fatalf("got %+v", a)
	}
	if g := a.Groups[0]; g != (nccl.Group{Comms: 1, Nodes: 4, Size: 32, Ranks: 32, PerNode: "7-8", Status: "RUNNING",
		Errors: "INCOMPLETE,MISMATCH"}) {
		t.Errorf("got %+v", g)
	}
	if g := a.Gone; len(g) != 1 || g[0].PID != 3487984 || g[0].Host != "172.16.64.213" || !slices.Equal(g[0].GPUs,
		[]int{1, 2}) || g[0].Why != nccl.Unresponsive {
		t.Errorf("got %+v", g)
	}
	c := a.Comms[0]
	if c.Size != 32 || len(c.Missing) != 1 || c.Missing[0].Rank != 21 || len(c.Spreads) != 1 ||
		len(c.Spreads[0].Levels) != 3 || len(c.Ranks) != 3 || c.Ranks[1].Index != 6 || c.Ranks[2].PID != 0 {
		t.Fatalf("got %+v", c)
	}
	for i, want := range []nccl.Level{{Launched: 6650, Count: 26}, {Launched: 6649, Count: 2, Ranks: []int{0, 1}},
		{Launched: 6648, Count: 1, Ranks: []int{2}}} {
		if l := c.Spreads[0].Levels[i]; l.Launched != want.Launched || l.Count != want.Count ||
			!slices.Equal(l.Ranks, want.Ranks) {
			t.Errorf("level %d: got %+v, want %+v", i, l, want)
		}
	}
}

// What the text says of a rank or a process that cannot be one is kept as it is, and never told of number 0.
func TestReadStrangeNumbers(t *testing.T) {
	a, err := nccl.Read(strings.NewReader(`SERVER PROTOCOL 2
OK
ERROR: Unknown command SET FORMAT json
NCCL version 2.30.4 compiled with CUDA 13.0

#1-0 (abc) INCOMPLETE
  The missing ranks: 3,3057455228
  Rank 99999999999999999999 -- [process information not found]
  Rank 5 -- GPU 1 managed by process 4294967295 on node a

#1-1 (abd) ERROR
  Asynchronous errors on 2 ranks
  Initialization error on 1 rank
  Rank 1 reported Unhandled system error -- [process information not found]

Warnings
========

`))
	if err != nil || a.Cut || len(a.Comms) != 2 {
		t.Fatalf("%v, %+v", err, a)
	}
	var missing []int
	for _, m := range a.Comms[0].Missing {
		missing = append(missing, m.Rank)
		if m.PID != 0 {
			t.Errorf("PID %d", m.PID)
		}
	}
	if !slices.Equal(missing, []int{3, 3057455228, 5}) {
		t.Errorf("missing %v", missing)
	}
	if want := []string{"  Rank 99999999999999999999 -- [process information not found]",
		"  Asynchronous errors on 2 ranks"}; !slices.Equal(a.Rest, want) {
		t.Errorf("rest %q, want %q", a.Rest, want)
	}
	if c := a.Comms[1]; len(c.Ranks) != 1 || c.Ranks[0].Rank != 1 || c.Ranks[0].Init == 0 {
		t.Errorf("%+v", c)
	}
}

// endless is an input without end.
type endless struct {
	line string
	at   int
}

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = e.line[e.at]
		e.at = (e.at + 1) % len(e.line)
	}
	return len(p), nil
}

// Hostile answers cost bounded time and memory, and their words are harmless. It takes seconds: they are as large as
// answers can be.
func TestHostile(t *testing.T) {
	raced.Skip(t)
	comm := `{"hash":"0x\u001b[2J1","size":-5,"ranks":[`
	rank := `{"rank":1,"host":"\u001b]0;x\u0007` + strings.Repeat("h", 1000) + `","pid":-7,"nvml_dev":-9,` +
		`"collective_counts":{"\u202eX":1}},`
	table := "    0         1         4         8  99999999        32   RUNNING  MISMATCH\n"
	mismatch := "Warnings\n#0-0 (1) MISMATCH\n  Communicator ranks have different AllReduce operation counts\n"
	for name, in := range map[string]io.Reader{
		"ranks without end": io.MultiReader(strings.NewReader(`{"communicators":[`+comm), &endless{line: rank}),
		"communicators":     io.MultiReader(strings.NewReader(`{"communicators":[`), &endless{line: `{"hash":"1"},`}),
		"deep":              io.MultiReader(strings.NewReader(`{"x":`), &endless{line: `[`}),
		"deep in ranks":     io.MultiReader(strings.NewReader(`{"communicators":[`), &endless{line: `[`}),
		"a long word":       io.MultiReader(strings.NewReader(`{"nccl_version":"`), &endless{line: `x`}),
		"spaces":            io.MultiReader(strings.NewReader("SERVER PROTOCOL 2\n"), &endless{line: " "}),
		"OK":                &endless{line: "OK\n"},
		"levels": io.MultiReader(strings.NewReader("NCCL version 2.27.7 x\n"+table+mismatch),
			&endless{line: "  7 ranks have launched up to operation 7\n"}),
		"named ranks": io.MultiReader(strings.NewReader("NCCL version 2.27.7 x\n"+table+mismatch),
			&endless{line: "  Rank 1 has launched up to operation 7 -- GPU 1 managed by process 1 on node \x1b[2Jn\n" +
				"  Rank 2 has launched up to operation 8 -- [process information not found]\n"}),
		"processes": io.MultiReader(strings.NewReader("NCCL version 2.27.7 x\nDEAD\n"),
			&endless{line: "  Process 99999999999 on node \x1b[2Jn managing GPUs 1,2,3,,,99999999999\n"}),
		"lines": io.MultiReader(strings.NewReader("NCCL version 2.27.7 x\n"), &endless{line: "  \x1b[2J new\n"}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			began := time.Now()
			a, err := nccl.Read(io.LimitReader(in, 16<<20))
			if err != nil {
				return
			}
			harmless(t, a)
			v := nccl.Judge(a, a, roster(grid).Match(a))
			for _, line := range append(ask.VerdictLines(v), ask.VerdictHeadline(v)) {
				if len(line) > 4000 || strings.ContainsFunc(line, unicode.IsControl) {
					t.Errorf("a line of %d bytes: %.200q", len(line), line)
				}
			}
			var now runtime.MemStats
			runtime.ReadMemStats(&now)
			t.Logf("%s, %d MB", time.Since(began), now.HeapAlloc>>20)
		})
	}
}

// harmless looks at the names in an answer.
func harmless(t *testing.T, a *nccl.Answer) {
	t.Helper()
	words := append(slices.Clone(a.Rest), a.Version)
	words = append(words, a.Operations...)
	for i := range a.Comms {
		words = append(words, a.Comms[i].ID)
		for k := range a.Comms[i].Ranks {
			words = append(words, a.Comms[i].Ranks[k].Host)
		}
	}
	for i := range a.Gone {
		words = append(words, a.Gone[i].Host)
	}
	for _, w := range words {
		if len(w) > 300 || strings.ContainsFunc(w, func(r rune) bool { return unicode.IsControl(r) || r == '\u202e' }) {
			t.Fatalf("%q", w)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(guide))
	const twice = `{"hash": "1", "size": 2, "ranks": [{"pid": 7, "collective_counts": {"Reduce": 5}}, {"pid": 7}]}`
	f.Add([]byte(`{"communicators": [` + twice + `, ` + twice + `]}`))
	f.Add([]byte(`{"communicators": [` + twice + `, {}]}`))
	w := stuck(5, 9)
	w.Lose(grid[21].Peer, true, true)
	w.Of(0x1003).Ranks[1].Async = 6
	for _, version := range []string{"2.24.3", "2.27.7"} {
		var out bytes.Buffer
		w.Version = version
		if err := w.Text(&out); err != nil {
			f.Fatal(err)
		}
		f.Add(out.Bytes())
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		a, err := nccl.Read(bytes.NewReader(text))
		if err != nil {
			return
		}
		harmless(t, a)
		v := nccl.Judge(nil, a, nil)
		_, _ = ask.VerdictHeadline(v), ask.VerdictLines(v)
		v = nccl.Judge(a, a, roster(grid).Match(a))
		if _, _ = ask.VerdictHeadline(v), ask.VerdictLines(v); v.State == nccl.Moving {
			t.Error("an answer has moved since itself")
		}
	})
}

func TestRoster(t *testing.T) {
	two := ras.Grid(8, 4)
	for i := range two { // another job of the user on the same nodes
		two[i].PID += 100
	}
	clones := ras.Grid(3, 2)
	for i := range clones { // containers with PIDs of their own
		clones[i].PID = 10 + clones[i].GPU
	}
	half := slices.Clone(grid)
	for i := range half { // half of the processes have been started anew
		if i%2 == 0 {
			half[i].PID += 7
		}
	}
	for _, c := range []struct {
		name    string
		answers []ras.Place
		job     []ras.Place
		own     bool
		named   int // members with a place
	}{
		{"the job", grid, grid, true, 32},
		{"another job", two, grid, false, 0},
		{"a part of the job is known", grid, grid[:8], true, 8},
		{"RAS knows a part of the job", grid[:8], grid, true, 8},
		{"some processes are new", half, grid, true, 16},
		{"the same PIDs on all nodes", clones, clones, true, 0},
		{"the same PIDs on one node", clones[:2], clones[:2], true, 2},
		{"nothing is known of the job", grid, nil, false, 0},
	} {
		w := ras.World{Version: "2.28.9", Comms: []ras.Comm{ras.Group(1, c.answers, 5)}}
		a := answer(t, w, 0, true)
		names := roster(c.job).Match(a)
		named := 0
		for i := range a.Comms[0].Ranks {
			g := a.Comms[0].Ranks[i].GPU
			if m := names.Member(g); m.Place != nil {
				named++
				if m.Place.PID != g.PID || m.Place.Index != g.Index || m.Place.Node != "n"+g.Host[len("172.16."):] {
					t.Errorf("%s: %+v is at %+v", c.name, g, m.Place)
				}
			}
		}
		if names.Own() != c.own || named != c.named {
			t.Errorf("%s: own %t, %d named", c.name, names.Own(), named)
		}
	}
}

// The answer about the largest jobs.
func TestLargest(t *testing.T) {
	raced.Skip(t)
	places := ras.Grid(128, 8)
	w := ras.World{Version: "2.30.7"}
	for i := range 40 {
		w.Comms = append(w.Comms, ras.Group(uint64(i+1), places, 100))
	}
	w.Of(7).Launch(1, 317)
	first := answer(t, w, 0, true)
	v := nccl.Judge(first, first, roster(places).Match(first))
	if v.State != nccl.Stuck || len(v.Causes) != 1 || *v.Causes[0].Place.Rank != 317 || v.Waiting != 1023 {
		t.Errorf("got %s", ask.VerdictHeadline(v))
	}
}

func BenchmarkRead(b *testing.B) {
	w := ras.World{Version: "2.30.7"}
	for i := range 40 {
		w.Comms = append(w.Comms, ras.Group(uint64(i+1), ras.Grid(128, 8), 100))
	}
	var out bytes.Buffer
	if err := w.JSON(&out); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := nccl.Read(bytes.NewReader(out.Bytes())); err != nil {
			b.Fatal(err)
		}
	}
}

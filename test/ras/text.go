package ras

import (
	"cmp"
	"io"
	"slices"
	"strconv"
	"strings"
)

// Text writes what RAS answers to VERBOSE STATUS as text: 2.26 and newer, or 2.24 and 2.25 if the Version says so.
func (w *World) Text(out io.Writer) error {
	t := &texter{printer: printer{out: out}, w: w,
		old: strings.HasPrefix(w.Version, "2.24") || strings.HasPrefix(w.Version, "2.25")}
	t.summary()
	t.table()
	t.print("\nErrors\n======\n\n")
	t.gone()
	for g, list := range t.groups {
		for k, c := range list {
			t.incomplete(g, k, c)
			t.failed(g, k, c)
		}
	}
	t.print("Warnings\n========\n\n")
	if w.Timeouts > 0 {
		t.print("TIMEOUT\n  Encountered %d communication timeout%s while gathering communicator data\n\n", w.Timeouts,
			s(w.Timeouts))
	}
	for g, list := range t.groups {
		for k, c := range list {
			t.mismatch(g, k, c)
		}
	}
	return t.err
}

type texter struct {
	printer
	w      *World
	old    bool
	groups [][]*Comm
}

func s(n int) string {
	if n > 1 {
		return "s"
	}
	return ""
}

func (t *texter) summary() {
	peers, gpus := t.w.peers()
	hosts := map[string]int{}
	all := 0
	for _, p := range peers {
		hosts[p.Host]++
		all += len(gpus[p])
	}
	t.print("NCCL version %s compiled with CUDA 12.8\nCUDA runtime version 12080, driver version 12080\n\n"+
		"Job summary\n===========\n\n  Nodes  Processes         GPUs  Processes     GPUs\n"+
		"(total)   per node  per process    (total)  (total)\n%7d  %9d  %11d  %9d  %7d\n\nCommunicators...",
		t.w.Version, len(hosts), len(peers)/max(len(hosts), 1), all/max(len(peers), 1), len(peers), all)
}

// status is the state of a rank in RAS's words.
func (r *Rank) status() string {
	switch {
	case r.Abort:
		return "ABORT"
	case r.Finalize || r.Destroy:
		return "FINALIZE"
	case r.Init == 0:
		return "RUNNING"
	}
	return "INIT"
}

// errors are the problems of a communicator in RAS's words.
func (c *Comm) errors() string {
	var words []string
	add := func(word string, is bool) {
		if is {
			words = append(words, word)
		}
	}
	failed := func(code int) bool { return code != 0 && code != 7 }
	add("INCOMPLETE", slices.ContainsFunc(c.Missing, func(m Missing) bool { return m.Unresponsive || m.Dead }))
	add("ERROR", slices.ContainsFunc(c.Ranks, func(r Rank) bool { return failed(r.Init) || failed(r.Async) }))
	add("MISMATCH", len(c.statuses()) > 1 || slices.ContainsFunc(c.Ranks, func(r Rank) bool {
		return r.Counts != c.Ranks[0].Counts
	}))
	if len(words) == 0 {
		return "OK"
	}
	return strings.Join(words, ",")
}

// statuses are the ranks by state; those that have left are NOCOMM.
func (c *Comm) statuses() map[string][]int {
	by := map[string][]int{}
	for i := range c.Ranks {
		by[c.Ranks[i].status()] = append(by[c.Ranks[i].status()], i)
	}
	for _, m := range c.Missing {
		if !m.Unresponsive && !m.Dead {
			by["NOCOMM"] = append(by["NOCOMM"], m.Rank)
		}
	}
	return by
}

// table groups equal communicators, the largest first.
func (t *texter) table() {
	t.print(" (%.3fs)\n=============\n\n", 0.004+2*float64(t.w.Timeouts))
	if len(t.w.Comms) == 0 {
		t.print("No communicator data collected!\n")
		return
	}
	t.print("Group     Comms     Nodes     Ranks     Ranks     Ranks    Status  Errors\n" +
		"    #  in group  per comm  per node  per comm  in group\n")
	key := func(c *Comm) string {
		return strconv.Itoa(1e6-c.size()) + " " + c.state() + " " + c.errors() + " " + strconv.Itoa(c.nodes())
	}
	at := map[string]int{}
	order := make([]*Comm, len(t.w.Comms))
	for i := range order {
		order[i] = &t.w.Comms[i]
	}
	slices.SortStableFunc(order, func(a, b *Comm) int { return cmp.Compare(b.size(), a.size()) })
	for _, c := range order {
		g, found := at[key(c)]
		if !found {
			g = len(t.groups)
			at[key(c)] = g
			t.groups = append(t.groups, nil)
		}
		t.groups[g] = append(t.groups[g], c)
	}
	for g, list := range t.groups {
		c := list[0]
		t.print("%5d  %8d  %8d  %8d  %8d  %8d  %8s  %6s\n", g, len(list), c.nodes(), len(c.Ranks)/max(c.nodes(), 1),
			c.size(), len(list)*len(c.Ranks), c.state(), c.errors())
	}
}

// state is the most of the states of the ranks.
func (c *Comm) state() string {
	most := "NOCOMM"
	for _, state := range []string{"INIT", "RUNNING", "FINALIZE", "ABORT"} {
		if len(c.statuses()[state]) > 0 {
			most = state
		}
	}
	return most
}

func (c *Comm) nodes() int {
	hosts := map[string]bool{}
	for i := range c.Ranks {
		hosts[c.Ranks[i].Host] = true
	}
	return len(hosts)
}

// gone lists processes that do not answer.
func (t *texter) gone() {
	peers, gpus := t.w.peers()
	for _, kind := range []string{"INCOMPLETE", "DEAD"} {
		var list []Peer
		for _, p := range peers {
			if slices.ContainsFunc(t.w.Comms, func(c Comm) bool {
				return slices.ContainsFunc(c.Missing, func(m Missing) bool {
					return m.Peer == p && m.Dead == (kind == "DEAD") && (m.Dead || m.Unresponsive)
				})
			}) {
				list = append(list, p)
			}
		}
		if len(list) == 0 {
			continue
		}
		es, are := "", " is"
		if len(list) > 1 {
			es, are = "es", "es are"
		}
		if kind == "DEAD" {
			t.print("DEAD\n  %d job process%s considered dead (unreachable via the RAS network)\n", len(list), are)
		} else {
			t.print("INCOMPLETE\n  Missing communicator data from %d job process%s\n", len(list), es)
		}
		for _, p := range list {
			words := make([]string, len(gpus[p]))
			for i, gpu := range gpus[p] {
				words[i] = strconv.Itoa(gpu)
			}
			t.print("  Process %d on node %s managing GPU%s %s\n", p.PID, p.Host, s(len(words)),
				strings.Join(words, ","))
		}
		t.print("\n")
	}
}

func (t *texter) incomplete(g, k int, c *Comm) {
	var list []Missing
	for _, m := range c.Missing {
		if m.Unresponsive || m.Dead {
			list = append(list, m)
		}
	}
	if len(list) == 0 {
		return
	}
	t.print("#%d-%d (%016x) INCOMPLETE\n  Missing communicator data from %d rank%s\n", g, k, c.Hash, len(list),
		s(len(list)))
	if t.old {
		words := make([]string, len(list))
		for i, m := range list {
			words[i] = strconv.Itoa(m.Rank)
		}
		t.print("  The missing rank%s: %s\n", s(len(list)), strings.Join(words, ","))
	} else {
		for _, m := range list {
			t.print("  Rank %d -- %s\n", m.Rank, where(m.CUDA, m.NVML, m.Peer))
		}
	}
	t.print("\n")
}

// where is a GPU and its process, as the text has them.
func where(cuda, nvml int, p Peer) string {
	gpu := strconv.Itoa(cuda)
	if cuda != nvml {
		gpu += " (NVML " + strconv.Itoa(nvml) + ")"
	}
	return "GPU " + gpu + " managed by process " + strconv.Itoa(p.PID) + " on node " + p.Host
}

var errorWords = map[int]string{1: "Unhandled CUDA error", 2: "System error", 3: "Internal error",
	4: "Invalid argument",
	5: "Invalid usage", 6: "Remote process error"}

func (t *texter) failed(g, k int, c *Comm) {
	if !strings.Contains(c.errors(), "ERROR") {
		return
	}
	t.print("#%d-%d (%016x) ERROR\n", g, k, c.Hash)
	for _, kind := range []string{"Initialization", "Asynchronous"} {
		by := map[int][]int{}
		n := 0
		for i := range c.Ranks {
			code := c.Ranks[i].Async
			if kind == "Initialization" {
				code = c.Ranks[i].Init
			}
			if code != 0 && code != 7 {
				by[code] = append(by[code], i)
				n++
			}
		}
		if n > 0 {
			t.print("  %s error%s on %d rank%s\n", kind, s(n), n, s(n))
		}
		for code := range 7 {
			t.list(c, by[code], "ranks reported "+errorWords[code], "reported "+errorWords[code], true)
		}
	}
	t.print("\n")
}

// list prints a group of ranks, and names them if they are few.
func (t *texter) list(c *Comm, ranks []int, several, one string, always bool) {
	if len(ranks) > 1 {
		t.print("  %d %s\n", len(ranks), several)
	}
	if len(ranks) > 1 && !always && 2*len(ranks) >= c.size() {
		return
	}
	for _, i := range ranks {
		r := &c.Ranks[i]
		if len(ranks) > 1 {
			t.print("  Rank %d -- %s\n", r.Rank, where(r.CUDA, r.NVML, r.Peer))
		} else {
			t.print("  Rank %d %s -- %s\n", r.Rank, one, where(r.CUDA, r.NVML, r.Peer))
		}
	}
}

func (t *texter) mismatch(g, k int, c *Comm) {
	if !strings.Contains(c.errors(), "MISMATCH") {
		return
	}
	t.print("#%d-%d (%016x) MISMATCH\n", g, k, c.Hash)
	if by := c.statuses(); len(by) > 1 {
		t.print("  Communicator ranks have different status\n")
		for _, status := range []string{"RUNNING", "INIT", "FINALIZE", "ABORT"} {
			t.list(c, by[status], "ranks have status "+status, "has status "+status, false)
		}
		if left := by["NOCOMM"]; len(left) > 0 {
			t.left(c, left)
		}
	}
	if t.old {
		t.counts(c, "collective", func(r *Rank) (sum uint64) {
			for _, n := range r.Counts {
				sum += n
			}
			return sum
		})
		t.print("\n")
		return
	}
	for op, name := range Operations {
		t.counts(c, name, func(r *Rank) uint64 { return r.Counts[op] })
	}
}

// left prints the ranks that have left a communicator.
func (t *texter) left(c *Comm, ranks []int) {
	if t.old {
		words := make([]string, len(ranks))
		for i, rank := range ranks {
			words[i] = strconv.Itoa(rank)
		}
		if len(ranks) > 1 {
			t.print("  %d ranks have status UNKNOWN\n  The unknown ranks: %s\n", len(ranks), strings.Join(words, ","))
		} else {
			t.print("  Rank %s has status UNKNOWN\n", words[0])
		}
		return
	}
	if len(ranks) > 1 {
		t.print("  %d ranks have status NOCOMM\n", len(ranks))
	}
	for _, m := range c.Missing {
		switch {
		case m.Unresponsive || m.Dead:
		case len(ranks) > 1:
			t.print("  Rank %d -- %s\n", m.Rank, where(m.CUDA, m.NVML, m.Peer))
		default:
			t.print("  Rank %d has status NOCOMM -- %s\n", m.Rank, where(m.CUDA, m.NVML, m.Peer))
		}
	}
}

func (t *texter) counts(c *Comm, name string, count func(r *Rank) uint64) {
	by := map[uint64][]int{}
	for i := range c.Ranks {
		by[count(&c.Ranks[i])] = append(by[count(&c.Ranks[i])], i)
	}
	if len(by) < 2 {
		return
	}
	t.print("  Communicator ranks have different %s operation counts\n", name)
	var values []uint64
	for n := range by {
		values = append(values, n)
	}
	slices.SortFunc(values, func(a, b uint64) int {
		return cmp.Or(cmp.Compare(len(by[b]), len(by[a])), cmp.Compare(a, b))
	})
	for _, n := range values {
		words := "launched up to operation " + strconv.FormatUint(n, 10)
		if n == 0 && !t.old {
			words = "not launched any operations"
		}
		t.list(c, by[n], "ranks have "+words, "has "+words, false)
	}
	if !t.old {
		t.print("\n")
	}
}

package main

import (
	"bufio"
	"bytes"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/test/tree"
)

// standInVariable makes this program stand in for srun; its value is the directory for the counts.
const standInVariable = "NVNODETOP_BENCH_SRUN"

// What the stand-in plays: the pasts of some nodes of the demo, each from many beginnings.
const (
	treeGPUs     = 8
	treeInterval = 3 * time.Second
	pastNodes    = 24
	pastReports  = 300
	pastFile     = "past" // in the directory for the counts
)

// counts are what a stand-in has passed on.
type counts struct {
	Nodes    int64 // that have been asked for reports
	Reports  int64
	Pieces   int64 // lines, of reports and all else
	Bytes    int64
	Requests int64
	Asked    int64 // bytes of them
	Passed   int64 // bytes that srun would send: each request goes to all nodes of the step
	Late     int64 // ms that reports wait to be read, or have
	Dropped  int64 // reports that were not sent because the reader is slower than the nodes
}

// standIn prints what srun --label prints for a step on many nodes.
type standIn struct {
	nodes []string
	label map[string]int
	pasts []tree.Past
	asked []atomic.Bool // for reports, by label
	next  []int         // by label, in the past of the node

	writing sync.Mutex // protects the following
	buf     bytes.Buffer
	folded  io.Writer // into buf
	counts
}

// playSrun stands in for an srun with these arguments until its input ends.
func playSrun(dir string, args []string) error {
	s := &standIn{label: map[string]int{}}
	for _, a := range args {
		if list, ok := strings.CutPrefix(a, "--nodelist="); ok {
			s.nodes = strings.Split(list, ",")
		}
	}
	file, err := os.Open(filepath.Join(dir, pastFile))
	if err != nil {
		return err
	}
	if err := gob.NewDecoder(file).Decode(&s.pasts); err != nil {
		return err
	}
	s.folded = wire.Fold(&s.buf, 1000)
	s.asked, s.next = make([]atomic.Bool, len(s.nodes)), make([]int, len(s.nodes))
	for i, node := range s.nodes {
		s.label[node] = i
		s.next[i] = i * 7 % (pastReports / 2)
		s.print(i, fmt.Appendf(nil, "#nvnodetop-task/1 %s\n", node))
	}
	for i := range s.nodes {
		s.print(i, fmt.Appendf(nil, "%s\n%s", wire.Magic, s.of(i).Hello))
	}
	go s.report()
	go s.count(filepath.Join(dir, fmt.Sprintf("srun-%d", os.Getpid())))
	return s.answer()
}

func (s *standIn) of(i int) *tree.Past { return &s.pasts[i%len(s.pasts)] }

// print writes the lines of a task with their label, one write for each, as srun does.
func (s *standIn) print(i int, lines []byte) {
	s.writing.Lock()
	defer s.writing.Unlock()
	s.buf.Reset()
	_, _ = s.folded.Write(lines)
	label := fmt.Appendf(nil, "%*d: ", len(fmt.Sprint(len(s.nodes)-1)), i)
	for piece := range bytes.Lines(s.buf.Bytes()) {
		n, err := os.Stdout.Write(append(slices.Clip(label), piece...))
		if err != nil {
			os.Exit(0) // nobody reads any more
		}
		s.Pieces++
		s.Bytes += int64(n)
	}
}

// report sends the report of each node that was asked for some, spread over the interval.
func (s *standIn) report() {
	began := time.Now()
	for i := 0; ; i++ {
		due := began.Add(treeInterval * time.Duration(i) / time.Duration(len(s.nodes)))
		time.Sleep(time.Until(due))
		late := time.Since(due)
		at := i % len(s.nodes)
		s.writing.Lock()
		s.Late = late.Milliseconds()
		if late > treeInterval { // a probe that cannot write makes no more reports
			s.Dropped += int64(len(s.nodes))
			began = began.Add(treeInterval)
		}
		s.writing.Unlock()
		if !s.asked[at].Load() {
			continue
		}
		p, n := s.of(at), s.next[at]%pastReports
		line := p.Changes[n]
		if n == 0 || s.next[at] == at*7%(pastReports/2) {
			line = p.Whole[n]
		}
		s.next[at]++
		s.print(at, line)
		s.writing.Lock()
		s.Reports++
		s.writing.Unlock()
	}
}

// answer replies to requests: of the node that each is addressed to, or of all.
func (s *standIn) answer() error {
	for in := bufio.NewReader(os.Stdin); ; {
		line, err := in.ReadString('\n')
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		labels, text := s.addressed(line)
		var r wire.Request
		if json.Unmarshal([]byte(text), &r) != nil {
			continue // the farewell to a node
		}
		s.writing.Lock()
		s.Requests++
		s.Asked += int64(len(line))
		s.Passed += int64(len(line) * len(s.nodes))
		for _, at := range labels {
			if r.Pace != nil && !s.asked[at].Swap(true) {
				s.Nodes++
			}
		}
		s.writing.Unlock()
		var reply bytes.Buffer
		if err := wire.Write(&reply, wire.Message{Reply: &wire.Reply{ID: r.ID}}); err != nil {
			return err
		}
		for _, at := range labels {
			s.print(at, reply.Bytes())
		}
	}
}

// addressed returns whom a line is for, and what it says.
func (s *standIn) addressed(line string) (labels []int, text string) {
	address, addressed := strings.CutPrefix(line, "@")
	if !addressed {
		return slices.Collect(maps.Values(s.label)), line
	}
	to, text, _ := strings.Cut(address, " ")
	if at, known := s.label[to]; known {
		labels = append(labels, at)
	}
	return labels, text
}

// count writes the counts into a file, again and again.
func (s *standIn) count(path string) {
	for ; ; time.Sleep(100 * time.Millisecond) {
		s.writing.Lock()
		text, err := json.Marshal(s.counts)
		s.writing.Unlock()
		if err != nil || os.WriteFile(path+"~", text, 0o600) != nil || os.Rename(path+"~", path) != nil {
			return // the directory has been removed
		}
	}
}

// readCounts adds up the counts of all stand-ins.
func readCounts(dir string) (all counts, sruns int) {
	paths, _ := filepath.Glob(filepath.Join(dir, "srun-*[0-9]"))
	for _, path := range paths {
		var c counts
		text, err := os.ReadFile(path)
		if err != nil || json.Unmarshal(text, &c) != nil {
			continue
		}
		all = counts{
			Nodes: all.Nodes + c.Nodes, Reports: all.Reports + c.Reports, Pieces: all.Pieces + c.Pieces,
			Bytes:    all.Bytes + c.Bytes,
			Requests: all.Requests + c.Requests, Asked: all.Asked + c.Asked, Passed: all.Passed + c.Passed,
			Late: max(all.Late, c.Late), Dropped: all.Dropped + c.Dropped,
		}
	}
	return all, len(paths)
}

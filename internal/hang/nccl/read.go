package nccl

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/lib/text/safe"
)

// Limits of an Answer. The largest jobs have tens of thousands of GPUs, each in about ten communicators.
const (
	maxBytes      = 64 << 20
	maxLine       = 64 << 10 // of text, and of what comes before an answer
	maxLines      = 100_000  // of text
	maxComms      = 1 << 16
	maxRanks      = 1 << 18 // in all communicators
	maxOperations = 32
	maxHosts      = 1 << 13
	maxRest       = 200
	maxWord       = 64 // bytes of a name
)

// Read reads an answer as the socket gave it: the replies to the commands, then the document. It returns what it has
// understood, even from an answer that broke off. An error means that this is no answer of RAS at all.
func Read(from io.Reader) (*Answer, error) {
	in := bufio.NewReaderSize(io.LimitReader(from, maxBytes), maxLine)
	a := &Answer{}
	served := false
	for {
		next, err := in.Peek(1)
		if err != nil {
			return nil, connectionError(err, served)
		}
		if next[0] == '{' {
			a.JSON = true
			r := &jsonReader{a: a}
			r.readDocument(in)
			break
		}
		text, err := in.ReadSlice('\n')
		if err != nil && len(text) == 0 {
			return nil, connectionError(err, served)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			return nil, errors.New("no answer of NCCL's RAS: a line without end")
		}
		line := strings.TrimRight(string(text), "\r\n")
		switch {
		case strings.HasPrefix(line, "SERVER PROTOCOL "):
			served = true
		case line == "OK":
		case strings.HasPrefix(line, "ERROR: ") && served: // this version does not know a command
		case served || strings.HasPrefix(line, "NCCL version "):
			r := &textReader{a: a}
			r.readLine(line)
			r.readLines(in)
			return a.finishAnswer(), nil
		default:
			return nil, fmt.Errorf("no answer of NCCL's RAS: it begins with %q", safe.Line(line, maxWord))
		}
	}
	return a.finishAnswer(), nil
}

func connectionError(err error, served bool) error {
	switch {
	case !errors.Is(err, io.EOF):
		return err
	case served:
		return errors.New("NCCL's RAS has closed the connection without an answer")
	}
	return errors.New("no answer of NCCL's RAS: the connection was closed")
}

// finishAnswer orders and numbers the communicators, and compares their ranks.
func (a *Answer) finishAnswer() *Answer {
	slices.SortStableFunc(a.Comms, func(x, y Comm) int {
		return cmp.Or(cmp.Compare(y.Size, x.Size), cmp.Compare(x.firstProcess(), y.firstProcess()), cmp.Compare(x.ID, y.ID))
	})
	for i := range a.Comms {
		c := &a.Comms[i]
		if c.Number = i + 1; a.JSON {
			c.findSpreads(a.Operations)
		}
	}
	return a
}

// firstProcess returns the first process of a communicator. With it, equal parts of a job come in the order of its
// nodes.
func (c *Comm) firstProcess() string {
	if len(c.Ranks) == 0 {
		return ""
	}
	g := &c.Ranks[0].GPU
	return g.Host + " " + strconv.Itoa(g.PID)
}

// findSpreads finds the operations that the ranks have launched different numbers of times.
func (c *Comm) findSpreads(operations []string) {
	for op, name := range operations {
		differ := false
		for i := range c.Ranks {
			differ = differ || c.Ranks[i].launchedCount(op) != c.Ranks[0].launchedCount(op)
		}
		if !differ {
			continue
		}
		at := map[uint64][]int{}
		for i := range c.Ranks {
			launched := c.Ranks[i].launchedCount(op)
			at[launched] = append(at[launched], i)
		}
		s := Spread{Operation: name}
		for launched, ranks := range at {
			s.Levels = append(s.Levels, Level{Launched: launched, Count: len(ranks), Ranks: ranks})
		}
		slices.SortFunc(s.Levels, func(a, b Level) int { return cmp.Compare(b.Launched, a.Launched) })
		c.Spreads = append(c.Spreads, s)
	}
}

// launchedCount returns how often the rank has launched an operation. An older rank may not count all operations.
func (r *Rank) launchedCount(op int) uint64 {
	if op >= len(r.Counts) {
		return 0
	}
	return r.Counts[op]
}

package recording

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// decoder reverses encoder.
type decoder struct {
	layout *numberLayout
	nodes  map[string]*nodeReader
	text   []byte
}

// nodeReader reads the lines of one node.
type nodeReader struct {
	text    bytes.Reader
	lines   *wire.Reader
	last    *wire.Report
	numbers numbers
}

// resetState forgets what is known, at the beginning of another frame.
func (c *decoder) resetState(l *numberLayout) { c.layout, c.nodes = l, map[string]*nodeReader{} }

var errLine = errors.New("a line is not an event")

// decodeLine returns the Event of a line, and whether the Event was written before.
func (c *decoder) decodeLine(line []byte) (e cluster.Event, known bool, err error) {
	body, ok := bytes.CutPrefix(line, []byte(lineAt))
	if !ok {
		return e, false, errLine
	}
	at, body, _ := bytes.Cut(body, []byte(","))
	ns, err := strconv.ParseInt(string(at), 10, 64)
	if err != nil {
		return e, false, errLine
	}
	e.At = time.Unix(0, ns)
	if body, ok = bytes.CutPrefix(body, []byte(lineNode[1:])); !ok {
		return e, false, errLine
	}
	end := nameEnd(body)
	if end < 0 || json.Unmarshal(body[:end], &e.Node) != nil {
		return e, false, errLine
	}
	body, known = bytes.CutPrefix(body[end:], []byte(lineKnown))
	if bytes.HasPrefix(body, []byte(`,"report":`)) || bytes.HasPrefix(body, []byte(`,"hello":`)) ||
		bytes.HasPrefix(body, []byte(linePacked)) {
		return e, known, c.readMessage(&e, body)
	}
	if err := checkContents(line, bytes.HasPrefix(body, []byte(lineJobs))); err != nil {
		return e, known, err
	}
	var r eventRest
	if err := json.Unmarshal(line, &r); err != nil {
		return e, known, errLine
	}
	e.Discovery, e.Try, e.Step, e.Pace, e.Down, e.Gone = r.Discovery, r.Try, r.Step, r.Pace, r.Down, r.Gone
	e.Stacks, e.Progress = r.Stacks, r.Progress
	if e.Mark = r.Mark; e.Mark != nil {
		e.Mark.Arrived = e.At
	}
	e.Localize()
	return e, known, nil
}

// checkContents checks the contents of a line that package wire does not read, before it is decoded.
func checkContents(line []byte, hasJobs bool) error {
	if !hasJobs && len(line) > wire.MaxLine {
		return errTooLong
	}
	return checkBounds(line, hasJobs)
}

// nameEnd returns the index after a JSON string at the beginning of text, -1 if there is none.
func nameEnd(text []byte) int {
	if len(text) == 0 || text[0] != '"' {
		return -1
	}
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return -1
}

// readMessage reads a Hello or a report from the part of a line after the name of the node.
func (c *decoder) readMessage(e *cluster.Event, line []byte) error {
	n, err := c.ensureNode(e.Node)
	if err != nil {
		return err
	}
	line, packed, err := cutPacked(line)
	if err != nil {
		return err
	}
	var m wire.Message
	if len(line) > 0 {
		c.text = append(append(append(c.text[:0], '{'), line[1:]...), "}\n"...)
		n.text.Reset(c.text)
		if err := n.lines.Next(&m); err != nil {
			return errLine
		}
	}
	e.Hello, e.Report = m.Hello, m.Report
	switch {
	case packed != nil:
		e.Report, err = c.readReport(n, m.Report, packed)
	case m.Report != nil:
		n.numbers.resetNumbers(m.Report, c.layout)
	}
	n.last = e.Report
	return err
}

// cutPacked cuts the packed numbers from the end of a line. They are nil if there are none.
func cutPacked(line []byte) (rest, packed []byte, err error) {
	line, ok := bytes.CutSuffix(line, []byte("}\n"))
	if !ok {
		return nil, nil, errLine
	}
	at := 0
	if !bytes.HasPrefix(line, []byte(linePacked)) { // as in nearly all lines
		at = bytes.LastIndex(line, []byte(linePacked))
	}
	if at < 0 {
		return line, nil, nil
	}
	packed, ok = bytes.CutSuffix(line[at+len(linePacked):], []byte{'"'})
	if !ok {
		return nil, nil, errLine
	}
	return line[:at], packed, nil
}

// readReport returns the report with its packed numbers. Everything else comes from the last report, unless it was
// written.
func (c *decoder) readReport(n *nodeReader, written *wire.Report, packed []byte) (*wire.Report, error) {
	if n.last == nil || written != nil && len(written.GPUs) != len(n.last.GPUs) {
		return nil, errLine
	}
	r := wire.Report{Jobs: n.last.Jobs, GPUs: n.last.GPUs}
	if written != nil {
		r = *written
	}
	r.Host = n.last.Host
	r.Jobs, r.GPUs = slices.Clone(r.Jobs), slices.Clone(r.GPUs)
	for i := range r.GPUs {
		if written != nil {
			r.GPUs[i].Values = n.last.GPUs[i].Values
		}
	}
	return &r, c.layout.unpackNumbers(&n.numbers, packed, &r)
}

func (c *decoder) ensureNode(name string) (*nodeReader, error) {
	if n := c.nodes[name]; n != nil {
		return n, nil
	}
	if len(c.nodes) == maxNodes {
		return nil, fmt.Errorf("more than %d nodes: %w", maxNodes, errTooMuch)
	}
	n := &nodeReader{}
	text := bufio.NewReaderSize(&n.text, wire.ReadSize)
	n.lines = wire.NewReaderWith(text.ReadSlice, func(line []byte, v any) error { return jsonv2.Unmarshal(line, v) })
	c.nodes[name] = n
	return n, nil
}

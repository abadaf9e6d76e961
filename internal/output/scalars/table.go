package scalars

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/nvnodetop/nvnodetop/internal/lib/text"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// Form is a form of lines. There is one line for each sample of a GPU.
type Form struct {
	head  string                 // the first line of the file; "": none
	ours  func(line string) bool // reports whether a first line has this form
	lines func(to []byte, samples []Sample) []byte
}

// The forms.
var (
	CSV       = Form{csvHead, func(line string) bool { return line == csvHead }, appendCSV}
	JSONLines = Form{"", func(line string) bool { return strings.HasPrefix(line, `{"time":"`) }, appendJSON}
)

// csvHead has the columns that identify the GPU, those of Names, and the marks.
var csvHead = "time,elapsed_seconds,job,rank,node,gpu,uuid," + strings.Join(Names, ",") + ",marks"

// Table is a file of lines.
type Table struct {
	form Form
	file *os.File
	text []byte
}

// Open returns a Table that appends to a file. It fails if the file holds something else: nothing is ever overwritten.
func Open(path string, form Form) (*Table, error) {
	f, empty, err := openLines(path, form.ours)
	if err != nil {
		return nil, err
	}
	t := &Table{form: form, file: f}
	if empty {
		err = t.begin()
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return t, nil
}

// Stream returns a Table that writes to an open file, such as the standard output. Close closes it.
func Stream(out *os.File, form Form) (*Table, error) {
	t := &Table{form: form, file: out}
	return t, t.begin()
}

func (t *Table) begin() error {
	if t.form.head == "" {
		return nil
	}
	return appendWhole(t.file, []byte(t.form.head+"\n"))
}

// Write implements Output. It leaves out samples over all GPUs of a job, which can be computed from the lines.
func (t *Table) Write(samples []Sample) error {
	if t.text = t.form.lines(t.text[:0], samples); len(t.text) == 0 {
		return nil
	}
	return appendWhole(t.file, t.text)
}

// Close implements Output.
func (t *Table) Close() error { return t.file.Close() }

// timeForm is the form of times: to the millisecond, with the zone.
const timeForm = "2006-01-02T15:04:05.000Z07:00"

// appendCSV appends a line for each sample, with a cell for each column. An unknown value is an empty cell.
func appendCSV(to []byte, samples []Sample) []byte {
	out := bytes.NewBuffer(to)
	w := csv.NewWriter(out)
	var line []string
	for i := range samples {
		s := &samples[i]
		if s.Tag == Whole || s.Mark != nil { // each line is about a GPU
			continue
		}
		rank := ""
		if s.Rank != nil {
			rank = strconv.Itoa(*s.Rank)
		}
		line = append(line[:0], s.At.Format(timeForm), strconv.FormatInt(s.Elapsed, 10), text.Cell(s.Job), rank,
			text.Cell(s.Node), text.Cell(s.GPU), text.Cell(s.UUID))
		for _, v := range s.Values {
			cell := ""
			if !math.IsNaN(v) {
				cell = string(appendNumber(nil, v))
			}
			line = append(line, cell)
		}
		line = append(line, text.Cell(strings.Join(s.Parts, ";")))
		_ = w.Write(line) // writing to a buffer never fails
	}
	w.Flush()
	return out.Bytes()
}

// appendJSON appends an object for each sample, each on its own line. An unknown value has no key.
func appendJSON(to []byte, samples []Sample) []byte {
	for i := range samples {
		if samples[i].Tag != Whole {
			to = append(appendObject(to, &samples[i]), '\n')
		}
	}
	return to
}

func appendObject(to []byte, s *Sample) []byte {
	to = append(to, `{"time":"`...)
	to = append(s.At.AppendFormat(to, timeForm), `","elapsed_seconds":`...)
	to = strconv.AppendInt(to, s.Elapsed, 10)
	if s.Rank != nil {
		to = strconv.AppendInt(append(to, `,"rank":`...), int64(*s.Rank), 10)
	}
	for _, word := range []struct{ key, text string }{{"job", s.Job}, {"node", s.Node}, {"gpu", s.GPU},
		{"uuid", s.UUID}} {
		if word.text != "" {
			to = append(append(append(to, `,"`...), word.key...), `":`...)
			to, _ = jsontext.AppendQuote(to, word.text) // invalid UTF-8 is replaced
		}
	}
	if m := s.Mark; m != nil {
		to = append(append(to, `,"mark":"`...), cmp.Or(string(m.Kind), "moment")...)
		to, _ = jsontext.AppendQuote(append(to, `","name":`...), m.Name)
	}
	for i, v := range s.Values {
		if !math.IsNaN(v) {
			to = append(append(append(to, `,"`...), Names[i]...), `":`...)
			to = appendNumber(to, v)
		}
	}
	return append(to, '}')
}

// appendNumber appends a number with up to three decimals, which no metric exceeds: further digits of computed
// percentages mean nothing.
func appendNumber(to []byte, v float64) []byte {
	return metric.AppendNumber(to, metric.Round(v, 3))
}

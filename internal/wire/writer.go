package wire

import (
	"encoding/json"
	"io"
	"slices"
	"strconv"

	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// reportBegins is the beginning of a report's line.
const reportBegins = `{"report":`

// Writer encodes messages as lines, and omits from a report the values that the previous report also had. Reader fills
// them in. The zero Writer remembers no report. It is for one goroutine.
type Writer struct {
	last reportMemory
	line []byte // of the last report: the next one is built in its place
}

// maxKept limits the line buffer that is kept for the next line. A list of a thousand processes comes only once a
// minute.
const maxKept = 64 << 10

// Write writes m to w with a single call of w.Write. It refuses a report that is too long with ErrLineTooLong, and then
// still compares with the report before that. It keeps parts of a report, which must not be changed before the next
// report is written; it never keeps processes. A report allocates nothing unless it has something rare: processes,
// jobs, Xids, faults, a GPU with a problem, or a value that is gone.
func (w *Writer) Write(to io.Writer, m Message) error {
	if m.Report == nil {
		if m.Hello != nil {
			w.last = reportMemory{}
		}
		return Write(to, m)
	}
	if processBytes(m.Report.Processes) > MaxLine {
		return ErrLineTooLong
	}
	base := &w.last
	if !base.hasSameGPUs(m.Report) {
		base = &reportMemory{}
	}
	line, err := base.appendReport(w.line[:0], m.Report)
	if err == nil {
		w.line = line
		err = writeLine(to, line)
	}
	if cap(w.line) > maxKept {
		w.line = nil
	}
	if err != nil {
		return err
	}
	w.last = *base
	w.last.keepReport(m.Report)
	return nil
}

// WriteByGPU is Write, but a first report has its values with each GPU, as in a recording. A probe does not need it.
func (w *Writer) WriteByGPU(to io.Writer, m Message) error {
	if m.Report == nil || w.last.hasSameGPUs(m.Report) {
		return w.Write(to, m)
	}
	if processBytes(m.Report.Processes) > MaxLine {
		return ErrLineTooLong
	}
	if err := Write(to, m); err != nil {
		return err
	}
	w.last = reportMemory{}
	w.last.keepReport(m.Report)
	return nil
}

// appendReport appends the line of a report, without the values that m also has. It calls json.Marshal for the rare
// parts only: json.Marshal checks every byte from a MarshalJSON, which was measured to cost a probe more than the rest
// of the report.
func (m *reportMemory) appendReport(line []byte, r *Report) (_ []byte, err error) {
	line = slices.Grow(line, 512+512*len(r.GPUs)+128*len(r.Processes))
	line = strconv.AppendUint(append(line, reportBegins+`{"seq":`...), r.Seq, 10)
	line = strconv.AppendInt(append(line, `,"mono_ms":`...), r.MonoMS, 10)
	if r.WallMS != 0 {
		line = strconv.AppendInt(append(line, `,"wall_ms":`...), r.WallMS, 10)
	}
	if r.TookMS != 0 {
		line = strconv.AppendInt(append(line, `,"took_ms":`...), r.TookMS, 10)
	}
	line = appendFlag(line, `,"off_beat":true`, r.OffBeat)
	line = appendFlag(line, `,"listed":true`, r.Listed)
	if line, err = r.appendRare(line); err != nil {
		return nil, err
	}
	line = m.appendHost(line, r)
	if line, err = m.appendGPUs(line, r.GPUs); err != nil {
		return nil, err
	}
	if line, err = m.appendProcesses(line, r); err != nil {
		return nil, err
	}
	return append(line, "}}"...), nil
}

func appendFlag(line []byte, member string, on bool) []byte {
	if on {
		line = append(line, member...)
	}
	return line
}

// appendRare appends the lists that most reports do not have.
func (r *Report) appendRare(line []byte) ([]byte, error) {
	if len(r.Xids)+len(r.Jobs)+len(r.Faults) == 0 {
		return line, nil
	}
	rare, err := json.Marshal(struct {
		Xids   []Xid       `json:"xids,omitempty"`
		Jobs   []JobMemory `json:"jobs,omitempty"`
		Faults []Fault     `json:"faults,omitempty"`
	}{r.Xids, r.Jobs, r.Faults})
	if err != nil {
		return nil, err
	}
	return append(append(line, ','), rare[1:len(rare)-1]...), nil
}

func (m *reportMemory) appendHost(line []byte, r *Report) []byte {
	if m.known {
		line = append(line, `,"same":true`...)
		line = appendGone(line, `,"host_gone":`, r.Host.Gone(&m.host.Values))
	}
	return r.Host.AppendChanged(append(line, `,"host":`...), &m.host.Values)
}

// appendGone appends a JSON member with a list of keys, if there are any.
func appendGone(line []byte, name string, keys []string) []byte {
	if len(keys) == 0 {
		return line
	}
	return appendKeys(append(line, name...), keys)
}

func appendKeys(line []byte, keys []string) []byte {
	line = append(line, '[')
	for i, key := range keys {
		if i > 0 {
			line = append(line, ',')
		}
		line = append(append(append(line, '"'), key...), '"')
	}
	return append(line, ']')
}

// appendGPUs writes the values of all GPUs together: with each GPU, the keys would take most of the line. If the GPUs
// are those of the last report and only their values may differ, it omits the GPUs.
func (m *reportMemory) appendGPUs(line []byte, gpus []GPU) (_ []byte, err error) {
	if len(gpus) > 0 {
		line = m.appendChanges(line, gpus)
	}
	if m.known && arePlain(gpus) {
		return line, nil
	}
	line = append(line, `,"gpus":[`...)
	for i := range gpus {
		if i > 0 {
			line = append(line, ',')
		}
		g := &gpus[i]
		line = strconv.AppendInt(append(line, `{"index":`...), int64(g.Index), 10)
		if line, err = g.appendRest(line); err != nil {
			return nil, err
		}
	}
	return append(line, ']'), nil
}

func (m *reportMemory) appendChanges(line []byte, gpus []GPU) []byte {
	line = metric.AppendColumns(append(line, `,"changes":`...), len(gpus), func(i int) (now, base *metric.Values) {
		return &gpus[i].Values, m.valuesOf(i)
	})
	lacks := false
	for i := range gpus {
		lacks = lacks || gpus[i].Values.Lacks(m.valuesOf(i))
	}
	if !lacks {
		return line
	}
	line = append(line, `,"gone":[`...)
	for i := range gpus {
		if i > 0 {
			line = append(line, ',')
		}
		line = appendKeys(line, gpus[i].Values.Gone(m.valuesOf(i)))
	}
	return append(line, ']')
}

// arePlain reports whether the GPUs have nothing to report except their values.
func arePlain(gpus []GPU) bool {
	for i := range gpus {
		if !gpus[i].isPlain() {
			return false
		}
	}
	return true
}

// isPlain reports whether a GPU has nothing but an index and values, as a healthy GPU does.
func (g *GPU) isPlain() bool {
	return g.Lost == "" && g.LostID == "" && g.HangsMS == 0 && g.Call == "" && !g.Reading && g.AgeMS == 0 &&
		!g.Repeated && g.Unlisted == ""
}

// appendRest appends all but the index and the values of a GPU.
func (g *GPU) appendRest(to []byte) ([]byte, error) {
	if g.isPlain() {
		return append(to, '}'), nil
	}
	type gpu GPU
	rest, err := json.Marshal(struct {
		*gpu
		Index  *struct{} `json:"index,omitempty"` // hides the field of GPU, as Values does
		Values *struct{} `json:"values,omitempty"`
	}{gpu: (*gpu)(g)})
	if err != nil {
		return nil, err
	}
	return append(append(to, ','), rest[1:]...), nil
}

func (m *reportMemory) appendProcesses(line []byte, r *Report) (_ []byte, err error) {
	if len(r.Processes) == 0 {
		return line, nil
	}
	line = append(line, `,"processes":[`...)
	find := m.processFinder()
	for i := range r.Processes {
		if i > 0 {
			line = append(line, ',')
		}
		p := &r.Processes[i]
		if at := find(i, p); at >= 0 {
			line, err = p.appendChanged(line, at, m.expectedProcess(at, &r.Host))
		} else {
			var whole []byte
			whole, err = json.Marshal(p)
			line = append(line, whole...)
		}
		if err != nil {
			return nil, err
		}
	}
	return append(line, ']'), nil
}

// appendChanged appends the differences from base, which has the index at in the last listing.
func (p *Process) appendChanged(line []byte, at int, base *Process) (_ []byte, err error) {
	line = strconv.AppendInt(append(line, `{"as":`...), int64(at), 10)
	if p.State != base.State {
		line = append(append(append(line, `,"state":"`...), p.State...), '"')
	}
	var gone []string
	for _, a := range amounts {
		if a.gone(p, base) {
			gone = append(gone, a.key())
		} else if line, err = a.appendChanged(line, p, base); err != nil {
			return nil, err
		}
	}
	return append(appendGone(line, `,"gone":`, gone), '}'), nil
}

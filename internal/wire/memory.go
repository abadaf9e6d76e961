package wire

import (
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// reportMemory is the part of the reports since the last Hello that both ends remember. Writer omits it from the next
// report, and Reader fills it in.
type reportMemory struct {
	known bool // a report was kept; host and gpus are its own
	host  Host
	gpus  []GPU

	listing []Process // of the last report that had processes
	listed  Host      // of that report
}

// messageLine is a Message in its written form.
type messageLine struct {
	Hello  *Hello      `json:"hello"`
	Report *reportLine `json:"report"`
	Reply  *Reply      `json:"reply"`
}

// reportLine is a Report in its written form.
type reportLine struct {
	Report
	// Same says that host and changes hold only the values that differ from the last report. HostGone and Gone name the
	// values that the last report had and this one lacks.
	Same      bool           `json:"same"`
	HostGone  []string       `json:"host_gone"` // keys
	Changes   metric.Columns `json:"changes"`   // the values of gpus; a recording has those of a first report in gpus
	Gone      [][]string     `json:"gone"`      // keys, for each GPU; empty: none are gone
	Processes []processLine  `json:"processes"`
}

// processLine is a Process, or the changes of a Process.
type processLine struct {
	Process
	As   *int     `json:"as"` // index of the process in the last listing; nil: it is whole
	Gone []string `json:"gone"`
}

// keepReport remembers a report.
func (m *reportMemory) keepReport(r *Report) {
	m.known, m.host, m.gpus = true, r.Host, r.GPUs
	if len(r.Processes) > 0 {
		m.listing, m.listed = r.Processes, r.Host
	}
}

// noValues are the values of a GPU before its first report.
var noValues metric.Values

// valuesOf returns the values that both ends remember of a GPU. They must not be changed.
func (m *reportMemory) valuesOf(i int) *metric.Values {
	if !m.known {
		return &noValues
	}
	return &m.gpus[i].Values
}

// hasSameGPUs reports whether r may omit the values that m has, because both have the same GPUs.
func (m *reportMemory) hasSameGPUs(r *Report) bool {
	return m.known && slices.EqualFunc(m.gpus, r.GPUs, func(a, b GPU) bool { return a.Index == b.Index })
}

// restoreReport restores the report of a line, if there is one, and remembers it. The error is ErrNoBase or
// ErrListTooLong.
func (m *reportMemory) restoreReport(l *messageLine) (*Report, error) {
	if l.Hello != nil {
		*m = reportMemory{}
		ShareAbsent(l.Hello.GPUs)
	}
	if l.Report == nil {
		return nil, nil
	}
	r := &l.Report.Report
	if l.Report.Same && r.GPUs == nil {
		r.GPUs = m.plainGPUs()
	}
	if !l.Report.Same {
		*m = reportMemory{}
	} else if !m.hasSameGPUs(r) {
		return nil, ErrNoBase
	}
	if max(len(l.Report.Changes), len(l.Report.Gone)) > len(r.GPUs) {
		return nil, ErrNoBase
	}
	m.restoreValues(r, l.Report)
	if err := m.restoreProcesses(r, l.Report.Processes); err != nil {
		return nil, err
	}
	m.keepReport(r)
	return r, nil
}

// plainGPUs returns the GPUs of the last report, if only their values may differ.
func (m *reportMemory) plainGPUs() []GPU {
	list := make([]GPU, len(m.gpus))
	for i := range list {
		list[i].Index = m.gpus[i].Index
	}
	return list
}

func (m *reportMemory) restoreValues(r *Report, l *reportLine) {
	for i := range l.Changes {
		r.GPUs[i].Values = l.Changes[i]
	}
	if !l.Same {
		return
	}
	r.Host.Inherit(&m.host.Values, l.HostGone, metric.Host)
	for i := range r.GPUs {
		var gone []string
		if i < len(l.Gone) {
			gone = l.Gone[i]
		}
		r.GPUs[i].Values.Inherit(&m.gpus[i].Values, gone, metric.GPU)
	}
}

func (m *reportMemory) restoreProcesses(r *Report, lines []processLine) error {
	if len(lines) == 0 {
		return nil
	}
	r.Processes = make([]Process, len(lines))
	for i := range lines {
		l, p := &lines[i], &r.Processes[i]
		switch {
		case l.As == nil:
			*p = l.Process
		case *l.As < 0 || *l.As >= len(m.listing):
			return ErrNoBase
		default:
			*p = *m.expectedProcess(*l.As, &r.Host)
			p.change(l)
		}
	}
	if processBytes(r.Processes) > MaxLine {
		return ErrListTooLong
	}
	return nil
}

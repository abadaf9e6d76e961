package smi

import (
	"bufio"
	"cmp"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/metric"
	"github.com/nvnodetop/nvnodetop/internal/remote/link"
	"github.com/nvnodetop/nvnodetop/internal/text"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// node is a node on which nvidia-smi runs.
type node struct {
	why   string
	pipe  *link.Pipe
	wait  func() link.Exit // pipe.Wait, which may be called again
	lines *bufio.Scanner
	out   *io.PipeWriter // for messages
	began time.Time

	// Set by learn, before others use the node.
	hello   wire.Hello
	bus     string         // of the GPU whose properties are being read
	minors  map[string]int // by PCI bus
	columns []column

	// For learn, then for translate.
	gpus []*gpu
	news bool // about a GPU, since the last Hello

	// For translate.
	watch   lookout
	report  wire.Report  // so far
	rows    int          // in it
	faults  []wire.Fault // for it
	listing bool         // a list of processes is being read
	listed  []wire.Process
	listOK  bool // the list is complete

	telling sync.Mutex // protects writing to pipe.In

	mu    sync.Mutex // protects the following, and writing to out
	wire  wire.Writer
	pace  wire.Pace
	loop  int       // in ms: the interval of nvidia-smi
	which string    // the GPUs that the loop reads
	asked time.Time // when the last list of processes was asked for
}

// identity lists the fields that come first in each row, and those that come before the metrics in the row of a card.
const (
	rowFields  = "index,uuid"
	cardFields = "pci.bus_id,name,serial,vbios_version,driver_version,mig.mode.current"
)

// The columns of a row: the row of a card has all of them, the row of a report has those that may change.
const (
	all      = true
	changing = false
)

// wants reports whether a row has the column.
func wants(c column, whole bool) bool { return whole || c.id.Row().Pace != metric.Once }

// fields returns the query of a row.
func (n *node) fields(whole bool) string {
	list := []string{rowFields}
	if whole {
		list = append(list, cardFields)
	}
	for _, c := range n.columns {
		if wants(c, whole) {
			list = append(list, c.field)
		}
	}
	return strings.Join(list, ",")
}

// cells splits a row; ok is false if the line is no row. A name must not contain a comma: NVIDIA's names have none.
func (n *node) cells(line string, whole bool) (cells []string, ok bool) {
	cells = strings.Split(line, ", ")
	if len(cells) != strings.Count(n.fields(whole), ",")+1 {
		return nil, false
	}
	_, err := strconv.ParseUint(cells[0], 10, 16)
	return cells, err == nil
}

// drop leaves out a field that this nvidia-smi does not know.
func (n *node) drop(field string) {
	n.columns = slices.DeleteFunc(slices.Clone(n.columns), func(c column) bool { return c.field == field })
}

var (
	jobInCgroup   = regexp.MustCompile(`/job_(\d+)(/|$)`)
	sluidInCgroup = regexp.MustCompile(`^0::.*/(s[0-9A-HJKMNP-TV-Z]{13})(/step_.*)?$`)
	jobInTitle    = regexp.MustCompile(`^stepd slurmstepd: \[(\d+)[.\]]`)
)

// adopted reads the job of the session from a line of the introduction, if the line names it.
func (n *node) adopted(line string) {
	h := &n.hello
	if m := sluidInCgroup.FindStringSubmatch(line); m != nil && h.Job == "" {
		h.SLUID = m[1]
	}
	for _, words := range []*regexp.Regexp{jobInCgroup, jobInTitle} {
		if m := words.FindStringSubmatch(line); m != nil {
			h.Job, h.SLUID = m[1], ""
		}
	}
}

// introduced takes a line of the introduction: of the script, of /proc/self/cgroup, or of the properties of a GPU in
// /proc.
func (n *node) introduced(line string) {
	n.adopted(line)
	key, value, _ := strings.Cut(line, " ")
	switch key {
	case "host":
		n.hello.Host = value
	case "kernel":
		n.hello.Kernel = value
	case "cpus":
		n.hello.CPUs, _ = strconv.Atoi(value) // 0 is unknown
	}
	property, value, _ := strings.Cut(line, ":")
	switch value = strings.TrimSpace(value); property {
	case "Bus Location":
		n.bus = busKey(value)
	case "Device Minor":
		if number, err := strconv.Atoi(value); err == nil && n.bus != "" {
			if n.minors == nil {
				n.minors = map[string]int{}
			}
			n.minors[n.bus] = number
		}
	}
}

// busKey makes a PCI bus address comparable: /proc has "0000:07:00.0", nvidia-smi "00000000:07:00.0".
func busKey(bus string) string {
	return strings.ToLower(bus[max(0, len(bus)-len("0000:00:00.0")):])
}

// known is the text of a cell; "" if nvidia-smi does not know it.
func known(cell string) string {
	if strings.HasPrefix(cell, "[") || cell == "N/A" {
		return ""
	}
	return cell
}

// card makes a GPU of its row.
func (n *node) card(cells []string) *gpu {
	index, _ := strconv.Atoi(cells[0]) // cells has checked it
	r := n.read(cells[8:], all)
	g := &gpu{at: index, round: noRound, Card: wire.Card{
		Index: index, UUID: known(cells[1]), PCIBus: known(cells[2]), Name: known(cells[3]), Serial: known(cells[4]),
		VBIOS: known(cells[5]), MIG: cells[7] == "Enabled",
	}}
	n.place(g)
	if words := r.failure(); words != "" {
		g.say(words)
	} else {
		g.Absent, g.Values = n.absent(&r), r.only(metric.Once)
	}
	n.hello.Driver = cmp.Or(known(cells[6]), n.hello.Driver)
	return g
}

// place finds the minor number of a GPU.
func (n *node) place(g *gpu) {
	if minor, ok := n.minors[busKey(g.PCIBus)]; ok {
		g.Minor = &minor
	}
}

// add adds a GPU, unless it is there already.
func (n *node) add(g *gpu) {
	if len(n.gpus) < maxCards && !n.anyGPU(func(o *gpu) bool { return o.Index == g.Index }) {
		n.gpus = append(n.gpus, g)
	}
}

// maxCards limits the GPUs of a node.
const maxCards = 64

// greet sends the beginning of a session.
func (n *node) greet() error {
	n.hello.Version, n.hello.Build = wire.Version, "nvidia-smi"
	n.hello.StandIn = text.Cut(n.why, maxWhy)
	if _, err := io.WriteString(n.out, wire.Magic+"\n"); err != nil {
		return err
	}
	return n.introduceGPUs()
}

// introduceGPUs sends a Hello with the GPUs as they are now.
func (n *node) introduceGPUs() error {
	h := n.hello
	h.GPUs = make([]wire.Card, len(n.gpus))
	for i, g := range n.gpus {
		h.GPUs[i] = g.Card
	}
	n.news = false
	return n.send(wire.Message{Hello: &h})
}

// maxWhy limits the reason, in bytes.
const maxWhy = 200

// send sends a message.
func (n *node) send(m wire.Message) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.wire.Write(n.out, m)
}

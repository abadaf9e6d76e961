package node

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/header"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// OldTag tells the age of a node's numbers; "" for current numbers.
func OldTag(n *cluster.Node) (string, draw.Role) {
	switch {
	case n.State == cluster.NodeStale:
		return "[stale " + draw.Age(n.Age) + "]", draw.Warn
	case tally.Old(n):
		return "[last seen " + n.Arrived.Format(time.TimeOnly) + "]", part.Marks[cluster.Critical].Role
	}
	return "", draw.Text
}

// DrawFailedLine tells why a node has failed and how old the values below are, as far as there is room.
func DrawFailedLine(f *part.Frame, y int) {
	n := f.Node
	m := f.Health.NodeMark(n.Name)
	x := f.Put(1, y, m.Glyph+" ", m.Role)
	cause, next := "Connecting", ""
	if n.Failure != nil {
		cause = n.Failure.Summary()
	}
	if retry := header.RetryText(f, n); retry != "" {
		next = ", " + retry
	}
	of := n.Arrived.Format(time.TimeOnly)
	ago := draw.Age(n.Age) + " ago"
	for _, from := range []string{
		". Last seen " + of + ", " + ago + ": the values below are from then.",
		". The values below are from " + of + ".",
	} {
		for _, text := range []string{cause + next, cause} {
			if draw.Width(text+from) <= f.W-1-x {
				f.Pieces(x, y, part.Piece{Text: text, Role: m.Role}, part.Text(from))
				return
			}
		}
	}
	f.Left(x, y, f.W-1-x, cause, m.Role)
}

// lastSeen describes a failed node's last report, and returns the row below.
func lastSeen(f *part.Frame, y, h int) int {
	if f.Node.Past == nil || y+2 > f.H-1 {
		return y
	}
	lines := []string{gpusSeen(f), hostSeen(f.Node), processesSeen(f.Node)}
	for i := len(f.Node.Xids) - 1; i >= max(len(f.Node.Xids)-3, 0); i-- {
		lines = append(lines, xidSeen(f.Node, f.Node.Xids[i]))
	}
	return drawSection(f, y, h, "Last seen "+f.Node.Arrived.Format(time.TimeOnly)+", "+draw.Age(f.Node.Age)+" ago", lines)
}

// gpusSeen sums up the GPUs of the job, as last reported.
func gpusSeen(f *part.Frame) string {
	gpus := f.Own(f.Node)
	tot := tally.Total(gpus)
	words := []string{part.Plural(len(gpus), "GPU", "GPUs")}
	if tot.Util.Known() {
		text := "utilization " + part.Percent(tot.Util.Value)
		if low, apart := tally.Slowest(gpus); apart {
			text += " (lowest " + part.Percent(low.Value) + ", " + part.GPUNumber(low.GPU) + ")"
		}
		words = append(words, text)
	}
	if tot.Used.Known() {
		used := part.MemoryUsed(&tot)
		words = append(words, "memory "+used.Share()+" "+used.Unit)
	} else if bytes, known := f.Node.MemoryOfProcesses(gpus...); known {
		words = append(words, "memory of processes "+part.Bytes(float64(bytes)))
	}
	if tot.Power.Known() {
		power := part.Power(&tot, part.Unlimited, true)
		words = append(words, "power "+power.Share()+" "+power.Unit)
	}
	if tot.Temperature.Known() {
		words = append(words, "hottest "+part.Summed(tot.Temperature, "°C")+" ("+part.GPUNumber(tot.Temperature.GPU)+
			")")
	}
	return strings.Join(words, ", ")
}

// hostSeen sums up the node itself, "" if nothing is known.
func hostSeen(n *cluster.Node) string {
	var words []string
	if cpu, known := n.Host.Get(metric.CPU); known {
		words = append(words, "CPU "+part.Percent(cpu))
	}
	if load, known := n.Host.Get(metric.Load); known {
		words = append(words, "load "+draw.One(load))
	}
	used, total := n.Host.Float(metric.HostMemoryUsed), n.Host.Float(metric.HostMemoryTotal)
	if _, ok := cluster.Percent(used, total); ok {
		words = append(words, fmt.Sprintf("host memory %s/%s GiB", draw.GiB(uint64(used)), draw.GiB(uint64(total))))
	}
	return strings.Join(words, ", ")
}

// processesSeen counts the processes on the GPUs, "" if no list is known.
func processesSeen(n *cluster.Node) string {
	if !n.Listed {
		return ""
	}
	return part.Plural(len(n.Processes), "process", "processes") + " on the GPUs"
}

// xidSeen describes an event of the driver.
func xidSeen(n *cluster.Node, x cluster.Xid) string {
	on := ""
	if g := n.GPUWith(x.Key); g != nil {
		on = " on " + part.GPUNumber(g)
	}
	return x.At.Format(time.TimeOnly) + " Xid " + strconv.FormatUint(x.Code, 10) + on + ": " + header.XidName(x)
}

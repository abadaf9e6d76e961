package scale

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/nvnodetop/nvnodetop/test/bench/rig"
)

// Baseline is the file with the costs of a fleet in the last run with --keep, by load and by row.
const Baseline = "test/bench/fleet.json"

// worst is the largest ratio to the baseline that still passes: two runs on a busy machine differ by a fifth.
const worst = 1.5

// fleetRow is a row of the report about a fleet.
type fleetRow struct {
	name, format string
	value        func(*fleetResult) float64
	limit        float64 // the value should not exceed it; 0: none
	kept         bool    // the value is comparable between machines, so it is compared with the baseline
}

// fleetRows are the rows. A yard is the CPU time of the yardstick.
var fleetRows = []fleetRow{
	{name: "first number on the screen, s", format: "%.2f",
		value: func(r *fleetResult) float64 { return r.first.Seconds() }},
	{name: "a report of each node, s", format: "%.2f",
		value: func(r *fleetResult) float64 { return r.healthy.Seconds() }, limit: 10},
	{name: "all nodes on the screen, s", format: "%.2f", value: func(r *fleetResult) float64 { return r.all.Seconds() },
		limit: 10},
	{name: "CPU until then per node, ms", format: "%.2f",
		value: func(r *fleetResult) float64 { return rig.MS(r.startCPU) / float64(r.start.Nodes) }},
	{name: "CPU until then per node, yards", format: "%.1f",
		value: func(r *fleetResult) float64 { return inYards(r.startCPU, uint64(r.start.Nodes), r.startYards) },
		kept:  true},
	{name: "most handshakes at once", format: "%.0f",
		value: func(r *fleetResult) float64 { return float64(r.start.Handshakes.Most) }, limit: 16},
	{name: "most key exchanges at once", format: "%.0f",
		value: func(r *fleetResult) float64 { return float64(r.start.Exchanges.Most) }},
	{name: "most connections not logged in", format: "%.0f",
		value: func(r *fleetResult) float64 { return float64(r.start.Unauthenticated.Most) }},
	{name: "most of them on one node", format: "%.0f",
		value: func(r *fleetResult) float64 { return float64(r.start.OnOneNode) }, limit: 10},
	{name: "login side, % of a core", format: "%.2f",
		value: func(r *fleetResult) float64 { return 100 * r.cpu.Seconds() / r.seconds }, limit: 10},
	{name: "threads at work", format: "%.0f", value: func(r *fleetResult) float64 { return float64(r.threads) },
		limit: 2},
	{name: "reports per second", format: "%.1f",
		value: func(r *fleetResult) float64 { return float64(r.reports) / r.seconds }},
	{name: "bytes per report", format: "%.0f",
		value: func(r *fleetResult) float64 { return float64(r.wire) / float64(r.reports) }, kept: true},
	{name: "CPU per report, us", format: "%.1f",
		value: func(r *fleetResult) float64 { return 1000 * rig.MS(r.cpu) / float64(r.reports) }},
	{name: "CPU per report, yards", format: "%.2f",
		value: func(r *fleetResult) float64 { return inYards(r.cpu, r.reports, r.yards) }, kept: true},
	{name: "peak RSS, MiB", format: "%.1f", value: func(r *fleetResult) float64 { return float64(r.peak) / 1024 },
		limit: 400, kept: true},
	{name: "bytes per second to the terminal", format: "%.0f",
		value: func(r *fleetResult) float64 { return float64(r.written) / r.seconds }},
	{name: "bytes of a full frame", format: "%.0f", value: func(r *fleetResult) float64 { return float64(r.frame) }},
	{name: "of a full frame per second, %", format: "%.2f",
		value: func(r *fleetResult) float64 { return 100 * float64(r.written) / r.seconds / float64(r.frame) },
		limit: 5, kept: true},
	{name: "key to frame, median, ms", format: "%.1f", value: func(r *fleetResult) float64 { return rig.MS(r.key50) }},
	{name: "key to frame, 99th percentile, ms", format: "%.1f",
		value: func(r *fleetResult) float64 { return rig.MS(r.key99) }, limit: 5},
	{name: "the servers at nice 19: median, ms", format: "%.1f",
		value: func(r *fleetResult) float64 { return rig.MS(r.aside50) }},
	{name: "the servers at nice 19: 99th percentile, ms", format: "%.1f",
		value: func(r *fleetResult) float64 { return rig.MS(r.aside99) }, limit: 10},
	{name: "CPU per key and its frame, ms", format: "%.2f",
		value: func(r *fleetResult) float64 { return rig.MS(r.keyCPU) }},
	{name: "CPU per key and its frame, yards", format: "%.0f",
		value: func(r *fleetResult) float64 { return inYards(r.keyCPU, 1, r.yards) }},
	{name: "healthy nodes beside those in trouble, s", format: "%.2f", value: func(r *fleetResult) float64 {
		if r.disturbed == nil {
			return 0
		}
		return r.disturbed.healthy.Seconds()
	}},
	{name: "that, to the time without trouble", format: "%.2f", value: func(r *fleetResult) float64 {
		if r.disturbed == nil {
			return 0
		}
		return r.disturbed.healthy.Seconds() / r.healthy.Seconds()
	}, limit: 1.5},
	{name: "a yard, us of CPU", format: "%.1f",
		value: func(r *fleetResult) float64 { return 1000 * rig.MS(middle(r.yards)) }},
	{name: "the servers, % of a core", format: "%.2f",
		value: func(r *fleetResult) float64 { return 100 * r.servers.Seconds() / r.seconds }},
}

// inYards is the CPU time per piece, in yards.
func inYards(used time.Duration, pieces uint64, yards []time.Duration) float64 {
	return float64(used) / float64(pieces) / float64(middle(yards))
}

// baselines are kept values by load, then by row.
type baselines map[string]map[string]float64

func readBaselines() (b baselines, err error) {
	text, err := os.ReadFile(Baseline)
	if errors.Is(err, os.ErrNotExist) {
		return baselines{}, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &b)
	}
	return b, err
}

// load names the load.
func (o Options) load() string {
	how := "--nodes"
	if o.SLURM {
		how = "a job of SLURM"
	}
	return fmt.Sprintf("%d nodes by %s, poll %s s, display %s s, round trip %v, loss %v", o.Nodes, how, o.Poll,
		o.Display, o.RTT, o.Loss)
}

// reportFleet prints a table with a column per program, and the ratio of the first one to the baseline, or to the other
// program. A ratio that is too large is an error.
func reportFleet(o Options, programs []string, results []fleetResult) error {
	kept, err := readBaselines()
	if err != nil {
		return fmt.Errorf("%s: %w", Baseline, err)
	}
	was := kept[o.load()]
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 3, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "\t")
	for _, p := range programs {
		fmt.Fprintf(w, "%s\t", filepath.Base(p))
	}
	fmt.Fprintln(w, "wanted\tbaseline\tratio\t")
	var worse []string
	for _, row := range fleetRows {
		fmt.Fprintf(w, "%s\t", row.name)
		for i := range results {
			rig.Cell(w, row.format, row.value(&results[i]))
		}
		wanted := ""
		if row.limit > 0 {
			wanted = fmt.Sprintf("<= %v", row.limit)
		}
		fmt.Fprintf(w, "%s\t", wanted)
		ratio := 0.0
		if was[row.name] > 0 {
			ratio = row.value(&results[0]) / was[row.name]
		}
		rig.Cell(w, row.format, was[row.name])
		rig.Cell(w, "%.2f", ratio)
		fmt.Fprintln(w)
		if ratio > worst {
			worse = append(worse, fmt.Sprintf("%s: %.2f times the baseline", row.name, ratio))
		}
	}
	_ = w.Flush()
	if o.Keep {
		return kept.keep(o, &results[0])
	}
	if worse != nil {
		return errors.New(strings.Join(worse, "; "))
	}
	return nil
}

// keep makes a result the baseline of its load.
func (b baselines) keep(o Options, r *fleetResult) error {
	now := map[string]float64{}
	for _, row := range fleetRows {
		if row.kept {
			now[row.name], _ = strconv.ParseFloat(fmt.Sprintf("%.4g", row.value(r)), 64)
		}
	}
	b[o.load()] = now
	text, err := json.MarshalIndent(b, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(Baseline, append(text, '\n'), 0o644)
}

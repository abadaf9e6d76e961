package screen

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"

	"github.com/spf13/pflag"
	"golang.org/x/sync/errgroup"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/app/feed"
	"github.com/nvnodetop/nvnodetop/internal/lib/crash"
	"github.com/nvnodetop/nvnodetop/internal/lib/text/safe"
	"github.com/nvnodetop/nvnodetop/internal/output/export"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/pkg/schema"
)

// Limits of details.
const (
	mostDetailed = 256      // processes
	mostAtOnce   = 16       // nodes that are asked at the same time
	mostText     = 32 << 10 // bytes of a string
)

// DetailsFlag adds the flag for details of processes.
func DetailsFlag(f *pflag.FlagSet, details *bool) {
	f.BoolVar(details, "details", false,
		fmt.Sprintf("add to JSON what the kernels tell about each process: arguments, "+
			"limits, threads, open files, …; at most %d processes", mostDetailed))
}

// AskDetails returns a function that asks the nodes for the details of the processes in a document, and adds them; nil:
// they are not wanted. One line mentions processes without details.
func AskDetails(ctx context.Context, p *cli.Program, from feed.Feed, wanted bool) func(*schema.Snapshot) {
	if !wanted {
		return nil
	}
	return func(doc *schema.Snapshot) {
		ctx, cancel := context.WithTimeout(ctx, p.Config.Timeout)
		defer cancel()
		d := detailAsker{from: from}
		var group errgroup.Group
		group.SetLimit(mostAtOnce)
		left, beyond := mostDetailed, 0
		for i := range doc.Nodes {
			n := &doc.Nodes[i]
			all := processesOf(n)
			beyond += max(len(all)-left, 0)
			all = all[:min(len(all), left)]
			left -= len(all)
			group.Go(crash.Guard(func() error {
				d.askDetails(ctx, n.Name, all)
				return nil
			}))
		}
		_ = group.Wait() // no function fails
		d.missing += beyond
		switch {
		case d.why != nil:
			p.Say("the details of %d processes are missing: %v", d.missing, d.why)
		case d.missing > 0:
			p.Say("the details of %d processes are missing: --details is for %d at most, -u and -p choose processes",
				d.missing, mostDetailed)
		}
	}
}

// processesOf returns the processes on the GPUs of a node. A process is listed once per GPU, and entries with the same
// PID are grouped. Processes that the node cannot see are left out.
func processesOf(n *schema.Node) (all [][]*schema.Process) {
	at := map[int]int{}
	for i := range n.Processes {
		p := &n.Processes[i]
		if p.Foreign || p.Ended || p.StartTicks == 0 {
			continue
		}
		k, known := at[p.PID]
		if !known {
			k, at[p.PID] = len(all), len(all)
			all = append(all, nil)
		}
		all[k] = append(all[k], p)
	}
	return all
}

// detailAsker asks nodes for details.
type detailAsker struct {
	from feed.Feed

	mu      sync.Mutex
	missing int   // processes without details
	why     error // why the first one is missing
}

// askDetails asks a node for the details of these processes, one after the other, until the node does not answer.
func (d *detailAsker) askDetails(ctx context.Context, node string, all [][]*schema.Process) {
	for i, same := range all {
		reply, err := d.from.Ask(ctx, node, wire.Request{Inspect: &wire.Inspect{ProcessID: wire.ProcessID{
			PID: same[0].PID, StartTicks: same[0].StartTicks}}})
		switch {
		case err != nil:
			d.noteMissing(len(all)-i, fmt.Errorf("node %q: %w", node, err))
			return
		case reply.Error != "" || reply.Inspected == nil:
			d.noteMissing(1, fmt.Errorf("node %q: %w", node, errors.New(cmp.Or(reply.Error, "it has not answered"))))
			continue
		}
		details := export.Details(reply.Inspected)
		cleanTexts(reflect.ValueOf(details))
		for _, p := range same {
			p.Details = details
		}
	}
}

func (d *detailAsker) noteMissing(processes int, why error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.missing += processes
	if d.why == nil {
		d.why = why
	}
}

// cleanTexts makes every string in a node's document safe to display. Newlines stay: JSON escapes them.
func cleanTexts(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			cleanTexts(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			cleanTexts(v.Field(i))
		}
	case reflect.Slice:
		for i := range v.Len() {
			cleanTexts(v.Index(i))
		}
	case reflect.Map:
		clean := reflect.MakeMapWithSize(v.Type(), v.Len())
		for key, value := range v.Seq2() {
			of := reflect.New(value.Type()).Elem()
			of.Set(value)
			cleanTexts(of)
			clean.SetMapIndex(reflect.ValueOf(safeText(key.String())), of)
		}
		if !v.IsNil() {
			v.Set(clean)
		}
	case reflect.String:
		v.SetString(safeText(v.String()))
	default:
	}
}

func safeText(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = safe.Line(lines[i], mostText)
	}
	return strings.Join(lines, "\n")
}

package feed

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/health/say"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/lib/text"
)

// sayWaiting shows which nodes are missing from a Snapshot, or else which nodes' second report is awaited.
func sayWaiting(line *cli.Status, s *cluster.Snapshot, early []*cluster.Node) {
	if line.Due(s.At) {
		line.Set(cmp.Or(waitingFor(s, line.Width()), waitingForSecond(early)))
	}
}

// waitingFor names the nodes that have neither reported nor failed, as many as fit into width columns.
func waitingFor(s *cluster.Snapshot, width int) string {
	waiting, all := tally.NodesThat(s, tally.Pending)
	switch {
	case all == 0:
		return "waiting for SLURM"
	case len(waiting) == 0 && s.Discovery.Asking:
		return "waiting for SLURM to say which GPUs the jobs have"
	case len(waiting) == 0:
		return waitingForGPUs(awaitedGPUs(s)) // there is no such node
	}
	line := ""
	for named := min(len(waiting), maxNamed); named >= 0; named-- {
		line = fmt.Sprintf("waiting for %d of %d nodes", len(waiting), all) + nameNodes(s, waiting, named)
		if draw.Width(line) <= width {
			return line
		}
	}
	return line
}

// waitingForSecond names the nodes that have reported only once; empty if there are none.
func waitingForSecond(early []*cluster.Node) string {
	if len(early) == 0 {
		return ""
	}
	var names []string
	for _, n := range early {
		names = append(names, n.Name)
	}
	return "waiting for a second sample: " + text.Some(names, maxNamed)
}

// waitingForGPUs names the GPUs for which the driver has not answered; empty if there are none.
func waitingForGPUs(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return "waiting for the driver: " + text.Some(names, maxNamed)
}

// awaitedGPUs names the jobs' GPUs on reporting nodes for which the driver has not given any values.
func awaitedGPUs(s *cluster.Snapshot) (names []string) {
	for n, g := range tally.Awaited(s) {
		names = append(names, nameOf(n.Name, g.Number))
	}
	return names
}

// nameOf names a GPU, or the node if the GPU has no number.
func nameOf(node string, number int) string {
	if number == cluster.NoNumber {
		return node
	}
	return fmt.Sprintf("%s GPU%d", node, number)
}

// NotReporting returns an error that names the nodes that do not report; nil if all do.
func NotReporting(s *cluster.Snapshot) error {
	silent, all := tally.NodesThat(s, func(n *cluster.Node) bool { return n.State != cluster.NodeReporting })
	if len(silent) == 0 {
		return nil
	}
	return errors.New(fmt.Sprintf("%d of %d nodes not reporting", len(silent), all) + nameNodes(s, silent, maxNamed))
}

// notWell joins the failures: nodes that do not report, critical problems of other nodes, and GPUs without values; nil
// if there are none.
func notWell(s *cluster.Snapshot) error {
	var all error
	for _, err := range []error{NotReporting(s), criticalError(s), noValues(s)} {
		switch {
		case all == nil:
			all = err
		case err != nil:
			all = fmt.Errorf("%w; %w", all, err)
		}
	}
	return all
}

// criticalError returns an error that names the critical problems of reporting nodes; nil if there are none. A problem
// that several jobs share counts once.
func criticalError(s *cluster.Snapshot) error {
	var all []string
	for i := range s.Jobs {
		for k := range s.Jobs[i].Findings {
			f := &s.Jobs[i].Findings[k]
			if n := s.Nodes[f.Node]; f.Severity != cluster.Critical || !f.Holds() || n != nil &&
				n.State != cluster.NodeReporting {
				continue
			}
			if problem := nameOf(f.Node, f.GPU) + " (" + say.Finding(s, f).Short + ")"; !slices.Contains(all, problem) {
				all = append(all, problem)
			}
		}
	}
	if len(all) == 0 {
		return nil
	}
	return errors.New("critical: " + text.Some(all, maxNamed))
}

// noValues is the error for the GPUs that are still awaited, nil if there are none.
func noValues(s *cluster.Snapshot) error {
	names := awaitedGPUs(s)
	if len(names) == 0 {
		return nil
	}
	return errors.New("no answer from the driver: " + text.Some(names, maxNamed))
}

// maxNamed is the maximum number of nodes that one line names.
const maxNamed = 8

// nameNodes names the first nodes, and why they do not report: ": gpu-n04 (login refused), gpu-n31 (not responding) and
// 2 more".
func nameNodes(s *cluster.Snapshot, nodes []*cluster.Node, named int) string {
	text, sep := "", ": "
	for _, n := range nodes[:min(named, len(nodes))] {
		text += sep + n.Name + " (" + silenceReason(s, n) + ")"
		sep = ", "
	}
	if rest := len(nodes) - named; rest > 0 && named > 0 {
		text += fmt.Sprintf(" and %d more", rest)
	}
	return text
}

// silenceReason says in a few words why a node does not report.
func silenceReason(s *cluster.Snapshot, n *cluster.Node) string {
	switch {
	case n.Failure != nil:
		return n.Failure.Short
	case n.State == cluster.NodeConnecting:
		return say.Finding(s, &cluster.Finding{Kind: cluster.KindConnecting, Node: n.Name, GPU: -1}).Short
	case n.State == cluster.NodeStale:
		return "not responding"
	}
	return "failed"
}

package capacity

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/slurm/command"
	"github.com/nvnodetop/nvnodetop/internal/slurm/notation"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// AskSupply runs sinfo, scontrol show node for each batch of nodes, and squeue.

// Supply has the GPUs of a cluster, and how many of them SLURM has given to jobs.
type Supply struct {
	Partitions []SuppliedPartition // with those of their nodes that have GPUs; includes hidden partitions
	Nodes      []SuppliedGPUs      // with GPUs, by name
	Jobs       []SuppliedJob       // with nodes, as far as SLURM shows them to the user
	Note       string              // which cluster was asked, if the user names several
	NoJobs     error               // why SLURM did not list the jobs, or not all of them
}

// SuppliedPartition is a partition.
type SuppliedPartition struct {
	Name    string
	Default bool
	State   string // "up", or why it takes no jobs or starts none: "down", "drain", "inact"
	Nodes   []string
}

// SuppliedGPUs are the GPUs of a node.
type SuppliedGPUs struct {
	Name   string
	States []string // as scontrol names them: "MIXED", "DRAIN"
	Silent bool     // it does not respond to the controller
	Reason string   // why it is not available, in an admin's words
	Full   bool     // no CPU or no memory is left
	Types  []notation.GPUType
	InUse  []int // in SLURM's configuration, the indices of its GPUs that are in use; nil: none, or they are not listed
}

// maxListed limits how many nodes all partitions together may list: as if each node of the largest cluster were in 16
// of them.
const maxListed = 16 * notation.MaxHosts

// supplyFormat separates the fields with a mark that occurs in none of them.
const supplyFormat = "%P|%a|%G|%N"

// clusterLine begins the line above the answer of a cluster that SLURM_CLUSTERS names.
var clusterLine = []byte("CLUSTER: ")

// errNoNode is the error when scontrol names none of sinfo's nodes with GPUs. That is not the same as a cluster without
// GPUs.
var errNoNode = errors.New("unexpected output: no node with GPUs")

// SupplyQuestion is the question about the supply. It takes several commands.
type SupplyQuestion struct {
	supply  Supply
	began   bool       // sinfo has answered
	batches [][]string // nodes to ask for
}

// AskSupply runs all commands.
func AskSupply(ctx context.Context, run command.Runner) (*Supply, error) {
	var q SupplyQuestion
	for {
		if s, err := q.Step(ctx, run); s != nil || err != nil {
			return s, err
		}
	}
}

// Step runs the next command: sinfo, which lists the nodes with GPUs, scontrol for these nodes, or squeue. The Supply
// is nil until the last one has run. The error is command.ErrNoSlurm, ctx's error, or a *reach.Failure.
func (q *SupplyQuestion) Step(ctx context.Context, run command.Runner) (*Supply, error) {
	switch {
	case !q.began:
		return nil, q.askPartitions(ctx, run)
	case len(q.batches) > 0:
		return nil, q.askNodes(ctx, run)
	}
	jobs, err := askJobs(ctx, run)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	q.supply.Jobs, q.supply.NoJobs = jobs, err
	return &q.supply, nil
}

// askPartitions runs sinfo.
func (q *SupplyQuestion) askPartitions(ctx context.Context, run command.Runner) error {
	out, stderr, err := run.Within(ctx, "sinfo", "--noheader", "--format="+supplyFormat)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case command.NoSlurm(stderr, err):
		return command.ErrNoSlurm
	case err != nil:
		return explainFailure("sinfo", stderr, err)
	}
	var lists []string
	if q.supply.Partitions, lists, err = parsePartitions(out); err != nil {
		return command.Failed("sinfo", nil, fmt.Errorf("unexpected output: %w", err))
	}
	q.supply.Note = command.Note(stderr)
	q.began, q.batches = true, notation.BatchHosts(lists)
	return nil
}

// askNodes runs scontrol for one batch of nodes.
func (q *SupplyQuestion) askNodes(ctx context.Context, run command.Runner) error {
	out, stderr, err := run.Within(ctx, "scontrol", "-d", "show", "node", strings.Join(q.batches[0], ","))
	if ctx.Err() != nil {
		return ctx.Err()
	}
	nodes := parseNodes(out)
	if err == nil && len(nodes) == 0 {
		err = errNoNode
	}
	if len(nodes) == 0 {
		return explainFailure("scontrol", stderr, err)
	}
	all := append(q.supply.Nodes, nodes...)
	slices.SortFunc(all, func(a, b SuppliedGPUs) int { return strings.Compare(a.Name, b.Name) })
	q.supply.Nodes = slices.CompactFunc(all, func(a, b SuppliedGPUs) bool { return a.Name == b.Name })
	q.batches = q.batches[1:]
	return nil
}

// explainFailure explains the failure of a command about nodes, which a site may hide from its users.
func explainFailure(name string, stderr []byte, err error) *reach.Failure {
	f := command.Failed(name, stderr, err)
	if strings.Contains(string(stderr), "Access/permission denied") {
		f.Short = "SLURM hides the nodes from you"
		f.Meaning = "Your site shows nodes only to its operators: PrivateData in slurm.conf has \"nodes\"."
	}
	return f
}

// parsePartitions reads the lines of sinfo, such as "gpu*|up|gpu:a100:4(S:0-1)|node[01-03,07]". A partition has several
// lines. It also returns the nodes to ask scontrol about, each only once, since scontrol prints a node as often as it
// is named. They are in the lists of sinfo, or one by one if partitions overlap.
func parsePartitions(out []byte) (partitions []SuppliedPartition, lists []string, err error) {
	at, total, listed := map[string]int{}, 0, map[string]bool{}
	for line := range bytes.Lines(out) {
		if bytes.HasPrefix(line, clusterLine) {
			continue
		}
		fields := strings.Split(strings.TrimSpace(string(line)), "|")
		if len(fields) != 4 || fields[0] == "" {
			return nil, nil, fmt.Errorf("%.80q", line)
		}
		if count, err := notation.CountGPUs(fields[2]); err != nil || count == 0 {
			continue // an unknown form does not count
		}
		names, err := notation.ExpandHosts(fields[3])
		if err == nil {
			err = notation.CheckHosts(names)
		}
		if total += len(names); err == nil && total > maxListed {
			err = notation.ErrTooManyHosts
		}
		if err != nil {
			return nil, nil, err
		}
		name, isDefault := strings.CutSuffix(fields[0], "*")
		i, seen := at[name]
		if !seen {
			i = len(partitions)
			at[name] = i
			partitions = append(partitions, SuppliedPartition{Name: name, Default: isDefault, State: fields[1]})
		}
		partitions[i].Nodes = append(partitions[i].Nodes, names...)
		fresh := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return listed[name] })
		if len(fresh) == len(names) {
			fresh = fields[3:]
		}
		lists = append(lists, fresh...)
		for _, name := range names {
			listed[name] = true
		}
	}
	return partitions, lists, nil
}

// parseNodes reads the output of `scontrol -d show node`. It leaves out a node that has no GPUs, occurs twice, or has
// GPUs that are not understood.
func parseNodes(out []byte) []SuppliedGPUs {
	var nodes []SuppliedGPUs
	seen := map[string]int{}
	for _, r := range command.RecordsOf(out, command.NodeLine) {
		n := newNodeText(r)
		if seen[n.name]++; seen[n.name] > 1 {
			continue
		}
		if node, ok := n.parseNode(); ok {
			nodes = append(nodes, node)
		}
	}
	return slices.DeleteFunc(nodes, func(n SuppliedGPUs) bool { return seen[n.Name] > 1 })
}

// nodeText is scontrol's output about a node.
type nodeText struct {
	name   string
	fields map[string]string
}

// aloneInNode are the fields that fill the rest of their line.
var aloneInNode = []string{"Gres", "GresUsed", "Reason", "CfgTRES", "AllocTRES"}

// sharing are the fields that share a line with others.
var sharing = []string{"CPUAlloc", "CPUEfctv", "CPUTot", "RealMemory", "CoreSpecCount", "CPUSpecList",
	"MemSpecLimit", "AllocMem", "State"}

// newNodeText reads the lines up to the texts of admins. If a name occurs several times, its first field counts.
func newNodeText(r command.Record) *nodeText {
	name, _, _ := strings.Cut(r[0].Text, " ")
	n := &nodeText{name: name, fields: map[string]string{}}
	for _, l := range r.Before("Comment", "Extra")[1:] {
		switch {
		case slices.Contains(aloneInNode, l.Key):
			n.setField(l.Key, strings.TrimRight(l.Text, " "))
		case slices.Contains(sharing, l.Key):
			for key, value := range l.Fields() {
				n.setField(key, value)
			}
		}
	}
	return n
}

func (n *nodeText) setField(name, value string) {
	if _, has := n.fields[name]; !has {
		n.fields[name] = value
	}
}

// parseNode returns the node, if it has GPUs.
func (n *nodeText) parseNode() (SuppliedGPUs, bool) {
	types, err := notation.GPUTypes(n.fields["Gres"])
	if err != nil || len(types) == 0 || !notation.IsHost(n.name) {
		return SuppliedGPUs{}, false
	}
	reason := strings.Join(strings.Fields(n.fields["Reason"]), " ") // it may span several lines
	node := SuppliedGPUs{Name: n.name, Reason: reason, Full: n.isFull(), Types: types}
	for state := range strings.SplitSeq(n.fields["State"], "+") {
		plain := strings.TrimRight(state, "*~#!%$@^-")
		node.Silent = node.Silent || strings.HasPrefix(state[len(plain):], "*")
		if plain != "" {
			node.States = append(node.States, plain)
		}
	}
	n.countUsed(node.Types)
	node.InUse, _ = notation.GPUsInUse(n.fields["GresUsed"])
	return node, true
}

// isFull reports whether no CPU or no memory is left for jobs.
func (n *nodeText) isFull() bool {
	cpus, counted := n.parseNumber("CPUEfctv")
	if !counted {
		cpus, counted = n.parseNumber("CPUTot")
	}
	used, known := n.parseNumber("CPUAlloc")
	if counted && known && cpus > 0 && used >= cpus {
		return true
	}
	memory, counted := n.parseNumber("RealMemory")
	system, _ := n.parseNumber("MemSpecLimit") // jobs do not get it
	used, known = n.parseNumber("AllocMem")
	return counted && known && memory > system && used >= memory-system
}

// parseNumber reads a field that is a number.
func (n *nodeText) parseNumber(field string) (uint64, bool) {
	v, err := strconv.ParseUint(n.fields[field], 10, 64)
	return v, err == nil
}

// countUsed sets the number of GPUs in use: from GresUsed or, if that is missing, from AllocTRES.
func (n *nodeText) countUsed(types []notation.GPUType) {
	used, told := n.fields["GresUsed"]
	counts, err := notation.UsedGPUs(used)
	if !told || err != nil {
		counts, err = n.parseUsedTRES(types)
	}
	if err != nil || !assignUntyped(counts, types) {
		return
	}
	for i := range types {
		types[i].Used, types[i].Known = min(counts[types[i].Name], types[i].Total), true
	}
}

// assignUntyped assigns GPUs in use whose type the node does not have, such as shares without a type, to the node's
// only type. It reports false if there are several types.
func assignUntyped(counts map[string]int, types []notation.GPUType) bool {
	for name, n := range counts {
		if n == 0 || slices.ContainsFunc(types, func(t notation.GPUType) bool { return t.Name == name }) {
			continue
		}
		if len(types) > 1 {
			return false
		}
		counts[types[0].Name] += n
	}
	return true
}

// parseUsedTRES reads the GPUs in use from "cpu=32,gres/gpu=4,gres/gpu:a100=4". It knows nothing about GPUs if the site
// does not account for all of them. TRES do not tell which GPUs have shares in use.
func (n *nodeText) parseUsedTRES(types []notation.GPUType) (map[string]int, error) {
	total := 0
	for _, t := range types {
		total += t.Total
	}
	configured, used := notation.ReadTRES(n.fields["CfgTRES"]), notation.ReadTRES(n.fields["AllocTRES"])
	switch {
	case !configured.Told || !configured.Whole && configured.Count != total:
		return nil, errors.New("GPUs are not accounted for")
	case notation.HasShares(n.fields["Gres"]):
		return nil, errors.New("SLURM does not say which GPUs have shares in use")
	}
	counts, others := map[string]int{}, used.Count
	for _, t := range used.Types {
		counts[t.Name] = t.Total
		others -= t.Total
	}
	if others > 0 && len(types) > 1 {
		return nil, errors.New("SLURM does not say which types of GPUs are in use")
	}
	counts[types[0].Name] += max(others, 0)
	return counts, nil
}

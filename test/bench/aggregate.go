package main

import (
	"bytes"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/test/tree"
)

// Ticks of a simulation of a tree. Those before the first one that counts let the coders learn what is usual.
const (
	treeTicks    = 60
	treeLearning = 20
)

// slurmWidth is SLURM's default TreeWidth.
const slurmWidth = 50

// levelCost is what one node at a level of a tree costs, per tick.
type levelCost struct {
	nodes int           // at this level
	below int           // nodes that one of them tells of, on average
	cpu   time.Duration // of one
	bytes int           // that one passes on; 0: the root
}

// measureAggregation prints what trees over so many nodes cost.
func measureAggregation(nodes int, direct loginCost, all []tree.Past) error {
	take, look, size, err := gather(all, slurmWidth)
	if err != nil {
		return err
	}
	fmt.Printf("aggregation on the way, simulated: a gatherer reads the reports of %d nodes and passes on 13 numbers "+
		"of each\n", slurmWidth)
	fmt.Printf("  a report           %8.0f µs to read and apply\n", micros(take))
	fmt.Printf("  a node in a tick   %8.0f µs to summarize and pack, into %.1f bytes (its report has %.0f)\n",
		micros(look), size, direct.size)
	var sums [][]tree.Summary
	for i := range all {
		sums = append(sums, all[i].Summaries(treeGPUs, treeInterval))
	}
	fmt.Printf("\n%8s %8s %7s %12s %12s %14s %14s %14s %16s\n", "nodes", "fan-out", "between", "kB/s at root",
		"bytes/node", "CPU root", "CPU gatherer", "CPU joint", "age, mean (most)")
	fmt.Printf("%8d %8s %7d %12.1f %12.1f %12.2f %% %14s %14s %16s\n", nodes, "none", 0, direct.size*direct.sent/1000,
		direct.size, direct.cpu, "", "", "")
	for _, fan := range []int{slurmWidth, cubeRoot(nodes)} {
		levels, err := simulate(sums, nodes, fan)
		if err != nil {
			return err
		}
		root, joint, passed := levels[len(levels)-1], "", 0
		for _, l := range levels[:len(levels)-1] {
			joint, passed = fmt.Sprintf("%.3f %%", share(l.cpu)), l.nodes*l.bytes
		}
		if len(levels) == 2 {
			joint = ""
		}
		hops := time.Duration(len(levels) - 1)
		fmt.Printf("%8d %8d %7d %12.1f %12.1f %12.3f %% %12.2f %% %14s %16s\n", nodes, fan, len(levels)-1,
			float64(passed)/treeInterval.Seconds()/1000, float64(passed)/float64(nodes),
			share(root.cpu), share(time.Duration(fan)*(take+look)), joint, fmt.Sprintf("%v (%v)", hops*treeInterval/2,
				hops*treeInterval))
	}
	return nil
}

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

// share is CPU time per tick in percent of a core.
func share(d time.Duration) float64 { return 100 * d.Seconds() / treeInterval.Seconds() }

// cubeRoot is what SLURM's manual recommends as TreeWidth for more than 2,500 nodes.
func cubeRoot(n int) (root int) {
	for root*root*root < n {
		root++
	}
	return root
}

// spent returns the CPU time of this process for do.
func spent(do func()) time.Duration {
	used := func() time.Duration {
		var u unix.Rusage
		_ = unix.Getrusage(unix.RUSAGE_SELF, &u) // fails for no caller that there is
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	before := used()
	do()
	return used() - before
}

// gather measures a gatherer that reads the lines of so many probes: CPU per report, and per node of a tick, and bytes
// per node.
func gather(all []tree.Past, nodes int) (take, look time.Duration, size float64, err error) {
	type child struct {
		name  string
		past  *tree.Past
		at    int
		lines bytes.Buffer
		read  *wire.Reader
	}
	children, names := make([]child, nodes), make([]string, nodes)
	at := time.Now()
	for i := range children {
		c := &children[i]
		c.name, c.past, c.at = fmt.Sprintf("n%05d", i), &all[i%len(all)], i*7%(pastReports/2)
		c.read, names[i] = wire.NewReader(&c.lines), c.name
	}
	g := tree.NewGatherer(names, treeGPUs, treeInterval, at)
	tell := func(c *child, line []byte) {
		c.lines.Write(line)
		var m wire.Message
		if nextErr := c.read.Next(&m); nextErr != nil {
			err = nextErr
			return
		}
		g.Take(c.name, m, at)
	}
	for i := range children {
		tell(&children[i], children[i].past.Hello)
	}
	for tick := range treeTicks {
		at = at.Add(treeInterval)
		taken := spent(func() {
			for i := range children {
				c := &children[i]
				line := c.past.Changes[c.at]
				if tick == 0 {
					line = c.past.Whole[c.at]
				}
				tell(c, line)
				c.at++
			}
		})
		bytes := 0
		looked := spent(func() { bytes = len(g.Pass(at)) })
		if tick >= treeLearning {
			take, look, size = take+taken, look+looked, size+float64(bytes)
		}
	}
	each := time.Duration(nodes * (treeTicks - treeLearning))
	return take / each, look / each, size / float64(each), err
}

// simulate runs a tree over nodes with these Summaries. It returns the cost of each level, the gatherers first. Of
// those it knows only what they pass on: gather measures their CPU time.
func simulate(sums [][]tree.Summary, nodes, fan int) ([]levelCost, error) {
	var sizes []int
	for left := nodes; left > 0; left -= fan {
		sizes = append(sizes, min(left, fan))
	}
	feeds := make([]*tree.Feed, len(sizes))
	for i, n := range sizes {
		feeds[i] = tree.NewFeed(n)
	}
	var levels [][]*tree.Joint
	costs := []levelCost{{nodes: len(sizes), below: fan}}
	for _, level := range tree.Levels(sizes, fan) {
		var joints []*tree.Joint
		for _, below := range level {
			joints = append(joints, tree.NewJoint(below))
		}
		levels = append(levels, joints)
		costs = append(costs, levelCost{nodes: len(joints), below: nodes / len(joints)})
	}
	row := make([]tree.Summary, nodes)
	for tick := range treeTicks {
		for i := range row {
			row[i] = sums[i%len(sums)][i*7%(pastReports/2)+tick]
		}
		var texts [][]byte
		at := 0
		for i, n := range sizes {
			texts = append(texts, bytes.Clone(feeds[i].Pass(row[at:at+n])))
			at += n
		}
		for l := range levels {
			costs[l].note(tick, 0, texts)
			var up [][]byte
			var err error
			cpu := spent(func() { up, err = pass(levels[l], texts, fan, l == len(levels)-1) })
			if err != nil {
				return nil, err
			}
			costs[l+1].note(tick, cpu, nil)
			texts = up
		}
	}
	for i := range costs {
		c := &costs[i]
		c.cpu /= time.Duration(c.nodes * (treeTicks - treeLearning))
		c.bytes /= c.nodes * (treeTicks - treeLearning)
	}
	return costs, nil
}

// pass gives texts to the nodes of a level.
func pass(level []*tree.Joint, texts [][]byte, fan int, root bool) (up [][]byte, err error) {
	for i, part := range slices.Collect(slices.Chunk(texts, fan)) {
		if root {
			all, err := level[i].Read(part)
			if err == nil {
				tree.Total(all)
			}
			return nil, err
		}
		text, err := level[i].Pass(part)
		if err != nil {
			return nil, err
		}
		up = append(up, bytes.Clone(text))
	}
	return up, nil
}

func (c *levelCost) note(tick int, cpu time.Duration, texts [][]byte) {
	if tick < treeLearning {
		return
	}
	c.cpu += cpu
	for _, text := range texts {
		c.bytes += len(text)
	}
}

package report

import "github.com/nvnodetop/nvnodetop/internal/wire/metric"

// combineNumbers returns the numbers of the job's GPUs on some nodes. The caller sets the peak of the power, because it
// is not the sum of the peaks.
func combineNumbers(nodes []*nodeAccount) Numbers {
	j := gpuSum{}
	for _, n := range nodes {
		for _, g := range n.jobGPUs() {
			j.addGPU(n.name, g)
		}
	}
	return j.jointNumbers()
}

// gpuSum adds up GPUs.
type gpuSum struct {
	util   stat
	out    Numbers
	watts  float64
	powers int
	joules float64
	from   string
	times  [len(reasons)]float64
	froms  [len(reasons)]string
}

func (j *gpuSum) addGPU(node string, g *gpuAccount) {
	own := g.gpuNumbers()
	if u := own.Util; u != nil {
		j.util.mergeStat(&g.util)
		at := g.makePlace(node)
		if j.out.Util == nil {
			j.out.Util = &Util{Lowest: u.Mean, Highest: u.Mean, LowestAt: &at, HighestAt: &at}
		}
		if u.Mean < j.out.Util.Lowest {
			j.out.Util.Lowest, j.out.Util.LowestAt = u.Mean, &at
		}
		if u.Mean > j.out.Util.Highest {
			j.out.Util.Highest, j.out.Util.HighestAt = u.Mean, &at
		}
	}
	if m := own.Memory; m != nil && isTighter(m, j.out.Memory) {
		fullest, at := *m, g.makePlace(node)
		fullest.At = &at
		j.out.Memory = &fullest
	}
	if t := own.Temperature; t != nil && (j.out.Temperature == nil || *t > *j.out.Temperature) {
		j.out.Temperature = t
	}
	if own.Power != nil {
		j.watts, j.powers = j.watts+g.power.mean(), j.powers+1
	}
	if joules, from := g.energyTotal(); from != "" {
		j.joules, j.from = j.joules+joules, sumSource(j.from, from)
	}
	for i := range reasons {
		if s, from := g.throttledTime(i); s > 0 {
			j.times[i], j.froms[i] = j.times[i]+s, sumSource(j.froms[i], from)
		}
	}
}

// sumSource returns the source of a sum.
func sumSource(a, b string) string {
	if a == "" || a == b {
		return b
	}
	return FromBoth
}

func (j *gpuSum) jointNumbers() Numbers {
	if j.out.Util != nil {
		j.out.Util.Mean = metric.Round(j.util.mean(), 2)
	}
	if j.powers > 0 {
		j.out.Power = &Power{Mean: metric.Round(j.watts, 1)}
	}
	if j.from != "" {
		j.out.Energy = newEnergy(j.joules, j.from)
	}
	for i, why := range reasons {
		if j.times[i] > 0 {
			j.out.Throttled = append(j.out.Throttled, Throttled{Reason: why.name, Seconds: metric.Round(j.times[i], 1),
				From: j.froms[i]})
		}
	}
	return j.out
}

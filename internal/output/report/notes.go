package report

import (
	"fmt"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/lib/text"
	"github.com/nvnodetop/nvnodetop/internal/output/report/advice"
)

// Limits for the notes. The limits for the utilization, the time limit and the shortest judged run are those of
// jobstats, from Princeton University.
const (
	judgedFrom = 5 * time.Minute

	veryLowUtil, lowUtil = 15, 25 // percent
	lowGPUMemory         = 25     // percent of the GPU's memory
	lowHostMemory        = 50     // percent of the job's limit
	highHostMemory       = 95     // likewise
	shortRun             = 60     // percent of the time limit

	lateStart = time.Minute // from the start of the job to the start of the watch
)

// The kinds of notes.
const (
	noteOutOfMemory = "out_of_memory"
	noteTimeLimit   = "time_limit"
	noteNeverUsed   = "gpus_never_used"
	noteUtil        = "low_utilization"
	noteGPUMemory   = "low_gpu_memory"
	noteHostLow     = "low_host_memory"
	noteHostHigh    = "high_host_memory"
	noteShortRun    = "short_run"
	noteShortWatch  = "short_watch"
	noteLate        = "watched_late"
	noteUnseen      = "nodes_unseen"
	noteGPUsUnseen  = "gpus_unseen"
	noteOwner       = "owner_unknown"
	noteEnergy      = "energy_from_samples"
)

// noteList is a list of notes being written.
type noteList []Note

func (p *noteList) addNote(kind, format string, args ...any) {
	*p = append(*p, Note{Kind: kind, Text: fmt.Sprintf(format, args...)})
}

// makeNotes returns facts and advice, most important first.
func (d *draft) makeNotes(r *Report) []Note {
	p := noteList{}
	d.addEndAdvice(&p)
	if d.watchedTime() >= judgedFrom {
		unused := d.unusedGPUs()
		d.noteUnused(&p, r, unused)
		d.noteUtil(&p, r, len(unused))
		noteMemory(&p, r)
	} else {
		p.addNote(noteShortWatch, "Watched for %s: too short to judge the use of GPUs and memory, which takes %s.",
			text.Span(d.watchedTime()), text.Span(judgedFrom))
	}
	d.noteHostFull(&p, r)
	d.noteWatch(&p, r)
	return p
}

// addEndAdvice adds the advice that follows from how the job ended, in SLURM's word.
func (d *draft) addEndAdvice(p *noteList) {
	if d.over == nil {
		return
	}
	switch d.over.State {
	case cluster.JobOutOfMemory:
		p.addNote(noteOutOfMemory, "The job needed more host memory than it had asked for: ask for more with --mem or "+
			"--mem-per-cpu.")
	case cluster.JobTimedOut:
		p.addNote(noteTimeLimit, "The job reached its time limit of %s: ask for more with --time, or continue from a "+
			"checkpoint.", text.Span(d.job.Limit))
	case cluster.JobCompleted:
		ran := d.over.End.Sub(d.job.Start)
		share, known := cluster.Percent(ran.Seconds(), d.job.Limit.Seconds())
		if known && !d.over.End.IsZero() && !d.job.Start.IsZero() && ran >= judgedFrom && share <= shortRun {
			p.addNote(noteShortRun, "The job needed %s of its time limit of %s (%.0f%%): with a shorter --time it may "+
				"start earlier.", text.Span(ran), text.Span(d.job.Limit), share)
		}
	}
}

// unusedGPUs returns the job's GPUs on which no kernel ran, if they were seen for long enough.
func (d *draft) unusedGPUs() []Place {
	var out []Place
	for _, name := range d.job.Nodes {
		for i := range d.sum.nodes {
			if d.sum.nodes[i].name != name {
				continue
			}
			for _, g := range d.sum.nodes[i].jobGPUs() {
				if g.util.n > 0 && g.util.high == 0 && g.seen >= judgedFrom {
					out = append(out, g.makePlace(name))
				}
			}
		}
	}
	return out
}

func (d *draft) noteUnused(p *noteList, r *Report, unused []Place) {
	switch {
	case len(unused) == 0:
	case len(unused) < r.Total.GPUs:
		p.addNote(noteNeverUsed, "%d of %d GPUs were never used: %s. Ask for fewer GPUs, or let the program use all of "+
			"them.", len(unused), r.Total.GPUs, joinPlaces(unused))
	case len(unused) == 1:
		p.addNote(noteNeverUsed, "The GPU was never used: check whether the program finds it.")
	default:
		p.addNote(noteNeverUsed, "None of the %d GPUs was ever used: check whether the program finds them.", len(unused))
	}
}

func (d *draft) noteUtil(p *noteList, r *Report, unused int) {
	u := r.Total.Util
	if u == nil || unused == r.Total.GPUs || u.Mean >= lowUtil {
		return
	}
	how := "low"
	if u.Mean <= veryLowUtil {
		how = "very low"
	}
	p.addNote(noteUtil, "The mean GPU utilization is %s: %s. Check whether the GPUs wait for data, for the CPU or for "+
		"each other.", how, advice.PercentText(u.Mean))
}

func noteMemory(p *noteList, r *Report) {
	if share, known := shareOf(r.Total.Memory); known && share < lowGPUMemory {
		p.addNote(noteGPUMemory, "No GPU had more than %s of its memory in use: smaller GPUs or MIG instances may be "+
			"enough, or a larger batch faster.", advice.PercentText(share))
	}
	if share, known := shareOf(r.Total.HostMemory); known && share < lowHostMemory {
		m := r.Total.HostMemory
		p.addNote(noteHostLow, "No node used more than %s of the %s of host memory that the job had there: ask for less "+
			"with --mem.", advice.GiBText(m.Peak), advice.GiBText(*m.Limit))
	}
}

func (d *draft) noteHostFull(p *noteList, r *Report) {
	m := r.Total.HostMemory
	if share, known := shareOf(m); known && share >= highHostMemory {
		p.addNote(noteHostHigh, "The job used up to %s of its host memory on %s: at the limit SLURM ends it. Ask for "+
			"more with --mem.", advice.PercentText(share), m.At.Node)
	}
}

func shareOf(m *Memory) (float64, bool) {
	if m == nil || m.Limit == nil {
		return 0, false
	}
	return cluster.Percent(float64(m.Peak), float64(*m.Limit))
}

// noteWatch notes the gaps in the numbers.
func (d *draft) noteWatch(p *noteList, r *Report) {
	if late := d.from.Sub(d.job.Start); !d.job.Start.IsZero() && late >= lateStart {
		p.addNote(noteLate, "Tracking started %s after the job did; earlier activity is not included.", text.Span(late))
	}
	var silent, unowned []string
	for i := range r.Nodes {
		n := &r.Nodes[i]
		switch {
		case n.Gaps == 0:
		case n.Seen == 0:
			silent = append(silent, n.Name+" (all the time)")
		default:
			silent = append(silent, fmt.Sprintf("%s (%s)", n.Name, advice.SpanText(n.Unseen)))
		}
		if len(n.List) > n.GPUs {
			unowned = append(unowned, n.Name)
		}
	}
	if len(silent) > 0 {
		p.addNote(noteUnseen, "%d of %d nodes did not report all the time: %s. That time is excluded from all averages.",
			len(silent), len(r.Nodes), text.Some(silent, most))
	}
	if missing := r.Total.GPUs - r.Total.GPUsSeen; missing > 0 && len(unowned) == 0 {
		p.addNote(noteGPUsUnseen, "%d of %d GPUs never reported.", missing, r.Total.GPUs)
	}
	if len(unowned) > 0 {
		p.addNote(noteOwner, "Which GPUs are the job's is not known on %s: all GPUs there are in this report.",
			text.Some(unowned, most))
	}
	if e := r.Total.Energy; e != nil && e.From != FromCounter {
		which := "The energy"
		if e.From == FromBoth {
			which = "Part of the energy"
		}
		p.addNote(noteEnergy, "%s is computed from samples of the power: the driver does not count it. Time that was not "+
			"seen is not in it.", which)
	}
}

// most limits how many names are in a note.
const most = 8

func joinPlaces(places []Place) string {
	var names []string
	for _, p := range places {
		names = append(names, p.String())
	}
	return text.Some(names, most)
}

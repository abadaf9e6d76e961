package say

import (
	"fmt"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
)

// slowerSteps describes a job whose log says that its steps take longer than before.
func slowerSteps(w *Words, e evidence) {
	p := e.compared.Progress
	_, of := paceUnit(p)
	now, before := Pace(p), twoDigits(p.Slower.Before*of)
	w.Short, w.Long = now, now+", "+before+" before"
	w.Sentence = fmt.Sprintf("By its log, a step has taken %s since %s, %s before", stepTime(p),
		clockTime(p.Slower.Since, e.at),
		before)
	if facts := slowerFacts(e.compared.Slower); facts != "" {
		w.Sentence += ": " + facts
	}
	saved := 1 - p.Slower.Before / *p.SecondsPerStep
	w.Sentence += lostText(saved*e.at.Sub(p.Slower.Since).Hours()*float64(e.compared.Of)) + "."
	w.Hint = "fine if the program does other work now; otherwise look at the storage, the network and the other jobs of " +
		"the nodes"
	if e.compared.Slower != nil {
		w.Hint = whySlower(e.compared.Slower) + "; fine if the program does other work now"
	}
}

// stepTime is the time of a step: "3.1 s".
func stepTime(p *cluster.JobProgress) string {
	unit, of := paceUnit(p)
	return twoDigits(*p.SecondsPerStep*of) + " " + unit
}

// leastLost is the number of GPU-hours from which it is said that they are lost.
const leastLost = 10

// lostText says what a problem has cost: "; 41 GPU-hours lost so far". It returns "" for a few hours.
func lostText(gpuHours float64) string {
	if gpuHours < leastLost {
		return ""
	}
	return "; " + twoDigits(gpuHours) + " GPU-hours lost so far"
}

// standingText says what it has cost that all GPUs of a job do nothing.
func standingText(e evidence) string {
	return lostText(e.at.Sub(e.since).Hours() * float64(e.compared.Of))
}

// silentLog describes a job whose log does not grow any more.
func silentLog(w *Words, e evidence) {
	silence := "its log has been silent"
	if p := e.compared.Progress; p != nil && p.Silence != nil {
		w.Long = "log silent for " + spanText(e.at.Sub(p.Silence.Since))
		silence = logSilence(p, e)
	}
	w.Short = "log silent"
	w.Sentence = Sentence(silence)
	w.Hint = "fine during an evaluation or a checkpoint; otherwise nvnodetop stacks, or the page of the stacks, says " +
		"where each " + e.wordForRank() + " is"
}

// logSilence says since when a log is silent: "its log has been silent since 02:10; it used to grow every 5 s".
func logSilence(p *cluster.JobProgress, e evidence) string {
	return fmt.Sprintf("its log has been silent since %s; it used to grow every %s", clockTime(p.Silence.Since, e.at),
		spanText(p.Silence.Usual))
}

// tooLong describes a job whose program will not finish before the time limit.
func tooLong(w *Words, e evidence) {
	f, p := e.compared.Forecast, e.compared.Progress
	if f == nil || p == nil {
		return
	}
	w.Short = spanText(f.After) + " short"
	w.Long = "will not finish: " + w.Short
	w.Sentence = fmt.Sprintf("The program ends in %s at its pace: %s after the time limit", spanText(f.EndsIn),
		spanText(f.After))
	if f.Done != nil {
		w.Sentence += fmt.Sprintf("; it reaches %d %%", int(*f.Done*100))
	}
	w.Sentence += "."
	if c := p.LastCheckpoint; c != nil {
		w.Sentence += " The log mentions its last checkpoint at " + clockTime(c.At, e.at)
		if c.Step != nil {
			w.Sentence += ", step " + withCommas(*c.Step)
		}
		w.Sentence += "."
	}
	before := "its time limit"
	if !e.job.End.IsZero() {
		before = clockTime(e.job.End, e.at)
	}
	w.Hint = "let it write a checkpoint before " + before + " and continue in another job, or ask your admins for a " +
		"longer limit"
}

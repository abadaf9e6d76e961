package site

import "time"

// The work of the demo's programs on their GPUs. Each kind of work is a function of the time in the story and of a
// random number from 0 to 1.

// Load is the work of a program on a GPU.
type Load struct {
	Util   float64 // share of time with a kernel running
	Work   float64 // share of the power above idle
	Memory float64 // share of time with memory being read or written
}

// checkpoints lists when the training job writes a checkpoint within checkpointCycle, and how long all its GPUs then
// wait.
var checkpoints = []struct{ at, takes time.Duration }{
	{70 * time.Second, 6 * time.Second}, {162 * time.Second, 8 * time.Second}, {300 * time.Second, 5 * time.Second},
	{375 * time.Second, 9 * time.Second}, {520 * time.Second, 7 * time.Second},
}

const checkpointCycle = 10 * time.Minute

// IsCheckpointing reports whether the training job writes a checkpoint at now.
func IsCheckpointing(now time.Duration) bool {
	at := (now%checkpointCycle + checkpointCycle) % checkpointCycle
	for _, c := range checkpoints {
		if at >= c.at && at < c.at+c.takes {
			return true
		}
	}
	return false
}

// TrainingLoad is busy, except during checkpoints.
func TrainingLoad(now time.Duration, r float64) Load {
	if IsCheckpointing(now) {
		return Load{Util: 0.03 + 0.09*r, Work: 0.06 + 0.05*r, Memory: 0.02}
	}
	return Load{Util: 0.95 + 0.05*r, Work: 0.88 + 0.1*r, Memory: 0.52 + 0.1*r}
}

// FinetuningLoad is busy for two thirds of the time.
func FinetuningLoad(_ time.Duration, r float64) Load {
	return Load{Util: 0.6 + 0.15*r, Work: 0.6 + 0.1*r, Memory: 0.3 + 0.1*r}
}

// SimulatingLoad is busy for most of the time, with little memory traffic.
func SimulatingLoad(_ time.Duration, r float64) Load {
	return Load{Util: 0.75 + 0.08*r, Work: 0.62 + 0.06*r, Memory: 0.3 + 0.1*r}
}

// StandingLoad holds its memory, but does not work.
func StandingLoad(time.Duration, float64) Load { return Load{} }

// SpinningLoad waits for other GPUs in a collective: the kernel that waits reads no memory.
var SpinningLoad = Load{Util: 1, Work: 0.22}

// EvaluatingLoad is busy in batches with pauses between them.
func EvaluatingLoad(now time.Duration, r float64) Load {
	if at := now % (24 * time.Second); at > -5*time.Second && at < 4*time.Second {
		return Load{Util: 0.25 * r, Work: 0.12, Memory: 0.04}
	}
	return Load{Util: 0.55 + 0.25*r, Work: 0.55 + 0.1*r, Memory: 0.25 + 0.1*r}
}

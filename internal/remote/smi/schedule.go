package smi

import (
	"fmt"
	"sync"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// schedule is what nvidia-smi prints continuously, and how often: rows in a loop, and lists of processes. Requests
// change its pace, and what is found out about GPUs changes which ones it reads. Any goroutine may use it.
type schedule struct {
	console *console
	fields  string // of the rows

	mu     sync.Mutex // protects the following
	pace   wire.Pace
	loopMS int       // the interval of nvidia-smi; 0: no loop was asked for
	which  string    // the GPUs that the loop reads
	listed time.Time // when the last list of processes was asked for
}

// listEvery is the shortest time between two lists of processes: each starts a new nvidia-smi.
const listEvery = 10 * time.Second

func (s *schedule) setPace(p wire.Pace) error {
	s.mu.Lock()
	was := s.pace
	s.pace = p
	s.mu.Unlock()
	every := p.IntervalMS
	if was.IntervalMS == 0 && p.SecondMS > 0 {
		every = min(every, p.SecondMS)
	}
	if p.IntervalMS != was.IntervalMS {
		if err := s.startLoop(every); err != nil {
			return err
		}
	}
	if was.IntervalMS == 0 || p.Processes && !was.Processes {
		return s.askProcesses()
	}
	return nil
}

// slowLoop makes the loop as slow as requested: until the second report it may be faster.
func (s *schedule) slowLoop() error {
	s.mu.Lock()
	every := s.pace.IntervalMS
	s.mu.Unlock()
	return s.startLoop(every)
}

// startLoop makes nvidia-smi print the GPUs every so many milliseconds.
func (s *schedule) startLoop(ms int) error {
	s.mu.Lock()
	was := s.loopMS
	s.loopMS = ms
	s.mu.Unlock()
	if ms == was {
		return nil
	}
	return s.restartLoop()
}

// restartLoop starts the loop, in place of the one that runs.
func (s *schedule) restartLoop() error {
	s.mu.Lock()
	ms, which := s.loopMS, s.which
	s.mu.Unlock()
	if ms == 0 || which == noGPU {
		return nil
	}
	return s.console.sendLine(fmt.Sprintf("loop %d %s %s", ms, which, s.fields))
}

// askProcesses asks for a list of processes.
func (s *schedule) askProcesses() error {
	s.mu.Lock()
	s.listed = time.Now()
	which := s.which
	s.mu.Unlock()
	if which == noGPU {
		return nil
	}
	return s.console.sendLine("apps 0 " + which)
}

// isListDue reports whether it is time for the next list of processes.
func (s *schedule) isListDue() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	every := metric.SlowSeconds * time.Second
	if s.pace.Processes {
		every = listEvery
	}
	return time.Since(s.listed) >= every
}

// setGPUs says which GPUs the next loop reads.
func (s *schedule) setGPUs(which string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.which = which
}

// loopInterval returns the interval of the loop; 0: none was asked for.
func (s *schedule) loopInterval() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Duration(s.loopMS) * time.Millisecond
}

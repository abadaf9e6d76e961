package remote

import (
	"runtime"
	"sync"

	"github.com/nvnodetop/nvnodetop/internal/lib/crash"
)

// Starter starts programs that the kernel ends together with this process (Pdeathsig). The kernel takes the end of the
// thread that started them for the end of the process, so one thread starts all of them, and never ends. The zero
// Starter is ready; any number of goroutines may use it.
type Starter struct {
	begin  sync.Once
	starts chan func()
}

// Do calls start on that thread.
func (s *Starter) Do(start func() error) error {
	s.begin.Do(func() {
		s.starts = make(chan func())
		crash.Go(s.runStarts)
	})
	result := make(chan error, 1)
	s.starts <- func() { result <- start() }
	return <-result
}

func (s *Starter) runStarts() {
	runtime.LockOSThread()
	for start := range s.starts {
		start()
	}
}

package probe

import (
	"errors"
	"slices"
	"syscall"

	"github.com/nvnodetop/nvnodetop/internal/probe/proc"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// scheduleRounds is how often the threads of a process are listed: those that begin meanwhile may have the old value.
const scheduleRounds = 3

// schedule changes the nice value or the CPUs of all threads of a process. No pidfd can hold a process for these calls,
// so a short gap remains after the check, as for signals on old kernels.
func (d *processDesk) schedule(pid int, s *wire.Schedule) error {
	cpus, err := s.CPUNumbers()
	if s.Nice == nil && err != nil {
		return err
	}
	var done []int
	for range scheduleRounds {
		before := len(done)
		for _, tid := range proc.Of(d.mount, pid).Threads() {
			if slices.Contains(done, tid) {
				continue
			}
			done = append(done, tid)
			if s.Nice != nil {
				err = setNice(tid, *s.Nice)
			} else {
				err = setCPUs(tid, cpus)
			}
			if err != nil && !errors.Is(err, syscall.ESRCH) { // a thread may end
				return err
			}
		}
		if len(done) == before {
			break
		}
	}
	if len(done) == 0 {
		return syscall.ESRCH
	}
	return nil
}

// whyRefused explains an error of the kernel.
func whyRefused(err error, s *wire.Schedule) string {
	switch {
	case s != nil && s.Nice != nil && (errors.Is(err, syscall.EACCES) || errors.Is(err, syscall.EPERM)):
		return "the kernel refused: only root may lower a nice value"
	case s != nil && s.Nice == nil && errors.Is(err, syscall.EINVAL):
		return "the kernel refused: the job has none of these CPUs on this node"
	}
	return "the kernel refused: " + err.Error()
}

package wire

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Schedule is a change of how the kernel schedules all threads of a process: of its nice value or of its CPUs.
type Schedule struct {
	Nice *int   `json:"nice,omitempty"` // -20..19
	CPUs string `json:"cpus,omitempty"` // the CPUs on which it may run, as the kernel lists them: 0-15,32
}

// String names the new value.
func (s *Schedule) String() string {
	if s.Nice != nil {
		return "nice value " + strconv.Itoa(*s.Nice)
	}
	return "CPUs " + s.CPUs
}

// The least and the highest nice value of Linux.
const (
	leastNice = -20
	mostNice  = 19
)

// Check returns the reason why a process cannot be scheduled like this.
func (s *Schedule) Check() error {
	switch {
	case (s.Nice != nil) == (s.CPUs != ""):
		return errors.New("a schedule is a nice value or a list of CPUs")
	case s.Nice == nil:
		_, err := s.CPUNumbers()
		return err
	case *s.Nice < leastNice || *s.Nice > mostNice:
		return fmt.Errorf("a nice value is a number from %d to %d", leastNice, mostNice)
	}
	return nil
}

// mostCPUs is the number of CPUs that a set of the system call has.
const mostCPUs = 1024

// CPUNumbers returns the numbers of the CPUs.
func (s *Schedule) CPUNumbers() (numbers []int, err error) {
	if len(s.CPUs) > MaxAffinity {
		return nil, fmt.Errorf("a list of CPUs has at most %d bytes", MaxAffinity)
	}
	for _, part := range strings.Split(s.CPUs, ",") {
		from, to, ranged := strings.Cut(part, "-")
		first, err := strconv.ParseUint(from, 10, 16)
		last := first
		if err == nil && ranged {
			last, err = strconv.ParseUint(to, 10, 16)
		}
		if err != nil || last < first || last >= mostCPUs {
			return nil, fmt.Errorf("%q is not a list of CPUs, such as 0-15,32, with numbers below %d", s.CPUs, mostCPUs)
		}
		for n := first; n <= last; n++ {
			numbers = append(numbers, int(n))
		}
	}
	return numbers, nil
}

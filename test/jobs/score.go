package jobs

import (
	"fmt"
	"strings"
	"sync"

	"github.com/nvnodetop/nvnodetop/pkg/schema"
)

// Score counts what was right in verdicts. Its methods may be called from any goroutine.
type Score struct {
	mu    sync.Mutex
	kinds map[Kind]*counts
}

// counts are numbers of verdicts on the jobs of a kind.
type counts struct {
	jobs                            map[string]bool
	all, stuck, rank, frame, reason int
}

// Add counts a verdict.
func (s *Score) Add(f Found) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kinds == nil {
		s.kinds = map[Kind]*counts{}
	}
	c := s.kinds[f.row.Kind]
	if c == nil {
		c = &counts{jobs: map[string]bool{}}
		s.kinds[f.row.Kind] = c
	}
	c.jobs[f.row.Name()] = true
	c.all++
	for _, right := range []struct {
		is bool
		of *int
	}{{f.d.State == schema.StacksStuck, &c.stuck}, {f.Rank, &c.rank}, {f.Frame, &c.frame}, {f.Reason, &c.reason}} {
		if right.is {
			*right.of++
		}
	}
}

// String has a line for each kind.
func (s *Score) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var lines []string
	for _, kind := range []Kind{Works, Hangs, Busy} {
		c := s.kinds[kind]
		if c == nil {
			continue
		}
		line := fmt.Sprintf("%s: %d jobs, %d verdicts: %s called stuck", kind, len(c.jobs), c.all, share(c.stuck, c.all))
		if kind != Works {
			line += fmt.Sprintf(", right rank %s, its frame %s, the reason %s", share(c.rank, c.all), share(c.frame, c.all),
				share(c.reason, c.all))
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func share(n, of int) string { return fmt.Sprintf("%d (%d %%)", n, 100*n/of) }

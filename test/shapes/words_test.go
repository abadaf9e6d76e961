package shapes

import (
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/health/say"
	"github.com/nvnodetop/nvnodetop/test/raced"
)

// A lag that is found names what the host gives to its process in other measure than to the others, and nothing else.
func TestLagIsExplained(t *testing.T) {
	if raced.On { // TestShapes plays some of them with the race detector
		t.Skip("it takes a minute with the race detector")
	}
	const (
		cpus  = "is bound to 1 CPU (others: 16)"
		reads = "reads 2 MB/s (others: 300)"
		hints = "give PID 4003 and its data loader more CPUs: see --cpus-per-task and --cpu-bind of srun"
	)
	all := map[string]Shape{}
	for _, s := range All() {
		all[s.Name] = s
	}
	for name, want := range map[string]struct{ sentence, hint string }{
		"f07 loader":         {"", "check the data loader of PID 4003 and its CPUs (column cpu_affinity)"},
		"f07b bound loader":  {cpus, hints},
		"f07c slow storage":  {reads, "check the data loader of PID 4003, and the storage from which it reads"},
		"f07d bound node":    {cpus, "see --cpus-per-task and --cpu-bind of srun"},
		"f07e the same host": {"", "look at what this process waits for: its data loader, its CPUs, its storage"},
		"f01b clock, bound":  {"", "if it stays slow, report it to your admins"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			shape, known := all[name]
			if !known {
				t.Fatal("there is no such shape")
			}
			last := say.Words{}
			Play(shape, 1, func(s *cluster.Snapshot) {
				for i := range s.Jobs[0].Findings {
					if f := &s.Jobs[0].Findings[i]; f.Kind == cluster.KindLag && f.Holds() && f.Key != "" {
						last = say.Finding(s, f)
					}
				}
			})
			if last.Sentence == "" || !strings.Contains(last.Sentence, want.sentence) ||
				!strings.Contains(last.Hint, want.hint) {
				t.Errorf("%s %s", last.Sentence, last.Hint)
			}
			for _, word := range []string{"is bound", "reads", "writes"} {
				if strings.Contains(last.Sentence, word) != strings.Contains(want.sentence, word) {
					t.Errorf("%q: %s", word, last.Sentence)
				}
			}
		})
	}
}

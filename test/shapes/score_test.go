package shapes

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/test/raced"
)

var (
	score = flag.String("score", "", "print the score at these seconds between reports: 1,3,10,30")
	named = flag.String("shapes", "", "only the shapes whose names contain this")
)

// More returns the shapes of roles, small jobs, uneven work, links, whole nodes and whole jobs. The usual test plays
// them at a slower pace than All.
func More() []Shape {
	return filled(roles, small, uneven, patience, whole, roleFaults, smallFaults, unevenFaults, wholeFaults,
		patienceFaults, pastFaults)
}

// usualPoll is the pace at which the usual test plays More. scripts/shapes plays other paces.
const usualPoll = 10 * time.Second

// Each shape of More is judged right, or has a reason in Known why it is not yet.
func TestMoreShapes(t *testing.T) {
	for i, s := range More() {
		if raced.On && i%24 != 0 || !strings.Contains(s.Name, *named) {
			continue
		}
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			v := Verdict{Shape: s}
			for more := range *seeds {
				v.Add(Judge(s.at(usualPoll, false), Play(s.at(usualPoll, false), *seed+uint64(more))))
			}
			judged(t, &v)
		})
	}
}

// at is the shape at another pace. What takes a few samples may take longer then.
func (s Shape) at(poll time.Duration, hidden bool) Shape {
	if s.Poll == 3*time.Second {
		s.Poll = poll
	}
	s.NoNet = hidden
	s.Want = slices.Clone(s.Want)
	for i := range s.Want {
		more := 3 * max(s.Poll-3*time.Second, 0)
		if s.Want[i].Within += more; s.Want[i].Heals > 0 {
			s.Want[i].Heals += more
		}
	}
	return s
}

// TestScore prints what is found of each shape, and what is said wrongly, at each pace, with the counters of the
// network and without them. scripts/shapes runs it.
func TestScore(t *testing.T) {
	if *score == "" {
		t.Skip("run scripts/shapes")
	}
	total := map[string]*Verdict{}
	for _, s := range append(More(), All()...) {
		if !strings.Contains(s.Name, *named) {
			continue
		}
		line, wrong := fmt.Sprintf("%-34s", s.Name), ""
		for _, word := range strings.Split(*score, ",") {
			seconds, err := strconv.Atoi(word)
			if err != nil {
				t.Fatal(err)
			}
			for _, hidden := range []bool{false, true} {
				v := Verdict{Shape: s}
				for more := range *seeds {
					as := s.at(time.Duration(seconds)*time.Second, hidden)
					v.Add(Judge(as, Play(as, *seed+uint64(more))))
				}
				line += fmt.Sprintf(" %12s", v.counts())
				of := fmt.Sprintf("%3d s, network %s", seconds, map[bool]string{false: "seen", true: "hidden"}[hidden])
				if total[of] = cmp.Or(total[of], &Verdict{}); !s.Faulty() {
					total[of].Watched += v.Watched
				}
				for _, e := range v.False {
					wrong += fmt.Sprintf("  %s, after %v to %v: %v %s: %s\n", of, e.From, e.To, e.Severity, e.Kind, e.Say)
				}
				v.Watched = 0
				total[of].Add(v)
			}
		}
		fmt.Print(line, "\n", wrong)
	}
	fmt.Println("found/late/missed, false")
	for _, of := range slices.Sorted(maps.Keys(total)) {
		fmt.Printf("%s: %s in all, %.0f healthy job-hours\n", of, total[of].counts(), total[of].Watched.Hours())
	}
}

// counts is "12/0/1 2": found, late and missed, and said wrongly.
func (v *Verdict) counts() string {
	return fmt.Sprintf("%d/%d/%d %d", v.Found, v.Late, v.Missed, len(v.False))
}

// Where the counters of the network are hidden, work that it would show is no fault.
func TestHiddenNetwork(t *testing.T) {
	if raced.On { // TestMoreShapes plays some with the race detector
		t.Skip("it takes long with the race detector")
	}
	for _, s := range append(More(), All()...) {
		switch s.Name {
		case "u10 long checkpoint", "u13 gathers shards", "m11 among experts", "n96 ends in shards",
			"e02 saves while others idle", "e07 another rank writes":
			t.Run(s.Name, func(t *testing.T) {
				t.Parallel()
				v := Judge(s.at(s.Poll, true), Play(s.at(s.Poll, true), *seed))
				judged(t, &v)
			})
		}
	}
}

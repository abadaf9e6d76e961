package track

import (
	"fmt"
	"os"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/output/track"
	"github.com/nvnodetop/nvnodetop/internal/source/mark"
)

// mostMarks is how long to wait for the last marks: the home directory may hang.
const mostMarks = time.Second

// followMarks passes the marks of its command to a Tracker. The command finds the name for its marks in its
// environment. The returned function ends this.
func followMarks(tracker *track.Tracker, every time.Duration) (end func()) {
	dir, err := config.MarkDir()
	if err != nil { // there is no home, and so there are no marks
		return func() {}
	}
	id := mark.ID()
	if id == "" {
		id = fmt.Sprintf("track-%d-%d", os.Getpid(), time.Now().Unix())
		_ = os.Setenv(mark.Variable, id) // the name is valid
	}
	tracker.MarksFrom(time.Now()) // the job may have had other commands
	f := mark.Follow(dir, max(every, leastPoll), func() []string { return []string{id} }, func(m cluster.Mark) {
		tracker.Apply(cluster.Event{At: m.Arrived, Mark: &m})
	})
	return func() { f.Close(mostMarks) }
}

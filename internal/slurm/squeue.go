package slurm

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/slurm/command"
	"github.com/nvnodetop/nvnodetop/internal/slurm/logs"
	"github.com/nvnodetop/nvnodetop/internal/slurm/notation"
)

// A job name may contain anything: spaces, tabs, newlines, any separator. So the marks between squeue's fields and
// records contain a nonce that is new in every call.

// fields are the --format letters for the fields of record, in order.
const fields = "iAtTQPuSelDbrNj"

// record is one job as squeue printed it.
type record struct {
	id, number, state, word, priority, partition, user, start, end, limit, nodes string
	gres, reason, nodelist, name                                                 string

	broken error // why its fields are not understood; then perhaps only id and number are known
}

// marks separate squeue's fields and records.
type marks struct{ begin, next, end string }

// newMarks makes marks. A job name contains one only if its owner guesses 80 random bits.
func newMarks() marks {
	nonce := rand.Text()[:16]
	return marks{begin: "<" + nonce + "<", next: "|" + nonce + "|", end: ">" + nonce + ">"}
}

// squeueFormat returns squeue's --format for m.
func (m marks) squeueFormat() string {
	letters := make([]string, len(fields))
	for i, letter := range fields {
		letters[i] = "%" + string(letter)
	}
	return m.begin + strings.Join(letters, m.next) + m.end
}

// parseSqueue reads squeue's output. It ignores text between records: newlines, "CLUSTER: x", messages of a wrapper.
// Text without any record, not even the header, does not come from squeue: it does not mean that there are no jobs. Nor
// does an output that ends inside a record: the jobs after it would seem to have ended.
func (m marks) parseSqueue(out []byte) ([]record, error) {
	var records []record
	if !bytes.Contains(out, []byte(m.begin)) && len(bytes.TrimSpace(out)) > 0 {
		return nil, fmt.Errorf("neither a job nor the header: %.80q", bytes.TrimSpace(out))
	}
	for {
		_, rest, found := bytes.Cut(out, []byte(m.begin))
		if !found {
			return records, nil
		}
		body, after, found := bytes.Cut(rest, []byte(m.end))
		if !found {
			return nil, errors.New("output ends inside a record")
		}
		for text := range strings.SplitSeq(string(body), m.begin) { // several: the first ones have no end
			if r := m.parseRecord(text); !r.isHeader() {
				records = append(records, r)
			}
		}
		out = after
	}
}

// parseRecord reads the fields of a record. A record that is not understood still names its job.
func (m marks) parseRecord(text string) record {
	f := strings.Split(text, m.next)
	if len(f) != len(fields) {
		r := record{id: cmp.Or(f[0], "?"), broken: fmt.Errorf("expected %d fields, got %d", len(fields), len(f))}
		if len(f) > 1 {
			r.number = f[1]
		}
		return r
	}
	return record{f[0], f[1], f[2], f[3], f[4], f[5], f[6], f[7], f[8], f[9], f[10], f[11], f[12], f[13], f[14],
		nil}
}

// isHeader reports whether this is the header, in which squeue prints the names of the fields between the same marks.
// The number of a job is never a word.
func (r *record) isHeader() bool { return r.number == "JOBID" }

// States with a meaning of their own, as squeue abbreviates them. SLURM has many more, and newer versions add some: all
// others are judged by what else the record says.
const (
	waiting    = "PD"
	booting    = "CF"
	suspended  = "S"
	stopped    = "ST" // by a signal
	completing = "CG"
	stagingOut = "SO"
)

// isEnding reports whether the job has ended, although squeue still lists it. A job that is staging out its data may
// have given its nodes to others.
func (r *record) isEnding() bool { return r.state == completing || r.state == stagingOut }

// isOver reports whether the job has ended: the controller lists it for MinJobAge longer.
func (r *record) isOver(now time.Time) bool {
	return r.broken == nil && !r.isEnding() && logs.IsEndState(cluster.EndState(r.word), parseTime(r.end), now)
}

// mayRun reports whether the job runs if its node list is understood, whatever its state is called: a job that is being
// signaled or resized keeps its nodes. So does a suspended one, whose processes stay in the GPUs' memory. A job that is
// held or requeued has no nodes.
func (r *record) mayRun() bool {
	return r.broken == nil && !r.isEnding() && r.state != waiting && r.state != booting && r.nodelist != ""
}

// isHeld reports whether the job will not start until somebody releases it. SLURM then sets its priority to 0, whoever
// holds it and whatever its state and reason are called.
func (r *record) isHeld() bool { return r.priority == "0" }

// newJob returns a job with nodes from the record, without its nodes.
func (r *record) newJob() cluster.Job {
	j := cluster.Job{
		ID:        r.id,
		Number:    r.number,
		Name:      r.name,
		User:      r.user,
		Partition: r.partition,
		Start:     parseTime(r.start),
		End:       parseTime(r.end),
		Limit:     parseLimit(r.limit),
		Suspended: r.state == suspended || r.state == stopped,
	}
	if r.state == suspended {
		j.End = time.Time{} // its time limit does not run
	}
	return j
}

// newPendingJob returns a job without nodes from the record. unread says why its node list is not understood, if it has
// one. The start of a job is SLURM's plan only while the job waits and nobody holds it.
func (r *record) newPendingJob(unread error) cluster.PendingJob {
	nodes, _ := strconv.Atoi(r.nodes) // squeue always prints a number here
	p := cluster.PendingJob{
		ID:        r.id,
		Name:      r.name,
		Partition: r.partition,
		Nodes:     nodes,
		GPUs:      notation.RequestedGPUs(r.gres, nodes),
		Reason:    r.whyNoNodes(unread),
		Booting:   r.state == booting,
	}
	if (r.state == waiting || r.state == booting) && !r.isHeld() {
		p.Start = parseTime(r.start)
	}
	return p
}

// whyNoNodes says why the job has no nodes to show, in SLURM's words. It includes the state if that says more than that
// the job waits.
func (r *record) whyNoNodes(unread error) string {
	switch {
	case r.broken != nil:
		return "unexpected record from squeue: " + r.broken.Error()
	case r.state == booting:
		return "nodes are booting"
	case r.state == waiting:
		return r.reason
	}
	var words []string
	if r.reason != "" && r.reason != "None" {
		words = append(words, r.reason)
	}
	if unread != nil {
		words = append(words, unread.Error())
	}
	return cmp.Or(r.word, r.state) + ": " + cmp.Or(strings.Join(words, "; "), "no nodes")
}

// parseTime reads a time from squeue, scontrol or sacct; zero: there is none.
func parseTime(s string) time.Time { return command.ParseTime(s) }

// parseLimit reads a time limit from squeue; 0: there is none.
func parseLimit(s string) time.Duration { return command.ParseLimit(s) }

package slurm

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/slurm/gres"
)

// A job name may contain anything: spaces, tabs, newlines, any separator. So the marks between squeue's fields and
// records contain a nonce that is new in every call.

// fields are the --format letters of the fields of record, in their order.
const fields = "iAtPuSelDbrNj"

// record is one job as squeue printed it.
type record struct {
	id, number, state, partition, user, start, end, limit, nodes, gres, reason, nodelist, name string
}

// marks separate squeue's fields and records.
type marks struct{ begin, next, end string }

// newMarks makes marks that a job name contains only if its owner guesses 80 random bits.
func newMarks() marks {
	nonce := rand.Text()[:16]
	return marks{begin: "<" + nonce + "<", next: "|" + nonce + "|", end: ">" + nonce + ">"}
}

// format is squeue's --format for m.
func (m marks) format() string {
	letters := make([]string, len(fields))
	for i, letter := range fields {
		letters[i] = "%" + string(letter)
	}
	return m.begin + strings.Join(letters, m.next) + m.end
}

// parse reads squeue's output. It ignores text between records: newlines, "CLUSTER: x", messages of a wrapper. Text
// without any record, not even the header, is not squeue's: it does not say that there are no jobs.
func (m marks) parse(out []byte) ([]record, error) {
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
		f := strings.Split(string(body), m.next)
		if len(f) != len(fields) {
			return nil, fmt.Errorf("expected %d fields, got %d: %.80q", len(fields), len(f), body)
		}
		r := record{f[0], f[1], f[2], f[3], f[4], f[5], f[6], f[7], f[8], f[9], f[10], f[11], f[12]}
		if !r.isHeader() {
			records = append(records, r)
		}
		out = after
	}
}

// isHeader reports whether this is the header, in which squeue prints the names of the fields between the same marks.
// The number of a job is never a word.
func (r *record) isHeader() bool { return r.number == "JOBID" && r.state == "ST" }

// hasNodes reports whether the job holds nodes that are up. A suspended job does: its processes stay in the GPUs'
// memory.
func (r *record) hasNodes() bool { return r.state == "R" || r.state == "S" || r.state == "ST" }

// job returns a job with nodes from the record, without its nodes.
func (r *record) job() cluster.Job {
	j := cluster.Job{
		ID:        r.id,
		Number:    r.number,
		Name:      r.name,
		User:      r.user,
		Partition: r.partition,
		Start:     parseTime(r.start),
		End:       parseTime(r.end),
		Limit:     parseLimit(r.limit),
		Suspended: r.state != "R",
	}
	if r.state == "S" {
		j.End = time.Time{} // its limit does not run
	}
	return j
}

// pending returns a pending job from the record.
func (r *record) pending() cluster.PendingJob {
	nodes, _ := strconv.Atoi(r.nodes) // squeue always prints a number here
	p := cluster.PendingJob{
		ID:        r.id,
		Name:      r.name,
		Partition: r.partition,
		Nodes:     nodes,
		GPUs:      gres.Requested(r.gres, nodes),
		Reason:    r.reason,
		Start:     parseTime(r.start),
	}
	if r.state == "CF" {
		p.Booting, p.Reason = true, "nodes are booting"
	}
	return p
}

// parseTime reads a time as squeue prints it with SLURM_TIME_FORMAT=standard, in UTC; zero for N/A, NONE, Unknown.
func parseTime(s string) time.Time {
	t, err := time.Parse("2006-01-02T15:04:05", s)
	if err != nil {
		return time.Time{}
	}
	return t.Local() // screens print local time
}

// parseLimit reads a time limit: "5:00", "1:00:00", "2-12:00:00"; 0 for UNLIMITED, NOT_SET, INVALID.
func parseLimit(s string) time.Duration {
	days, clock, hasDays := strings.Cut(s, "-")
	if !hasDays {
		days, clock = "0", s
	}
	total, err := strconv.ParseUint(days, 10, 16)
	if err != nil {
		return 0
	}
	parts := strings.Split(clock, ":")
	if len(parts) < 2 || len(parts) > 3 {
		return 0
	}
	seconds := uint64(0)
	for _, part := range parts {
		n, err := strconv.ParseUint(part, 10, 32)
		if err != nil {
			return 0
		}
		seconds = seconds*60 + n
	}
	if seconds += total * 24 * 3600; seconds > uint64(maxLimit/time.Second) {
		return 0
	}
	return time.Duration(seconds) * time.Second
}

// maxLimit is above all limits of SLURM; larger numbers are its markers for "none".
const maxLimit = 100 * 365 * 24 * time.Hour

package cluster

import (
	"encoding/csv"
	"strings"
	"testing"
	"time"
)

// The numbers of each rank of a job are logged until it ends, which ends the program too.
func TestLogOfAJob(t *testing.T) {
	id := job(t, 2)
	runsNow(t, id)
	dir := do(t, "on", "-u", "alice", "login", "mktemp", "-d")
	canceled := make(chan error, 1)
	time.AfterFunc(8*time.Second, func() {
		_, err := script("on", "login", "scancel", id)
		canceled <- err
	})
	r := runs(t, "log", "--job", id, "--interval", "1", "--csv", dir+"/x.csv", "--tensorboard", dir)
	if err := <-canceled; err != nil || r.code != 0 || r.stderr != "" {
		t.Errorf("exit code %d, stderr %q, %v", r.code, r.stderr, err)
	}
	lines, err := csv.NewReader(strings.NewReader(do(t, "on", "-u", "alice", "login", "cat", dir+"/x.csv"))).ReadAll()
	if err != nil || len(lines) < 1+3*8 {
		t.Fatalf("%v, %d lines", err, len(lines))
	}
	ranks := map[string]string{}
	for _, line := range lines[1:] {
		place := line[4] + " " + line[5]
		if was := ranks[place]; line[2] != id || was != "" && was != line[3] { // none: the program had not begun
			t.Errorf("job %s, rank %s on %s, and then %q", id, was, place, line)
		}
		ranks[place] = line[3]
	}
	if len(ranks) != 8 {
		t.Errorf("logged GPUs: %v", ranks)
	}
	if files := do(t, "on", "-u", "alice", "login", "ls", dir+"/job-"+id); !strings.HasPrefix(files,
		"events.out.tfevents.") {
		t.Errorf("files %q", files)
	}
}

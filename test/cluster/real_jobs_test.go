package cluster

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/pkg/schema"
	"github.com/nvnodetop/nvnodetop/test/jobs"
)

var (
	allJobs = flag.Bool("jobs", false, "start all jobs of the table, not only those of each change")
	tries   = flag.Int("tries", 1, "how often to look at each of them")
)

// jobPrograms are the programs of the table.
const jobPrograms = "../jobs/programs"

// gpusInUse is held by a job that decides what the GPUs of its nodes show.
var gpusInUse sync.Mutex

// What is said of a real program is true: a job that works is never called stuck, one that hangs is, and the rank is
// named with its frame. Words for the reason are counted.
func TestRealJobs(t *testing.T) {
	if _, err := os.Stat("/usr/lib/python3/dist-packages/torch"); err != nil {
		t.Skip("PyTorch is not here: scripts/testcluster install --jobs installs it")
	}
	start := putPrograms(t)
	slots := make(chan string, nodes)
	most := nodes
	if !*allJobs { // other clusters are busy too
		most = nodes / 2
	}
	for i := range most { // each job takes half of the GPUs of two nodes
		slots <- fmt.Sprintf("node%02d,node%02d", i+1, (i+1)%nodes+1)
	}
	var score jobs.Score
	t.Cleanup(func() { t.Logf("score:\n%s", score.String()) })
	for _, row := range jobs.Table {
		if !row.Fast && !*allJobs {
			continue
		}
		t.Run(row.Name(), func(t *testing.T) {
			t.Parallel()
			on := <-slots
			t.Cleanup(func() { slots <- on })
			r := realJob{row, on}
			for _, d := range r.verdicts(t, start) {
				found := row.Judge(d)
				score.Add(found)
				t.Logf("verdict: %s\t%s\t%s\t%s", row.Name(), d.State, found, strings.Join(d.Said, " "))
				if wrong := found.Wrong(); wrong != "" {
					text, _ := json.MarshalIndent(d, "", " ")
					t.Errorf("%s\n%s", wrong, text)
				}
			}
		})
	}
}

// putPrograms puts the programs where all hosts see them, and returns what starts a job.
func putPrograms(t *testing.T) (start string) {
	t.Helper()
	files, err := filepath.Glob(jobPrograms + "/*")
	if err != nil || len(files) == 0 {
		t.Fatalf("no programs in %s: %v", jobPrograms, err)
	}
	for _, file := range files {
		if path := do(t, "put", file); strings.HasSuffix(file, "/start.sh") {
			start = path
		}
	}
	return start
}

// realJob is a job of the table on two nodes.
type realJob struct {
	jobs.Row
	on string
}

// verdicts starts the job, and returns what is said of it.
func (r realJob) verdicts(t *testing.T, start string) []*schema.Stacks {
	t.Helper()
	dir := do(t, "on", "-u", "alice", "login", "mktemp", "-d", "-p", "/home/alice")
	t.Cleanup(func() { do(t, "on", "login", "rm", "-rf", dir) })
	if r.GPUs != "" || r.Does == "frozen_disk" {
		gpusInUse.Lock()
		t.Cleanup(gpusInUse.Unlock)
	}
	for node := range strings.SplitSeq(r.on, ",") {
		if r.GPUs != "" {
			fault(t, "nvml", node, r.GPUs)
		}
		if r.Does == "frozen_disk" {
			fault(t, "disk", node)
		}
	}
	gpus := "gpu:2"
	if r.How == jobs.Titled { // the fake NVML cannot read on which GPU it is, and takes the first ones
		gpus = "gpu:4"
	}
	command := fmt.Sprintf("%s %s %s %s %s", start, r.How, r.Does, cmp.Or(r.Who, "none"), dir)
	id := submits(t, "alice", command, "-w", r.on, "-N", "2", "--ntasks-per-node=2",
		"--gres="+gpus, "-J", r.Does, "-o", dir+"/out")
	r.begins(t, id, dir)
	if r.Does == "frozen_disk" {
		for node := range strings.SplitSeq(r.on, ",") {
			do(t, "fault", "freeze", node)
			t.Cleanup(func() { do(t, "fault", "thaw", node) })
		}
	}
	time.Sleep(2 * time.Second) // the others arrive
	return r.looks(t, id)
}

// begins waits until the rank does what it is there for.
func (r realJob) begins(t *testing.T, id, dir string) {
	t.Helper()
	for began := time.Now(); time.Since(began) < 2*slack; time.Sleep(200 * time.Millisecond) {
		if r.Does == "restarts" {
			if _, err := script("on", "login", "test", "-e", dir+"/restarted"); err != nil {
				continue
			}
		}
		if _, err := script("on", "login", "test", "-e", dir+"/troubled"); err == nil {
			return
		}
		if left, err := script("on", "login", "squeue", "-h", "-j", id); err != nil || left == "" {
			break
		}
	}
	out, _ := script("on", "login", "tail", "-n", "30", dir+"/out")
	t.Fatalf("job %s does not come to its trouble:\n%s", id, out)
}

// looks asks several times what the job does.
func (r realJob) looks(t *testing.T, id string) (list []*schema.Stacks) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), slack+time.Duration(*tries)*10*time.Second)
	defer cancel()
	args := slices.Concat(asAlice, patient, []string{program, "stacks", "--json"})
	if *tries > 1 {
		args = append(args, "--every", "5s")
	}
	cmd := exec.CommandContext(ctx, "../../scripts/testcluster", append(args, id)...)
	var errs strings.Builder
	cmd.Stderr, cmd.WaitDelay = &errs, time.Second
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	for read := json.NewDecoder(out); len(list) < *tries; {
		var d schema.Stacks
		if err := read.Decode(&d); err == io.EOF && len(list) > 0 {
			break
		} else if err != nil {
			t.Fatalf("stacks printed no document: %v; stderr %q", err, errs.String())
		}
		list = append(list, &d)
	}
	cancel()
	_ = cmd.Wait()
	return list
}

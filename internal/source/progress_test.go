package source

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/joblog"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// fakeLogs are the logs of jobs, by job and stream. A job whose text is "broken" cannot be read.
type fakeLogs struct {
	mu    sync.Mutex
	text  map[string]string
	both  bool
	reads []int // bytes
	asked map[string]int
	grown time.Time
}

func (l *fakeLogs) read(_ context.Context, q joblog.Query) (joblog.Piece, error) {
	time.Sleep(10 * time.Millisecond)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked[q.Job]++
	text := l.text[q.Job+" "+q.Stream.String()]
	if text == "broken" {
		return joblog.Piece{}, errors.New("no such file")
	}
	size := int64(len(text))
	from := q.From
	if from < 0 {
		from += size
	}
	if q.Latest {
		from = max(from, size-int64(q.Max))
	}
	from = min(max(from, 0), size)
	data := text[from:min(from+int64(q.Max), size)]
	l.reads = append(l.reads, len(data))
	return joblog.Piece{Both: l.both, At: time.Now(), LogPiece: wire.LogPiece{Size: size, From: from,
		Data: []byte(data), ModMS: l.grown.UnixMilli()}}, nil
}

// grow adds to the standard output of a job.
func (l *fakeLogs) grow(job, text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text[job+" stdout"] += text
	l.grown = time.Now()
}

// readsOf is how often the logs of a job were read.
func (l *fakeLogs) readsOf(job string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.asked[job]
}

// runFollower follows the logs of jobs, and returns the last that is told of each of them.
func runFollower(t *testing.T, l *fakeLogs, jobs []cluster.Job,
	story func(p *progress)) map[string]*cluster.JobProgress {
	t.Helper()
	last := map[string]*cluster.JobProgress{}
	p := newProgress(l.read)
	l.asked = map[string]int{}
	ctx, cancel := context.WithCancel(t.Context())
	p.follow(jobs)
	go p.followLogs(ctx, func(e cluster.Event) { last[e.Progress.Job] = e.Progress })
	story(p)
	cancel()
	synctest.Wait()
	return last
}

// The end of the log is read first, then what is new; a job that runs no longer is forgotten.
func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &fakeLogs{both: true, text: map[string]string{"8 stdout": "broken", "9 stdout": ""}}
		line := func(i int) string { return fmt.Sprintf("step %d/1000 loss %.2f\n", i, 3-float64(i)/1000) }
		old := strings.Repeat("loading a shard\n", 10_000)
		l.text["7 stdout"] = old
		jobs := []cluster.Job{{ID: "7"}, {ID: "8"}, {ID: "9"}, {ID: "10", Suspended: true}, {}}
		last := runFollower(t, l, jobs, func(p *progress) {
			for i := range 60 {
				l.grow("7", line(i))
				time.Sleep(4 * time.Second)
			}
			p.follow(jobs[:1])
			time.Sleep(2 * time.Second) // a read may have begun
			before := l.readsOf("9")
			time.Sleep(time.Minute)
			if after := l.readsOf("9"); before == 0 || after > before {
				t.Errorf("a job that does not run was read %d times, then %d", before, after)
			}
		})
		got := last["7"]
		if got == nil || got.Step == nil || *got.Step != 59 || got.Total == nil || *got.Total != 1000 ||
			got.SecondsPerStep == nil || *got.SecondsPerStep < 3.5 || *got.SecondsPerStep > 4.5 {
			t.Fatalf("%+v", got)
		}
		if last["8"] != nil && last["8"].IsKnown() || l.asked["8"] > 8 || l.asked["9"] > 16 || l.asked["10"] > 0 {
			t.Errorf("asked %v, told %v", l.asked, last)
		}
		sum := 0
		for _, n := range l.reads {
			sum += n
		}
		if most := 32<<10 + 60*64 + len(l.reads)*300; sum > most || l.reads[0] != 32<<10 {
			t.Errorf("%d bytes were read, first %d", sum, l.reads[0])
		}
	})
}

// If the outputs have two files, the bar counts, wherever it is; the loss may stand beside it.
func TestProgressOfTwoFiles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &fakeLogs{text: map[string]string{
			"7 stdout": "{'loss': 2.31, 'learning_rate': 0.0001, 'epoch': 0.41}\n",
			"7 stderr": " 41%|####      | 41200/100000 [35:28:40<50:38:00,  3.10s/it]\r",
			"8 stdout": "step 5/10 loss 1.5\n", "8 stderr": "a warning\n"}}
		last := runFollower(t, l, []cluster.Job{{ID: "7"}, {ID: "8"}}, func(*progress) { time.Sleep(10 * time.Second) })
		if p := last["7"]; p == nil || p.Total == nil || *p.Step != 41_200 || p.Loss == nil || *p.Loss != 2.31 {
			t.Errorf("%+v", p)
		}
		if p := last["8"]; p == nil || p.Total == nil || *p.Step != 5 {
			t.Errorf("%+v", p)
		}
	})
}

// However fast logs grow, no more than the rate is read, after the first pieces.
func TestProgressReadsSlowly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &fakeLogs{both: true, text: map[string]string{}}
		var jobs []cluster.Job
		for i := range 20 {
			jobs = append(jobs, cluster.Job{ID: fmt.Sprint(i)})
		}
		const seconds = 120
		runFollower(t, l, jobs, func(*progress) {
			for range seconds {
				for _, j := range jobs {
					l.grow(j.ID, strings.Repeat("noise\n", 4000))
				}
				time.Sleep(time.Second)
			}
		})
		sum := 0
		for _, n := range l.reads {
			sum += n
		}
		if sum > (seconds+1)*maxRate || len(l.asked) != maxFollowed {
			t.Errorf("%d KiB/s of %d jobs", sum/seconds>>10, len(l.asked))
		}
	})
}

// What is known of a job is kept when it ends, or when nobody follows it any longer, and a later job of the same name
// and shape is compared with it. Without a file, of another user, or with few steps nothing is kept.
func TestRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "state", "runs.jsonl")
		job := func(id, user string) cluster.Job {
			return cluster.Job{ID: id, Name: "llama", User: user, Nodes: []string{"n1", "n2"},
				Counts: map[string]int{"n1": 8, "n2": 8}}
		}
		train := func(path string, seconds, steps int, jobs ...cluster.Job) *cluster.JobProgress {
			l := &fakeLogs{both: true, text: map[string]string{jobs[0].ID + " stdout": ""}, asked: map[string]int{}}
			p := newProgress(l.read)
			p.runs.path, p.runs.user = path, "alice"
			p.runs.noteModel(cluster.Event{Node: "n2", Hello: &wire.Hello{GPUs: []wire.Card{{Name: "NVIDIA H100"}}}})
			ctx, cancel := context.WithCancel(t.Context())
			var last *cluster.JobProgress
			p.follow(jobs)
			go p.followLogs(ctx, func(e cluster.Event) { last = e.Progress })
			for i := range steps {
				l.grow(jobs[0].ID, fmt.Sprintf("step %d/1000 loss 2.31\n", i))
				time.Sleep(time.Duration(seconds) * time.Second)
			}
			if len(jobs) > 1 { // the first one ends
				p.follow(jobs[1:])
				time.Sleep(2 * time.Second)
			}
			cancel()
			synctest.Wait()
			return last
		}
		if first := train(path, 4, 60, job("1", "alice"), job("9", "alice")); first.Earlier != nil {
			t.Errorf("the first run is compared with %+v", first.Earlier)
		}
		second := train(path, 2, 120, job("2", "alice"))
		if e := second.Earlier; e == nil || e.Job != "1" || e.SecondsPerStep < 3.8 || e.SecondsPerStep > 4.2 {
			t.Errorf("the second is compared with %+v", e)
		}
		train(path, 4, 12, job("3", "alice"))
		train(path, 4, 60, job("4", "bob"))
		if e := train(path, 2, 120, job("5", "alice")).Earlier; e == nil || e.Job != "2" {
			t.Errorf("the last one is compared with %+v", e)
		}
		if e := train("", 2, 60, job("6", "alice")).Earlier; e != nil {
			t.Errorf("without a file it is compared with %+v", e)
		}
	})
}

package record

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/app/feed"
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/source/access"
	"github.com/nvnodetop/nvnodetop/internal/source/mark"
	"github.com/nvnodetop/nvnodetop/internal/source/recording"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Background records while the screens are shown, when the user wants a recording. It gets all Events, so that a
// recording begins with what is known. Writing may block, for example on a file system that does not answer. This
// delays neither the Events nor the screen, but it ends the recording when too many Events wait.
type Background struct {
	queue  chan cluster.Event
	unread atomic.Int64 // number of Events in queue, or just taken from it
	behind atomic.Bool  // Events did not fit into queue
	status atomic.Value
	job    func() string // part of the file's name; "": no job, or several
	host   string
	jobs   atomic.Pointer[[]string] // the numbers of the jobs
	dir    string                   // of the files
	never  string                   // why recording is forbidden; "": it is allowed
	files  atomic.Int64             // number of recordings begun

	mu   sync.Mutex // protects the following, also while writing
	w    *recording.Writer
	file *recorder // nil: nothing is recorded
	said string    // message about the last recording
	told bool      // the user has seen the message
}

// waiting is how many Events may wait for the disk: the Events of 512 nodes for half a minute.
const waiting = 8 << 10

// NewBackground returns a Background that names its files after the job, or after the host if there is no job or
// several.
func NewBackground(cfg *config.Config, job func() string) *Background {
	user, host := access.Here()
	o := &Background{
		queue: make(chan cluster.Event, waiting), job: job, host: host, told: true, never: SwitchedOff(cfg),
		dir: cfg.RecordingsIn(),
		w: recording.NewWriter(recording.Header{Program: wire.BuildVersion(), Poll: cfg.Poll, User: user,
			Host: host}),
	}
	o.status.Store("")
	return o
}

// Take records an Event, and does not block. While nothing is being recorded, it adds the Event to what is known at
// once: thousands of Events at the start of a large cluster need not wait in memory.
func (o *Background) Take(e cluster.Event) {
	if e.Discovery != nil {
		o.keepJobs(e.Discovery)
	}
	if o.unread.Load() == 0 && o.rememberEvent(e) {
		return
	}
	o.unread.Add(1)
	select {
	case o.queue <- e:
	default:
		o.unread.Add(-1)
		o.behind.Store(true)
	}
}

// keepJobs keeps the numbers of the jobs.
func (o *Background) keepJobs(d *cluster.Discovery) {
	var numbers []string
	for i := range d.Jobs {
		numbers = append(numbers, d.Jobs[i].Number)
	}
	o.jobs.Store(&numbers)
}

// rememberEvent adds an Event to what is known, unless something is being recorded or the lock is held.
func (o *Background) rememberEvent(e cluster.Event) bool {
	if !o.mu.TryLock() {
		return false
	}
	defer o.mu.Unlock()
	if o.file == nil {
		_ = o.w.Write(e)
	}
	return o.file == nil
}

// Run writes Events until ctx ends, and then ends the recording.
func (o *Background) Run(ctx context.Context) error {
	for {
		select {
		case e := <-o.queue:
			o.writeEvent(e)
			o.unread.Add(-1)
		case <-ctx.Done():
			o.end()
			return nil
		}
	}
}

// Hold calls touch during a recording until ctx ends, often enough that the user never seems to be away. With fewer
// reports, a recording would miss events.
func (o *Background) Hold(ctx context.Context, touch func()) error {
	tick := time.NewTicker(feed.TouchEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			if o.Status() != "" {
				touch()
			}
		}
	}
}

// Marks records the marks of the jobs below a directory during a recording, until ctx ends. Each recording has all of
// them, as if it had begun with the job.
func (o *Background) Marks(ctx context.Context, dir string) error {
	jobs := func() []string {
		if numbers := o.jobs.Load(); numbers != nil {
			return *numbers
		}
		return nil
	}
	tick := time.NewTicker(mark.Every)
	defer tick.Stop()
	var follower *mark.Follower
	var of int64 // the recording for which it follows the marks
	stop := func() {
		if follower != nil {
			follower.Close(0)
		}
		follower = nil
	}
	defer stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		now := o.files.Load()
		if o.Status() == "" || now != of {
			stop()
		}
		if o.Status() != "" && follower == nil {
			of = now
			follower = mark.Follow(dir, mark.Every, jobs, func(m cluster.Mark) {
				if o.files.Load() == now { // the next recording gets all marks from its own follower
					o.Take(cluster.Event{At: m.Arrived, Mark: &m})
				}
			})
		}
	}
}

// end writes the waiting Events, and ends the recording.
func (o *Background) end() {
	for range len(o.queue) {
		o.writeEvent(<-o.queue)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.finishRecording()
}

var errBehind = errors.New("the disk is too slow")

func (o *Background) writeEvent(e cluster.Event) {
	o.mu.Lock()
	defer o.mu.Unlock()
	lost := o.behind.Swap(false)
	if o.file == nil {
		_ = o.w.Write(e) // adds it to what is known
		return
	}
	if lost {
		o.file.failNext(errBehind)
	}
	if !o.file.take(e) {
		o.finishRecording()
		o.status.Store("not recorded")
		return
	}
	o.status.Store("rec " + draw.Age(e.At.Sub(o.file.since)))
}

// finishRecording ends the recording, if there is one, and keeps the message about it. The caller holds the lock.
func (o *Background) finishRecording() {
	if o.file == nil {
		return
	}
	err := o.file.closeFile()
	switch {
	case err != nil && o.file.total.Events > 0:
		o.said = fmt.Sprintf("%q: %v", o.file.path, err)
	case err != nil:
		o.said = fmt.Sprintf("nothing was recorded: %v", err)
	case o.file.total.Events == 0:
		o.said = "nothing was recorded"
	default:
		o.said = o.file.describeRecording()
	}
	o.file, o.told = nil, false
	o.status.Store("")
}

// Switch implements ui.Recorder.
func (o *Background) Switch() (said string) {
	if o.never != "" {
		return o.never
	}
	job := o.job()
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.file != nil || o.status.Load() != "" { // it runs, or has failed and the user has not read the message
		o.finishRecording()
		o.status.Store("")
		o.told = true
		return o.said
	}
	file, err := o.createFile(cmp.Or(job, o.host), time.Now())
	if err != nil {
		return err.Error()
	}
	o.file = file
	o.files.Add(1)
	o.behind.Store(false)
	o.status.Store("rec 0s")
	return fmt.Sprintf("recording to %q", file.path)
}

// recordTo begins to record to a file that does not exist.
func (o *Background) recordTo(path string, at time.Time) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	r := &recorder{path: path, w: o.w}
	if err := r.openNextFile(at); err != nil {
		return err
	}
	o.file = r
	return nil
}

// odd matches characters that should not be in the name of a file.
var odd = regexp.MustCompile(`[^A-Za-z0-9_.-]+`)

// createFile begins a file in the directory of recordings that does not exist yet.
func (o *Background) createFile(what string, at time.Time) (r *recorder, err error) {
	name := filepath.Join(o.dir, fmt.Sprintf("nvnodetop-%s-%s", odd.ReplaceAllString(what, "-"),
		at.Format("20060102-150405")))
	path := name + ".nvr"
	for n := 2; n < 10; n++ {
		r = &recorder{path: path, w: o.w}
		if err = r.openNextFile(at); !errors.Is(err, errExists) {
			break
		}
		path = fmt.Sprintf("%s-%d.nvr", name, n)
	}
	return r, err
}

// Status implements ui.Recorder.
func (o *Background) Status() string { return o.status.Load().(string) }

// Report prints the message about a recording that ended with the screens.
func (o *Background) Report(out io.Writer) {
	if said := o.lastMessage(); said != "" {
		fmt.Fprintln(out, cli.Printable(said))
	}
}

// lastMessage returns the message about the last recording; "": there was none.
func (o *Background) lastMessage() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.told {
		return ""
	}
	return o.said
}

package probe

import (
	"os"
	"sync/atomic"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/probe/proc"
)

// A processDesk carries out a user's requests on a node: it sends signals to processes, and finds the relatives of
// processes.
//
// A signal reaches only processes of the user who runs the probe. A signal from root reaches a process of another user
// only if the request names that user, whom the dialog named to root. It never reaches a process that has reused the
// PID of an ended process: the start time is checked while a pidfd holds the process, where the kernel has pidfds. It
// never reaches init, the probe, or the ancestors of the probe.
//
// The methods of a processDesk may be called from any goroutine. They return within a few seconds, although reading a
// hung process or a directory of users may take forever: values that are still unknown then are left out. At most
// maxHung goroutines stay behind.
//
// # How a signal is sent
//
// A signal is a question to the node that runs the process: the question has the PID, the start time and the number of
// the signal, and the answer has one result for each process. The probe opens a pidfd, then compares the start time and
// the owner, and then sends the signal, so that no process gets a signal meant for an ended one. On kernels before 5.3
// a short gap remains between the check and the signal. It signals only processes of its own real user. As root, which
// the program asks for on its own host only, it also signals those of the user that the request names. It never signals
// init, itself or its ancestors: their end would be the end of the session, or of the user's shell. A request that
// lacks the start time of a process is refused as a whole. Each signal is logged before it is sent, and again with its
// result, one of wire's words.

// processTexts are the probe's functions that describe a process.
type processTexts struct {
	User    func(uid int) string // may never return
	Command func(args []string) string
	Elapsed func(startTicks uint64) *int64
}

// processDesk acts on the processes of this node.
type processDesk struct {
	mount string // of procfs
	words processTexts
	uid   int // the probe's own real UID
	self  int // its PID

	hold func(pid int) (handle int, err error) // opens a pidfd
	send func(handle, number int) error
	kill func(pid, number int) error

	patience time.Duration // for all signals, or all descriptions, of one request
	hung     atomic.Int32
}

const (
	// signalPatience leaves time for the answer: the probe gives up a request after 5 s.
	signalPatience = 1500 * time.Millisecond
	// maxHung is the maximum number of requests that may hang.
	maxHung = 8
)

// newProcessDesk returns a Desk for the processes in the procfs at mount.
func newProcessDesk(mount string, words processTexts) *processDesk {
	return &processDesk{
		mount: mount, words: words, uid: os.Getuid(), self: os.Getpid(),
		hold: openPidfd, send: sendPidfd, kill: sendSignal,
		patience: signalPatience,
	}
}

// callEach calls do for 0 to n-1, one after the other on another goroutine, and returns how many calls returned in
// time. A late call may still return later, so its output must not be read; the calls after it are not made. If too
// many requests hang already, tried is false and no call is made.
func (d *processDesk) callEach(n int, do func(i int)) (returned int, tried bool) {
	if d.hung.Add(1) > maxHung {
		d.hung.Add(-1)
		return 0, false
	}
	var done atomic.Int64
	var over atomic.Bool
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		defer d.hung.Add(-1)
		for i := 0; i < n && !over.Load(); i++ {
			do(i)
			done.Add(1)
		}
	}()
	late := time.NewTimer(d.patience)
	defer late.Stop()
	select {
	case <-finished:
	case <-late.C:
		over.Store(true)
	}
	return int(done.Load()), true
}

// readStatus reads the basic facts about a process: /proc/PID/stat and the owner. Reading them never hangs.
func (d *processDesk) readStatus(pid int) (stat proc.Stat, uid int, exists bool) {
	stat, err := proc.Of(d.mount, pid).Stat()
	if err != nil {
		return stat, 0, false
	}
	status, err := proc.Of(d.mount, pid).Status()
	return stat, status.UIDs[0], err == nil
}

// listAncestors returns the ancestors of a process, nearest first, as far as /proc shows them.
func (d *processDesk) listAncestors(pid int) (list []proc.Stat) {
	for range maxDepth {
		stat, err := proc.Of(d.mount, pid).Stat()
		if err != nil || stat.Parent <= 0 {
			return list
		}
		pid = stat.Parent
		if parent, err := proc.Of(d.mount, pid).Stat(); err == nil {
			list = append(list, parent)
		}
	}
	return list
}

// maxDepth is larger than the number of generations in any chain of processes.
const maxDepth = 100

package frames

import (
	"fmt"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Sleeps is what is said of a process about which the kernel says no more.
const Sleeps = "sleeps"

// callReason says what a thread waits for in the kernel: "reads /data/shard-0317.tar"; "": the kernel does not say.
func callReason(t *wire.ThreadStack) string {
	c := t.Call
	if t.State == "D" && t.WaitsFor != nil && t.WaitsFor.Path != "" {
		words := "waits in state D for " + t.WaitsFor.Path
		if t.WaitsFor.FileSystem != "" {
			words += " (" + t.WaitsFor.FileSystem + ")"
		}
		return words
	}
	if c == nil {
		return ""
	}
	file := fileOf(t)
	switch c.Does {
	case wire.CallReads:
		return readReason(c, file)
	case wire.CallWrites:
		return writeReason(c, file)
	case wire.CallOpens:
		return verbPhrase("opens ", file)
	case wire.CallSyncs:
		return verbPhrase("waits until its disk has ", file)
	case wire.CallLocks:
		return verbPhrase("waits for the lock of ", file) + heldBy(c)
	case wire.CallAccepts:
		return "waits until somebody connects" + verbPhrase(" to ", c.Local)
	case wire.CallConnects:
		return "waits for a connection" + verbPhrase(" to ", c.Peer)
	case wire.CallChild:
		return "waits for a child process"
	case wire.CallFutex:
		return "waits for a lock or for another thread"
	case wire.CallSleeps:
		return Sleeps
	}
	return ""
}

// heldBy says who holds the lock of a file; "": it is not known.
func heldBy(c *wire.SystemCall) string {
	switch {
	case c.File == "":
		return ""
	case c.HolderGone:
		return fmt.Sprintf(", which process %d on the same node took before it ended: a process that inherited its "+
			"file has it", c.Holder)
	case c.HolderName != "":
		return fmt.Sprintf(", which process %d (%s) on the same node holds", c.Holder, c.HolderName)
	case c.Holder != 0:
		return fmt.Sprintf(", which process %d on the same node holds", c.Holder)
	case c.HeldElsewhere:
		return ", which no process on the same node holds: another node has it"
	}
	return ""
}

// verbPhrase says what is done with a thing; "": the thing is not known.
func verbPhrase(does, thing string) string {
	if thing == "" {
		return ""
	}
	return does + thing
}

// callKinds are the names that the kernel gives to files without a path.
var callKinds = []struct{ prefix, words string }{
	{"pipe:", "a pipe"},
	{"socket:", "a socket"},
	{"anon_inode:", ""},
}

// fileOf names the file of a system call; "": it is not known.
func fileOf(t *wire.ThreadStack) string {
	file := t.Call.File
	for _, k := range callKinds {
		if strings.HasPrefix(file, k.prefix) {
			return k.words
		}
	}
	switch {
	case strings.HasPrefix(file, "/dev/pts/"), strings.HasPrefix(file, "/dev/tty"), file == "/dev/console":
		return "the terminal " + file
	case file != "" && isPipe(t):
		return "the pipe " + file
	}
	return file
}

// isPipe reports whether the thread is in the kernel's code for pipes: then its path is that of a pipe.
func isPipe(t *wire.ThreadStack) bool {
	return strings.Contains(t.WChan, "pipe") || strings.Contains(t.WChan, "fifo") || t.WChan == "wait_for_partner"
}

func readReason(c *wire.SystemCall, file string) string {
	switch {
	case c.Peer != "":
		return "waits for data from " + c.Peer
	case strings.HasPrefix(file, "a "), strings.HasPrefix(file, "the "):
		return "waits for input from " + file
	}
	return verbPhrase("reads ", file)
}

// writeReason says that the other side does not read what is written: writing to a pipe or a socket only waits while it
// is full.
func writeReason(c *wire.SystemCall, file string) string {
	const errors = 2
	output := c.FD != nil && (*c.FD == 1 || *c.FD == errors)
	switch {
	case c.Peer != "":
		return "cannot send to " + c.Peer + ", which does not take the data"
	case strings.Contains(file, "terminal "):
		return "writes to " + file + ", whose output is held"
	case !strings.HasPrefix(file, "a ") && !strings.HasPrefix(file, "the "):
		return verbPhrase("writes ", file)
	case output:
		return "writes its output to " + file + ", which is full: nobody reads it"
	}
	return "writes to " + file + ", which is full: nobody reads it"
}

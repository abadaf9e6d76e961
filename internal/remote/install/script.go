package install

import (
	"fmt"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/text"
)

// Place is where a probe may lie on a node.
type Place string

// The places.
const (
	placeHome    Place = "home" // ~/.cache: often shared by all nodes, so that one copy serves them all
	placeRuntime Place = "run"  // $XDG_RUNTIME_DIR: private, but of the node, and gone with the last login there
	placeShm     Place = "shm"
	placeTmp     Place = "tmp"
)

// uploadOrder is the order in which places are tried for a copy. The home comes first because a copy there lasts and is shared.
var uploadOrder = []Place{placeHome, placeRuntime, placeShm, placeTmp}

// lookOrder is the order in which a copy is looked for: where it starts fastest first.
var lookOrder = []Place{placeRuntime, placeHome, placeShm, placeTmp}

// list is the places as words of a script.
func list(places []Place) string { return strings.Trim(fmt.Sprint(places), "[]") }

// name is how a person calls the place of the user with that id.
func (p Place) name(uid string) string {
	switch p {
	case placeHome:
		return "~/.cache/nvnodetop"
	case placeRuntime:
		return "$XDG_RUNTIME_DIR/nvnodetop"
	case placeShm:
		return "/dev/shm/nvnodetop-" + uid
	default:
		return "/tmp/nvnodetop-" + uid
	}
}

// State says why a place takes no probe.
type State string

// States of places.
const (
	Absent  State = "absent"
	NoWrite State = "nowrite"
	Taken   State = "taken" // not ours alone
	NoExec  State = "noexec"
	Damaged State = "damaged" // what was copied differs
)

// Refusal is a place that takes no probe.
type Refusal struct {
	Place Place
	State State
}

// Exit statuses of the scripts, apart from those that shells use.
const (
	exitNeed     = 75 // no probe here: the need line says what was found instead
	exitNoWrite  = 71 // the copy could not be written
	exitMismatch = 72 // the copy is not what was sent
	exitNoExec   = 73 // the copy may not be executed
	exitTaken    = 74 // the directory is not ours alone, or what lies in it is not what was copied
)

// needMark begins the line on stderr by which a node asks for a copy. stdout belongs to the protocol alone.
const needMark = "nvnodetop-need/1:"

// fileName is the name of a probe by its content: a new build is a new file, and a running old one is never overwritten. The
// kernel shows the first 15 characters as the process's name: exactly "nvnodetop-probe".
func fileName(p Payload) string { return "nvnodetop-probe-" + p.SHA256[:16] }

// prelude defines place (sets d, a place's directory), private (whether d is ours alone) and good (whether d has our probe).
//
// good does not read the file: owner, mode and size of file and directory are enough. The directory is ours, no symlink and 0700,
// the file is ours and 0700 and came there by a rename after its hash had been verified: whoever could have changed it since is us
// or root, and could as well change the shell that would verify it. Hashing 20 MB on each connect would cost the job's CPU for that.
// stat does not follow symlinks; %f is type and mode in hex: 41c0 a directory 0700 (45c0 with the setgid that some homes hand
// down), 81c0 a regular file 0700. -x asks the kernel, so it is false on a file system that is mounted noexec.
func prelude(p Payload) string {
	return "LC_ALL=C; export LC_ALL; umask 077; u=$(id -u); f=" + fileName(p) + "; " +
		"place() { case $1 in " +
		"run) d=${XDG_RUNTIME_DIR:+$XDG_RUNTIME_DIR/nvnodetop};; " +
		"home) d=${HOME:+$HOME/.cache/nvnodetop};; " +
		"shm) d=; if [ -d /dev/shm ]; then d=/dev/shm/nvnodetop-$u; fi;; " +
		"*) d=/tmp/nvnodetop-$u;; esac; [ -n \"$d\" ]; }; " +
		"private() { case $(stat -c %u:%f \"$d\") in $u:41c0|$u:45c0) ;; *) false;; esac; }; " +
		"good() { set -- $(stat -c %u:%f:%s \"$d\" \"$d/$f\" 2>/dev/null); " +
		fmt.Sprintf("case $1,$2 in $u:41c0:*,$u:81c0:%d|$u:45c0:*,$u:81c0:%d) [ -x \"$d/$f\" ];; *) false;; esac; }; ", p.Size, p.Size)
}

// become makes the probe at path of the shell that runs the script. Its PATH is empty, since it starts no program: a library that is linked
// for the screen looks along PATH for clipboard programs before main begins, and where a mount in PATH is dead that would never end.
func become(path string) string { return "PATH= exec \"" + path + "\" probe" }

// trust is how a script treats a copy that is there. A deployment goes through them in this order, and never back.
type trust int

const (
	trusting  trust = iota // start it, as it is ours alone
	verifying              // it did not come to be a probe: start it if it is what was copied there, else remove it
	givenUp                // it is what was copied there, and yet it does not run
)

// tries is the script that starts a copy.
//
// What passes for a probe by its looks can still be damaged, by a crash of the file server say, and would be for ever. Only a copy that
// has failed is read through. It is removed unless another node has replaced it meanwhile: nobody's probe runs from a damaged one.
func (t trust) tries(p Payload) string {
	const each = "for p in %s; do place $p && [ -f \"$d/$f\" ] && good && %s; done; "
	places := list(lookOrder)
	switch t {
	case trusting:
		return fmt.Sprintf(each, places, become("$d/$f"))
	case verifying:
		return fmt.Sprintf(each, places, "{ i=$(stat -c %i \"$d/$f\"); "+
			"case $(sha256sum <\"$d/$f\") in "+p.SHA256+"*) "+become("$d/$f")+";; esac; "+
			"if [ \"$i\" = \"$(stat -c %i \"$d/$f\")\" ]; then rm -f \"$d/$f\"; fi; }")
	default:
		return ""
	}
}

// startScript starts the probe where it is; else it says on one line what the node is and which of places would take a copy:
// the first that does ends the list. A directory of ours that is open to others is closed first; one that is not ours, or a
// symlink that somebody laid in its place, is not touched.
func startScript(p Payload, t trust, places []Place) string {
	s := prelude(p) + t.tries(p) +
		"chmod_ours() { case $(stat -c %u:%f \"$d\") in $u:4*) chmod 700 \"$d\";; esac; }; "
	return s + "s=; for p in " + list(places) + "; do " +
		"place $p || { s=\"$s $p:absent\"; continue; }; " +
		"mkdir -p \"$d\" || { s=\"$s $p:nowrite\"; continue; }; " +
		"private || { chmod_ours; private; } || { s=\"$s $p:taken\"; continue; }; " +
		"t=$(mktemp \"$d/.up.XXXXXX\") || { s=\"$s $p:nowrite\"; continue; }; " +
		"chmod 700 \"$t\"; if [ -x \"$t\" ]; then r=ok; else r=noexec; fi; rm -f \"$t\"; s=\"$s $p:$r\"; " +
		"if [ $r = ok ]; then break; fi; done; " +
		fmt.Sprintf("echo \"%s $(uname -sm) $u$s\" >&2; exit %d", needMark, exitNeed)
}

// uploadScript takes n bytes of gzip from stdin, leaves the executable in place and becomes the probe: what follows on stdin is its.
//
// The copy gets its name by a link, which fails when another node was faster: on NFS a rename over the file would take it away
// from under that node's running probe. Where there are no hard links the rename has to do.
//
// The directory was looked at by an earlier script, so it is looked at again: before anything is written there, and before anything that
// lies there is run.
//
// Remains of broken uploads go, and copies of other builds that are half a year old. Starting a copy does not renew it, as that would
// cost each connect a process and a write to the home; so the age is one at which hardly anybody runs that build any more. Who does
// copies it again, and on NFS loses the probes that run from it at that moment.
func uploadScript(p Payload, place Place, n int) string {
	return prelude(p) + "place " + string(place) + "; " +
		fmt.Sprintf("mkdir -p \"$d\" || exit %d; private || exit %d; ", exitNoWrite, exitTaken) +
		fmt.Sprintf("t=$(mktemp \"$d/.up.XXXXXX\") || exit %d; ", exitNoWrite) +
		fmt.Sprintf("clean() { rm -f \"$t\"; }; trap clean EXIT; trap \"exit %d\" HUP INT TERM PIPE; ", exitNoWrite) +
		fmt.Sprintf("head -c %d | gzip -dc >\"$t\" || exit %d; ", n, exitNoWrite) +
		fmt.Sprintf("h=$(sha256sum \"$t\") || exit %d; ", exitMismatch) +
		fmt.Sprintf("case $h in %s*) ;; *) echo \"the copy has the sha256 ${h%%%% *}\" >&2; exit %d;; esac; ", p.SHA256, exitMismatch) +
		fmt.Sprintf("chmod 700 \"$t\"; ln \"$t\" \"$d/$f\" 2>/dev/null || good || mv -f \"$t\" \"$d/$f\" || exit %d; clean; ", exitNoWrite) +
		"find \"$d\" -maxdepth 1 -type f \"(\" -name \"nvnodetop-probe-*\" -mtime +180 -o -name \".up.*\" -mtime +1 \")\" -exec rm -f {} + 2>/dev/null; " +
		fmt.Sprintf("[ -x \"$d/$f\" ] || exit %d; private && good || exit %d; ", exitNoExec, exitTaken) + become("$d/$f")
}

// need is what a node that has no probe says of itself.
type need struct {
	machine string // as `uname -sm` prints it
	uid     string
	place   Place     // where a copy can go; empty: nowhere
	refused []Refusal // the places before it
}

// parseNeed finds the need line in a node's stderr, behind whatever else stands there.
func parseNeed(stderr string) (need, bool) {
	at := strings.LastIndex(stderr, needMark)
	if at < 0 {
		return need{}, false
	}
	fields := strings.Fields(text.FirstLine(stderr[at+len(needMark):]))
	if len(fields) < 3 {
		return need{}, false
	}
	n := need{machine: fields[0] + " " + fields[1], uid: fields[2]}
	for _, f := range fields[3:] {
		place, state, ok := strings.Cut(f, ":")
		if !ok {
			return need{}, false
		}
		if state == "ok" {
			n.place = Place(place)
			break
		}
		n.refused = append(n.refused, Refusal{Place(place), State(state)})
	}
	return n, true
}

// WithoutNeed is a node's stderr without the line by which our script asks for a copy, which is nobody's words.
func WithoutNeed(stderr string) string {
	var kept strings.Builder
	for line := range strings.Lines(stderr) {
		before, _, found := strings.Cut(line, needMark)
		kept.WriteString(before)
		if found && before != "" {
			kept.WriteByte('\n')
		}
	}
	return kept.String()
}

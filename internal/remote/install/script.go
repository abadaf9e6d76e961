package install

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/lib/text"
)

// Directory is a directory on a node that may hold the probe, by its name in the scripts.
type Directory string

// Directories that may hold the probe.
const (
	homeDirectory    Directory = "home" // ~/.cache: often shared, so one copy serves all nodes
	runtimeDirectory Directory = "run"  // $XDG_RUNTIME_DIR: private, but it uses the node's memory
	shmDirectory     Directory = "shm"  // /dev/shm: it uses memory too
	tmpDirectory     Directory = "tmp"
)

// uploadOrder is the order in which places are tried for an upload. The home comes first because a copy there lasts and
// is shared.
var uploadOrder = []Directory{homeDirectory, runtimeDirectory, shmDirectory, tmpDirectory}

// kept lists the places where a copy stays for the next session, in the order in which they are searched. The other
// places use the node's memory, which SLURM may count as the job's: a copy there is removed as soon as it runs.
var kept = []Directory{homeDirectory, tmpDirectory}

// placeWords returns the places as words of a script.
func placeWords(places []Directory) string { return strings.Trim(fmt.Sprint(places), "[]") }

// displayName returns the place as users know it.
func (p Directory) displayName(uid string) string {
	switch p {
	case homeDirectory:
		return "~/.cache/nvnodetop"
	case runtimeDirectory:
		return "$XDG_RUNTIME_DIR/nvnodetop"
	case shmDirectory:
		return "/dev/shm/nvnodetop-" + uid
	default:
		return "/tmp/nvnodetop-" + uid
	}
}

// State says why a place cannot hold a probe.
type State string

// States of places.
const (
	Absent  State = "absent"
	NoWrite State = "nowrite"
	Taken   State = "taken" // not private to us
	NoExec  State = "noexec"
	Damaged State = "damaged" // the copy is corrupt
)

// Refusal is a place that cannot hold a probe.
type Refusal struct {
	Directory Directory
	State     State
}

// Exit statuses of the scripts. Shells do not use them.
const (
	exitNeed     = 75 // there is no probe here: see the need line
	exitNoWrite  = 71 // the copy could not be written
	exitMismatch = 72 // the copy is not identical to the payload
	exitNoExec   = 73 // the copy may not be executed
	exitTaken    = 74 // the directory is not private to us, or the file in it is not our copy
)

// needMark begins the line on stderr that asks for a copy. stdout is reserved for the protocol.
const needMark = "nvnodetop-need/1:"

// fileName names a probe after its content: a new build is a new file and never overwrites a running one. The kernel
// uses the first 15 characters as the process name: exactly "nvnodetop-probe".
func fileName(p Payload) string { return "nvnodetop-probe-" + p.SHA256[:16] }

// beginScript chooses one of several payloads by the node's platform, m: f is the name of its copy, z the size, h the
// hash. All are empty if none is for the platform. It defines place (sets d, a place's directory), private (is d
// private to us?) and good (does d hold our probe?).
//
// good does not read the file: owner, mode and size of the file and its directory are enough. The directory is ours,
// not a symlink, and 0700. The file is ours and 0700, and got its name only after its hash was verified. Only we or
// root could have changed it since, and root could as well change the shell that verifies it. Hashing 20 MB on each
// connect would cost the job's CPU for nothing. stat does not follow symlinks; %f is type and mode in hex: 41c0 is a
// directory with 0700 (45c0 with the setgid bit that some homes inherit), 81c0 a regular file with 0700. -x asks the
// kernel, so it is false on a noexec mount.
func beginScript(list ...Payload) string {
	return environment + searchPath + "LC_ALL=C; export LC_ALL; umask 077; u=$(id -u); m=$(uname -sm); " +
		selectPayload(list) +
		"place() { case $1 in " +
		"run) d=${XDG_RUNTIME_DIR:+$XDG_RUNTIME_DIR/nvnodetop};; " +
		"home) d=${HOME:+$HOME/.cache/nvnodetop};; " +
		"shm) d=; if [ -d /dev/shm ]; then d=/dev/shm/nvnodetop-$u; fi;; " +
		"*) d=/tmp/nvnodetop-$u;; esac; [ -n \"$d\" ]; }; " +
		"private() { case $(stat -c %u:%f \"$d\") in $u:41c0|$u:45c0) ;; *) false;; esac; }; " +
		"good() { set -- $(stat -c %u:%f:%s \"$d\" \"$d/$f\" 2>/dev/null); " +
		"case $1,$2 in $u:41c0:*,$u:81c0:$z|$u:45c0:*,$u:81c0:$z) [ -x \"$d/$f\" ];; *) false;; esac; }; "
}

// environment removes variables that must not reach the probe: LD_BIND_NOW makes the dynamic linker resolve all symbols
// before it starts a program.
const environment = "unset LD_BIND_NOW; "

// selectPayload returns the script that sets f, z and h for the payload for platform m.
func selectPayload(list []Payload) string {
	s := "f=; z=; h=; case $m in "
	for _, p := range list {
		s += fmt.Sprintf("\"%s\") f=%s; z=%d; h=%s;; ", p.unameOutput(), fileName(p), p.Size, p.SHA256)
	}
	return s + "esac; "
}

// execProbe returns the command that replaces the shell by the probe at path. PATH is empty, as the probe starts no
// programs: a library for the screen that is linked in searches PATH for clipboard programs before main begins, and
// would hang on a dead mount in PATH.
func execProbe(path string) string { return "PATH= exec \"" + path + "\" probe" }

// trust says how a script treats an existing copy. An attempt goes through these values in order, never back.
type trust int

const (
	trusting  trust = iota // start it: it is private to us
	verifying              // it did not start: check its hash, then start it or remove it
	givenUp                // its hash is right, but it still does not run
)

// tryCopies returns the script that starts an existing copy.
//
// A copy that looks good can still be damaged, for example by a crash of the file server, and would stay so. Only a
// copy that failed to start is hashed. If it is damaged it is removed, unless another node has replaced it meanwhile.
// No probe can be running from a damaged copy.
//
// With fresh, the directory is opened first: an NFS client may remember for half a minute that a file was missing, but
// only until it sees that the directory has changed. The shell opens the directory itself when it expands a pattern.
func (t trust) tryCopies(fresh bool) string {
	each := "for p in %s; do place $p && [ -f \"$d/$f\" ] && good && %s; done; "
	if fresh {
		each = "for p in %s; do place $p && { : \"$d\"/*; [ -f \"$d/$f\" ]; } && good && %s; done; "
	}
	places := placeWords(kept)
	switch t {
	case trusting:
		return fmt.Sprintf(each, places, execProbe("$d/$f"))
	case verifying:
		return fmt.Sprintf(each, places, "{ i=$(stat -c %i \"$d/$f\"); "+
			"case $(sha256sum <\"$d/$f\") in $h*) "+execProbe("$d/$f")+";; esac; "+
			"if [ \"$i\" = \"$(stat -c %i \"$d/$f\")\" ]; then rm -f \"$d/$f\"; fi; }")
	default:
		return ""
	}
}

// own makes a directory with a name that nobody could take before, in a place where everybody may write: it is needed
// if another user has made ours there. o is its path. A copy there gets no name, since nobody would find it again, and
// leave removes the directory. Directories that a killed script has left behind are removed a day later.
const own = "o=; own() { case $1 in shm|tmp) ;; *) return 1;; esac; " +
	"find \"${d%/*}\" -maxdepth 1 -type d -user \"$u\" -name \"nvnodetop-$u.*\" -mtime +0 -exec rm -rf {} + " +
	"2>/dev/null; " +
	"o=$(mktemp -d \"$d.XXXXXX\") && d=$o; }; " +
	"leave() { if [ -n \"$o\" ]; then rmdir \"$o\"; o=; fi; }; "

// startScript starts an existing copy of the payload for the node's platform. If there is none, it prints one line with
// the node's platform and the state of each place, up to the first that can hold a copy; if no payload is for this
// platform, it touches no place. It makes a directory of ours that is open to others private. It does not touch a
// directory of somebody else, or a symlink in its place. After a copy that did not run, it prints the limits first.
func startScript(list []Payload, t trust, places []Directory, fresh bool) string {
	s := ""
	if t != trusting {
		s = printLimits
	}
	s += beginScript(list...) + t.tryCopies(fresh) +
		"chmod_ours() { case $(stat -c %u:%f \"$d\") in $u:4*) chmod 700 \"$d\";; esac; }; "
	return s + own + "s=; for p in ${f:+ " + placeWords(places) + "}; do " +
		"place $p || { s=\"$s $p:absent\"; continue; }; o=; " +
		"mkdir -p \"$d\" || own $p || { s=\"$s $p:nowrite\"; continue; }; " +
		"private || { chmod_ours; private; } || own $p || { s=\"$s $p:taken\"; continue; }; " +
		"t=$(mktemp \"$d/.up.XXXXXX\") || { leave; s=\"$s $p:nowrite\"; continue; }; " +
		"chmod 700 \"$t\"; if [ -x \"$t\" ]; then r=ok; else r=noexec; fi; rm -f \"$t\"; leave; s=\"$s $p:$r\"; " +
		"if [ $r = ok ]; then break; fi; done; " +
		fmt.Sprintf("echo \"%s $m $u$s\" >&2; exit %d", needMark, exitNeed)
}

// uploadScript reads n bytes of gzip from stdin, writes the executable to place and becomes the probe. The rest of
// stdin is for the probe.
//
// The copy gets its name by a hard link, which fails if another node was faster: on NFS a rename over the file would
// break that node's running probe. Where there are no hard links, a rename has to do.
//
// An earlier script checked the directory. It is checked again before anything is written to it, and before anything in
// it is run.
//
// Leftovers of broken uploads are removed, and so are copies that nobody has used for a week: a probe renews the age of
// its copy.
//
// In memory, and in a directory of own, the copy gets no name at all. The shell opens it, removes it, and executes the
// open file. So it goes away with the probe, even if that is killed.
func uploadScript(p Payload, place Directory, n int) string {
	return printLimits + beginScript(p) + own + "place " + string(place) + "; " +
		fmt.Sprintf("mkdir -p \"$d\" || own %s || exit %d; private || own %[1]s || exit %[3]d; ", place, exitNoWrite,
			exitTaken) +
		"t=; clean() { rm -f \"$t\"; leave; }; trap clean EXIT; " +
		fmt.Sprintf("trap \"exit %d\" HUP INT TERM PIPE; t=$(mktemp \"$d/.up.XXXXXX\") || exit %[1]d; ", exitNoWrite) +
		fmt.Sprintf("head -c %d | gzip -dc >\"$t\" || exit %d; ", n, exitNoWrite) +
		fmt.Sprintf("g=$(sha256sum \"$t\") || exit %d; ", exitMismatch) +
		fmt.Sprintf("case $g in $h*) ;; *) echo \"the copy has the sha256 ${g%%%% *}\" >&2; exit %d;; esac; ",
			exitMismatch) +
		"chmod 700 \"$t\"; " + sweep + nameCopy(place)
}

// sweep removes old files in d.
const sweep = "find \"$d\" -maxdepth 1 -type f \"(\" -name \"nvnodetop-probe-*\" -mtime +6 -o -name \".up.*\" -mtime " +
	"+1 \")\" -exec rm -f {} + 2>/dev/null; "

// nameCopy returns the script that gives the verified copy t its name, or none, and becomes the copy.
func nameCopy(place Directory) string {
	unnamed := fmt.Sprintf("[ -x \"$t\" ] || exit %d; private || exit %d; exec 3<\"$t\"; clean; rmdir \"$d\" "+
		"2>/dev/null; ", exitNoExec, exitTaken) + execProbe("/proc/self/fd/3")
	if !slices.Contains(kept, place) {
		return unnamed
	}
	return "if [ -n \"$o\" ]; then " + unnamed + "; fi; " +
		fmt.Sprintf("ln \"$t\" \"$d/$f\" 2>/dev/null || good || mv -f \"$t\" \"$d/$f\" || exit %d; clean; ",
			exitNoWrite) +
		fmt.Sprintf("[ -x \"$d/$f\" ] || exit %d; private && good || exit %d; ", exitNoExec, exitTaken) +
		execProbe("$d/$f")
}

// nodeReply is the answer of a node without a probe.
type nodeReply struct {
	machine string // as printed by `uname -sm`
	uid     string
	place   Directory // for the copy; empty: nowhere
	refused []Refusal // the places that come before it
}

// parseNeed finds the need line in a node's stderr.
func parseNeed(stderr string) (nodeReply, bool) {
	at := strings.LastIndex(stderr, needMark)
	if at < 0 {
		return nodeReply{}, false
	}
	fields := strings.Fields(text.FirstLine(stderr[at+len(needMark):]))
	if len(fields) < 3 {
		return nodeReply{}, false
	}
	n := nodeReply{machine: fields[0] + " " + fields[1], uid: fields[2]}
	for _, f := range fields[3:] {
		place, state, ok := strings.Cut(f, ":")
		if !ok {
			return nodeReply{}, false
		}
		if state == "ok" {
			n.place = Directory(place)
			break
		}
		n.refused = append(n.refused, Refusal{Directory(place), State(state)})
	}
	return n, true
}

// WithoutMarks returns a node's stderr without the need line and the limits, which are not for users.
func WithoutMarks(stderr string) string {
	var kept strings.Builder
	for line := range strings.Lines(stderr) {
		before, _, needs := strings.Cut(line, needMark)
		before, _, limits := strings.Cut(before, limitMark)
		kept.WriteString(before)
		if (needs || limits) && before != "" {
			kept.WriteByte('\n')
		}
	}
	return kept.String()
}

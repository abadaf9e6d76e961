package remote

import (
	"cmp"
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// advice explains a class of failure and lists remedies. NODE stands for the node's name.
type advice struct {
	meaning string
	hints   []string
}

// advices apply to every door.
var advices = map[reach.Class]advice{
	reach.ClassTimeout: {meaning: "The node does not respond: it is overloaded, or something on it hangs."},
	reach.ClassProbeLate: {meaning: "Commands on the node do not start in time: it is overloaded, or its home file " +
		"system hangs."},
	reach.ClassDriverHangs: {"The probe runs, but the NVIDIA driver does not respond: a GPU may have fallen off the " +
		"bus.",
		[]string{"run nvidia-smi on NODE; if it hangs too, report it to your admins"}},
	reach.ClassDenied: {meaning: "This account is not allowed to run anything on the node."},
	reach.ClassNoSpace: {"The probe needs a writable directory on the node, and none of those tried is writable.",
		[]string{"free some space in your home directory (see quota) or in /tmp on NODE"}},
	reach.ClassNoExec: {"Every writable directory on the node is mounted noexec.",
		[]string{"ask your admins for a directory without noexec on NODE"}},
	reach.ClassLimit: {"A resource limit of the session, set by the site or by a startup file of the shell, keeps the " +
		"probe from running.",
		[]string{"see the limits there: ulimit -a; docs/TRANSPORTS.md says what a probe needs"}},
	reach.ClassPlatform: {"This build has no probe for the node's CPU or operating system, and nvidia-smi cannot " +
		"stand in for it.",
		[]string{"use a release build: it has probes for Linux on x86_64 and aarch64"}},
	reach.ClassReplaced: {meaning: "The NVIDIA driver was updated while the probe ran. A new probe is starting; " +
		"no action needed."},
	reach.ClassProbeKilled: {meaning: "The probe was killed: the job there ended, a site cleanup script killed it, " +
		"or memory ran out."},
	reach.ClassProbeFailed: {"The probe failed; its error message is above.",
		[]string{"this is a bug in nvnodetop: please report it with that message"}},
	reach.ClassGarbage: {meaning: "Something on the node writes to the probe's output, or a login script exits early."},
	reach.ClassTooMuch: {meaning: "The node sent more than a probe ever would; the connection was closed."},
	reach.ClassSilent:  {meaning: "The node is down or hung, or its link is down."},
	reach.ClassLocal:   {meaning: "The problem is on this host, not on the node."},
	reach.ClassOther:   {meaning: "nvnodetop does not recognize this error."},
	reach.ClassClosed:  {meaning: "The connection closed or the probe exited."},
}

// notStarted is for a probe that failed before its first line: the node is as suspect as the probe.
var notStarted = advice{"The probe did not start; its error message is above.",
	[]string{"see what a session there may use: ulimit -a"}}

// addAdvice adds the hints of the class, and its meaning unless the door gave one. These hints come before the door's,
// as some screens show only the first hint.
func addAdvice(c *Case) {
	f := &c.Failure
	a := advices[f.Class]
	if f.Class == reach.ClassProbeFailed && c.Stage == StageProbe {
		a = notStarted
	}
	f.Meaning = cmp.Or(f.Meaning, a.meaning)
	f.Hints = slices.Concat(a.hints, f.Hints)
}

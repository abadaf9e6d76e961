package procs

import (
	"os"
	"os/user"
	"strconv"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/lib/text"
	"github.com/nvnodetop/nvnodetop/internal/probe/proc"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// identity holds the static properties of a process. A property that cannot be read is absent.
type identity struct {
	uid       *int
	command   string
	directory string
	proc.Origin
	place proc.JobMember
}

// maxDirectory limits the working directory of a process in a report, in bytes.
const maxDirectory = 256

// identifyOwn identifies any process. For a process of the probe's own user it also reads the environment, which has
// the rank, and the job and the step if the cgroup does not name them. The environment of other users' processes is
// private, even for root. It may never return.
func identifyOwn(mount string, jobs *proc.LaunchJobs, k processKey) *identity {
	who := readIdentity(mount, jobs, k.pid)
	if who.uid == nil || *who.uid != os.Getuid() {
		return who
	}
	who.Origin = proc.OriginOf(proc.Of(mount, k.pid)).In(who.place)
	return who
}

// readIdentity reads the static properties of a process. It may never return.
func readIdentity(mount string, jobs *proc.LaunchJobs, pid int) *identity {
	who, process := &identity{}, proc.Of(mount, pid)
	if status, err := process.Status(); err == nil {
		who.uid = &status.UIDs[0]
	}
	if args, err := process.Arguments(); err == nil {
		who.command = CommandLine(args)
	}
	if dir, err := process.Link("cwd"); err == nil {
		who.directory = text.Cut(strings.ToValidUTF8(dir, "?"), maxDirectory)
	}
	who.place = jobs.In(process.Cgroups())
	who.Origin = proc.Origin{}.In(who.place)
	return who
}

// UserName returns the name of a user, or the number if the node knows no name. It may never return.
func UserName(uid int) string {
	name := strconv.Itoa(uid)
	if u, err := user.LookupId(name); err == nil {
		return u.Username
	}
	return name
}

// CommandLine joins arguments, cut at a character to the limit of the wire.
func CommandLine(args []string) string {
	return text.Cut(strings.TrimRight(strings.ToValidUTF8(strings.Join(args, " "), "?"), " "), wire.MaxCommand)
}

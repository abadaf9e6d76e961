// Package access builds the connections to SLURM and to the nodes from the settings: where commands run, the transports
// and the first one to try, and the sources that use them. It neither asks the user nor prints.
//
// New may be called any number of times. Several sources may share one Access; call Close once they have ended. The
// functions may be called from any goroutine.
package access

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/user"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/joblog"
	"github.com/nvnodetop/nvnodetop/internal/poller"
	"github.com/nvnodetop/nvnodetop/internal/remote"
	"github.com/nvnodetop/nvnodetop/internal/remote/ssh"
	"github.com/nvnodetop/nvnodetop/internal/slurm"
	"github.com/nvnodetop/nvnodetop/internal/slurm/command"
	"github.com/nvnodetop/nvnodetop/internal/source"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Access connects to SLURM and to the nodes. It must be closed.
type Access struct {
	Native     *ssh.Door
	Commands   command.Runner
	Client     *slurm.Client
	Doors      []remote.Candidate // to the nodes, in the order in which they are tried
	Favorite   string             // the door to try first; empty: the first one
	User, Host string             // of SLURM's commands

	OnLogin func(wire.ReadLog) (*wire.LogPiece, error) // reads logs on Host; nil: Host is this host

	opener *opener
}

// New returns the Access that the settings allow. log may be nil.
func New(ctx context.Context, cfg *config.Config, log *slog.Logger) (*Access, error) {
	native, err := ssh.New(wire.BuildVersion())
	if err != nil {
		return nil, err
	}
	a := &Access{Native: native, Commands: command.Run}
	a.User, a.Host = Here()
	if cfg.Login != "" {
		if err := native.Through(cfg.Login); err != nil {
			return nil, err
		}
		a.User, a.Host = native.LoginUser(ctx)
		a.Commands, a.OnLogin = command.Remote(a.Host, native.Run), joblog.OnLogin(native.Run)
	}
	if log != nil {
		a.Commands = command.Logged(a.Commands, log)
	}
	a.Client = slurm.New(a.Commands)
	if a.opener, err = newOpener(cfg, a.Host, native); err != nil {
		native.Close()
		return nil, err
	}
	a.Doors, a.Favorite = a.opener.doors, a.opener.favorite
	return a, nil
}

// Close closes the remaining connections, once the sources have ended.
func (a *Access) Close() {
	a.opener.steps.Close()
	a.Native.Close()
}

// Answers are SLURM's answers that the user's programs keep for each other: those of the cluster of a login host, or
// else of this host. nil: there is no place to keep them.
func Answers(login string) *command.KeptAnswers {
	dir, err := config.AnswersDir()
	if err != nil {
		return nil
	}
	name, host := Here()
	return command.NewKeptAnswers(dir, name, login, os.Getenv("SLURM_CLUSTERS"), os.Getenv("SLURM_CONF"),
		slurm.ClusterName(host))
}

// BeginsWith reports whether that door is tried first for a node.
func (a *Access) BeginsWith(door string) bool { return a.opener.BeginsWith(door) }

// Know tells the doors which jobs there are, and returns the jobs in the form of package remote.
func (a *Access) Know(jobs []cluster.Job) []remote.KnownJob { return a.opener.setJobs(jobs) }

// parallelRetries limits how many failed nodes are dialed at the same time. A dead node takes 5 s of every 30 s: with
// 320 of them none has to wait.
const parallelRetries = 64

// Jobs returns the source for the jobs that the settings name, and their nodes. heard is a first answer of squeue; nil:
// none.
func (a *Access) Jobs(cfg *config.Config, p Polling, heard *source.EarlyAnswer) *source.Live {
	live := source.NewLive(a.Client, a.newPoller(p.within(cfg)), a.User, a.Host)
	live.Floor, live.Pace, live.Heard, live.Job = cfg.SlurmFloor, cfg.Slurm, heard, cfg.Job
	live.OnLogin = a.OnLogin
	live.Jobs = func(jobs []cluster.Job) { a.Know(jobs) }
	return live
}

// Hosts returns the source for names, which are list in expanded form.
func (a *Access) Hosts(cfg *config.Config, list string, names []string, p Polling) *source.Hosts {
	hosts := source.NewHosts(list, names, a.newPoller(p.within(cfg)), a.User, a.Host)
	hosts.Commands, hosts.Floor, hosts.Pace = a.Commands, cfg.SlurmFloor, cfg.Slurm
	return hosts
}

func (a *Access) newPoller(p poller.Config) *poller.Manager {
	p.Opener, p.Retries, p.Urge = a.opener, parallelRetries, a.Native.Retry
	return poller.New(p)
}

// Here returns the names of the user and of this host, for the screen.
func Here() (name, host string) {
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	host, _ = os.Hostname()
	return cmp.Or(name, os.Getenv("USER"), fmt.Sprint(os.Getuid())), cmp.Or(host, "this host")
}

package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/user"
	"regexp"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/demo"
	"github.com/nvnodetop/nvnodetop/internal/poller"
	"github.com/nvnodetop/nvnodetop/internal/reach"
	"github.com/nvnodetop/nvnodetop/internal/remote"
	"github.com/nvnodetop/nvnodetop/internal/remote/local"
	"github.com/nvnodetop/nvnodetop/internal/remote/ssh"
	"github.com/nvnodetop/nvnodetop/internal/slurm"
	"github.com/nvnodetop/nvnodetop/internal/source"
)

// demoSeed makes every demo the same story.
const demoSeed = 48211

// parallelDials is how many nodes are dialed at a time: enough for 512 nodes in a moment, too few for a login node to notice.
const parallelDials = 32

// choose finds out where the Events come from.
func choose(ctx context.Context, cfg *config.Config) (feed, error) {
	if cfg.Demo != "" {
		nodes, gpus, err := cfg.DemoSize()
		if err != nil {
			return nil, usage("%w", err)
		}
		return demo.New(nodes, gpus, demoSeed, cfg.Poll, demoPast(cfg)), nil
	}
	if cfg.Nodes == "" && !slurm.Installed() {
		return thisHost(ctx, cfg)
	}
	names, err := hosts(cfg.Nodes)
	if err != nil {
		return nil, err
	}
	door, err := ssh.New(Version())
	if err != nil {
		return nil, &exitError{exitFailed, err}
	}
	nodes := poller.New(poller.Config{Opener: remote.New(door), Interval: cfg.Poll, Dials: parallelDials})
	name, host := whoAndWhere()
	if cfg.Nodes != "" {
		return source.NewHosts(cfg.Nodes, names, nodes, name, host), nil
	}
	return source.NewLive(slurm.New(slurm.Command), nodes, name, host), nil
}

// demoPast is how long the nodes of the demo have reported when it starts: long enough for the graphs, but JSON has no histories.
func demoPast(cfg *config.Config) time.Duration {
	if cfg.JSON {
		return 2 * cfg.Poll
	}
	return time.Duration(cluster.HistoryLen(cfg.Poll)) * cluster.BinWidth(cfg.Poll)
}

// hostName is what ssh and a shell take for a host's name and for nothing else.
var hostName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]*$`)

// hosts expands what --nodes was given; without it there are none.
func hosts(list string) ([]string, error) {
	if list == "" {
		return nil, nil
	}
	names, err := slurm.ExpandHostlist(list)
	if err != nil {
		return nil, usage("--nodes: %w", err)
	}
	for _, name := range names {
		switch {
		case hostName.MatchString(name):
		case strings.ContainsAny(name, "@:"):
			return nil, usage("--nodes: %q is more than a host's name: put user and port into ~/.ssh/config", name)
		default:
			return nil, usage("--nodes: %q is not a host's name", name)
		}
	}
	return names, nil
}

// thisHost is what there is to show where there is no SLURM: the GPUs of this very host, if it has any.
func thisHost(ctx context.Context, cfg *config.Config) (feed, error) {
	name, host := whoAndWhere()
	opener, err := local.New()
	if err != nil {
		return nil, &exitError{exitFailed, err}
	}
	if !hasGPUs(ctx, opener) {
		return nil, &exitError{exitNoJobs, errors.New("this host has neither SLURM (no squeue in PATH) nor an NVIDIA GPU: " +
			"run it on a login node, name hosts with --nodes gpu[01-04], or look at --demo")}
	}
	nodes := poller.New(poller.Config{Opener: opener, Interval: cfg.Poll, Dials: 1})
	return source.NewHosts(host, []string{host}, nodes, name, host), nil
}

// localWithin is how long the look at this host's GPUs may take.
const localWithin = 10 * time.Second

func hasGPUs(ctx context.Context, opener poller.Opener) bool {
	ctx, cancel := context.WithTimeout(ctx, localWithin)
	defer cancel()
	session, err := opener.Open(ctx, "", func(reach.Step) {})
	if err != nil {
		return false
	}
	defer func() { _ = session.Close() }()
	msg, err := session.Next()
	return err == nil && msg.Hello != nil && len(msg.Hello.GPUs) > 0
}

// whoAndWhere is for the screen. What cannot be found out is told as it is.
func whoAndWhere() (name, host string) {
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	host, _ = os.Hostname()
	return cmp.Or(name, os.Getenv("USER"), fmt.Sprint(os.Getuid())), cmp.Or(host, "this host")
}

package access

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/lib/crash"
	"github.com/nvnodetop/nvnodetop/internal/remote"
	"github.com/nvnodetop/nvnodetop/internal/remote/local"
	"github.com/nvnodetop/nvnodetop/internal/remote/openssh"
	"github.com/nvnodetop/nvnodetop/internal/remote/srun"
	"github.com/nvnodetop/nvnodetop/internal/remote/ssh"
	"github.com/nvnodetop/nvnodetop/internal/slurm"
)

// opener is the Opener for the nodes.
type opener struct {
	*remote.Chooser
	doors    []remote.Candidate // the doors to choose from
	favorite string             // the door to try first; empty: the first one
	steps    *srun.Door
}

// setJobs tells the doors which jobs there are, and returns the jobs in the form of package remote.
func (o *opener) setJobs(jobs []cluster.Job) []remote.KnownJob {
	o.steps.Know(withSteps(jobs)) // first, since the next line may move a session to a step
	all := jobsByNode(jobs)
	o.Know(all)
	return all
}

// withSteps returns the jobs in the form of package srun.
func withSteps(jobs []cluster.Job) []srun.Job {
	var out []srun.Job
	for i, j := range jobsByNode(jobs) {
		s := srun.Job{ID: j.ID, Nodes: j.Nodes, GPUs: j.GPUs, Suspended: jobs[i].Suspended}
		if leader, group, isHet := jobs[i].Component(); isHet {
			s.Leader, s.Group = leader, group
		}
		out = append(out, s)
	}
	return out
}

// newOpener returns the Opener for the nodes: over all doors, or over the user's transport.
func newOpener(cfg *config.Config, host string, native *ssh.Door) (*opener, error) {
	o := &opener{steps: srun.New()}
	if cfg.Login != "" { // only this door uses the connection to the login node
		o.doors = []remote.Candidate{{Name: config.SSH, Kind: remote.KindSSH, Opener: remote.New(native)}}
		o.Chooser = remote.NewChooser("", o.doors...)
		return o, nil
	}
	doors, err := allDoors(host, native, o.steps)
	if err != nil {
		return nil, err
	}
	doors = slices.DeleteFunc(doors, func(d remote.Candidate) bool { return !cfg.Doors.Has(d.Name) })
	if cfg.Transport != config.Auto {
		o.doors = slices.DeleteFunc(doors, func(d remote.Candidate) bool { return d.Name != cfg.Transport })
		o.Chooser = remote.NewChooser("", o.doors...)
		return o, nil
	}
	choice := config.Transport(slurm.ClusterName(host))
	o.doors, o.favorite = doors, config.RememberedLately(choice, favoriteLife)
	o.Chooser = remote.NewChooser(o.favorite, doors...)
	o.Won = func(door string) {
		// a home directory may be slow or full: the next run then begins with another door
		go func() {
			defer crash.End()
			_ = config.Remember(choice, door)
		}()
	}
	return o, nil
}

// favoriteLife is how long a door is remembered. After that, the doors before it are tried again: a key may be accepted
// by now.
const favoriteLife = 7 * 24 * time.Hour

// allDoors lists the doors to nodes in the order in which they are tried.
func allDoors(host string, native *ssh.Door, steps *srun.Door) ([]remote.Candidate, error) {
	here, err := local.New()
	if err != nil {
		return nil, err
	}
	first := remote.New(native)
	// one copy of the probe serves all doors
	over := func(d remote.Door) *remote.Opener { return &remote.Opener{Door: d, Installer: first.Installer} }
	master := openssh.NewControl(func(ctx context.Context, node string) (string, error) {
		s, err := native.Settings().For(ctx, node)
		if err != nil {
			return "", err
		}
		return s.ControlPath, nil
	})
	program := openssh.New()
	return []remote.Candidate{
		{Name: "local", Kind: remote.KindHere, Opener: here,
			Fits: func(_ context.Context, node string) string { return notHere(node, host) }},
		{Name: config.SSH, Kind: remote.KindSSH, Opener: first},
		{Name: "control", Kind: remote.KindSSH, Opener: over(master), Fits: master.Unfit},
		{Name: "openssh", Kind: remote.KindSSH, Opener: over(program),
			Fits: func(context.Context, string) string { return program.Missing() }},
		{Name: "srun", Kind: remote.KindSLURM, Opener: steps.Opener(), Fits: steps.Fits},
	}, nil
}

// notHere returns why a node is not this host; empty: it is this host. A short name matches a full one.
func notHere(node, host string) string {
	node, host = strings.ToLower(strings.TrimSuffix(node, ".")), strings.ToLower(strings.TrimSuffix(host, "."))
	short, _, full := strings.Cut(node, ".")
	hostShort, _, hostFull := strings.Cut(host, ".")
	if node == host || short == hostShort && full != hostFull {
		return ""
	}
	return "this host is " + host
}

// jobsByNode returns the jobs with their GPUs, as far as SLURM has counted them.
func jobsByNode(jobs []cluster.Job) []remote.KnownJob {
	var out []remote.KnownJob
	for i := range jobs {
		j := &jobs[i]
		gpus := map[string]int{}
		for _, node := range j.Nodes {
			if n, known := j.GPUsOn(node); known {
				gpus[node] = n
			}
		}
		out = append(out, remote.KnownJob{ID: j.Number, Nodes: j.Nodes, GPUs: gpus})
	}
	return out
}

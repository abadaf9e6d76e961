package nvnodetop

import (
	"errors"
	"os"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/source/access"
)

// Options choose the jobs and nodes to watch. The zero value watches what the command without arguments does: all
// running jobs of the user, or the GPUs of this host if there is no SLURM.
type Options struct {
	Job   string // only this job, by ID or number; of an array or a heterogeneous job, all its parts
	Nodes string // these hosts, such as a,b[1-3], without asking SLURM
	// [USER@]HOST[:PORT], a login node: SLURM is asked there, and the nodes are reached through it
	Login    string
	Interval time.Duration // between two reports of a node; 0: as in the settings, at first 3 s
	Demo     string        // NODESxGPUS, such as 4x8: a simulated cluster, for trials and tests

	// FirstSample makes Snapshot return a second earlier, with the first report of each node. It then has no rates, and
	// no problems that need two reports. NotChecked of the snapshot names these problems.
	FirstSample bool
}

// Errors of this package. Others describe mistakes in the options, the settings, or this host.
var (
	ErrNoProbe = errors.New("the program does not call nvnodetop.Probe in its main, so it cannot read nodes")
	ErrNoSlurm = errors.New("there is no SLURM")    // and this host has no GPUs, or a job was requested
	ErrNoJob   = errors.New("there is no such job") // Report: SLURM does not list it
)

// systemFile is the system's file of settings. Only tests change it.
var systemFile = config.SystemFile

// settings returns the settings of the files and the environment, overridden by the options.
func (o *Options) settings() (*config.Config, error) {
	switch {
	case o.Demo != "" && (o.Job != "" || o.Nodes != "" || o.Login != ""):
		return nil, errors.New("Options.Demo cannot be combined with Job, Nodes or Login")
	case o.Job != "" && o.Nodes != "":
		return nil, errors.New("Options.Job and Options.Nodes cannot be combined")
	}
	line := map[string]config.Word{}
	if o.Interval != 0 {
		line["poll.interval"] = config.Word{Name: "Options.Interval", Text: o.Interval.String()}
	}
	if o.Login != "" {
		line["login"] = config.Word{Name: "Options.Login", Text: o.Login}
	}
	cfg := config.Default()
	from, err := cfg.Load(config.Inputs{Beside: config.BesideProgram(), System: systemFile,
		User: config.UserFile(), Environ: os.Environ(), Line: line})
	if err != nil {
		return nil, err
	}
	cfg.Job, cfg.Nodes, cfg.Demo = o.Job, o.Nodes, o.Demo
	if cfg.Login == "" {
		return &cfg, nil
	}
	return &cfg, access.CheckLogin(&cfg, from.Of("login"))
}

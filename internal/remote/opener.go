package remote

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/poller"
	"github.com/nvnodetop/nvnodetop/internal/remote/install"
	"github.com/nvnodetop/nvnodetop/internal/remote/link"
	"github.com/nvnodetop/nvnodetop/internal/remote/smi"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// Opener opens sessions with probes through a Door. It implements poller.Opener. Its fields must not change once it is
// in use.
type Opener struct {
	Name      string // of the door
	Door      Door
	Installer *install.Installer
}

var _ poller.Opener = (*Opener)(nil)

// New returns an Opener that installs the probes of this build.
func New(door Door) *Opener {
	return &Opener{Door: door, Installer: install.New(install.Probes)}
}

// Route implements poller.Opener.
func (o *Opener) Route(context.Context, string) reach.Route {
	return reach.Route{Door: o.Name, Stages: slices.Concat(o.Door.Stages(), []reach.Stage{StageProbe, StageDriver})}
}

// Open implements poller.Opener.
func (o *Opener) Open(ctx context.Context, node string, step func(reach.Step)) (poller.Session, error) {
	log := NewLog(node, step)
	session, err := o.openSession(ctx, node, log)
	switch {
	case err == nil:
		return session, nil
	case ctx.Err() != nil:
		log.dropAttempt()
		return nil, fmt.Errorf("open %q: %w", node, context.Cause(ctx))
	}
	failure := reach.AsFailure(err, reach.ClassOther)
	log.Fail(failure.Summary())
	return nil, failure
}

func (o *Opener) openSession(ctx context.Context, node string, log *Log) (*link.Session, error) {
	shell, err := o.Door.Dial(ctx, node, log)
	if err != nil {
		return nil, err
	}
	session, err := o.startProbe(ctx, shell, log)
	if err != nil {
		failure := log.Case().Settle(err, shell.Explain) // before Close: the shell still knows the connection's state
		_ = shell.Close()                                // the failure above matters more
		return nil, failure
	}
	session.Tend(shell, func(err error) error {
		if errors.Is(err, link.ErrClosed) { // we closed it: not a failure
			return fmt.Errorf("%q: %w", node, err)
		}
		c := &Case{Node: node}
		return c.Settle(err, shell.Explain)
	})
	if ctx.Err() != nil {
		_ = session.Close()
		return nil, ctx.Err()
	}
	return session, nil
}

// startProbe runs the stages probe and driver.
func (o *Opener) startProbe(ctx context.Context, shell Shell, log *Log) (*link.Session, error) {
	log.Begin(StageProbe, "")
	session, how, err := o.Installer.Start(ctx, shell, func(text string) { log.Begin(StageProbe, text) })
	if err != nil {
		session, how, err = o.standIn(ctx, shell, log, err)
	}
	if err != nil {
		return nil, err
	}
	log.Done(how)
	log.Begin(StageDriver, "")
	hello, err := session.Hello(ctx)
	if err != nil {
		return nil, err
	}
	log.Done(driverText(hello))
	return session, nil
}

// standIn starts nvidia-smi in place of a probe that cannot run on the node. If nvidia-smi returns nothing either,
// standIn returns the probe's error.
func (o *Opener) standIn(ctx context.Context, shell Shell, log *Log, failed error) (*link.Session, string, error) {
	if !cannotRun(failed) {
		return nil, "", failed
	}
	settled := log.Case().Settle(failed, shell.Explain)
	why := settled.Short
	if settled.Detail != "" {
		why += " (" + settled.Detail + ")"
	}
	log.Begin(StageProbe, "starting nvidia-smi, "+why)
	within, cancel := context.WithTimeout(ctx, o.Installer.Link.Driver)
	defer cancel()
	pipe, err := smi.Start(within, shell, why)
	if err != nil {
		settled.Cause = cmp.Or(settled.Cause, clipLine(err.Error(), maxText))
		settled.Words = capWords(settled.Words + "\n" + err.Error())
		return nil, "", settled
	}
	session := link.New(pipe, o.Installer.Link)
	if err := session.Magic(within); err != nil {
		return nil, "", err
	}
	return session, "nvidia-smi in place of a probe: " + why, nil
}

func driverText(h *wire.Hello) string {
	if h.Fault != "" {
		return "no NVML: " + h.Fault
	}
	gpus := fmt.Sprintf("%d GPUs", len(h.GPUs))
	if len(h.GPUs) == 1 {
		gpus = "1 GPU"
	}
	if h.Driver == "" {
		return gpus
	}
	return "NVIDIA " + h.Driver + ", " + gpus
}

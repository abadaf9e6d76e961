package agent

import (
	"context"
	"errors"
	"net"
	"net/url"
	"syscall"

	"github.com/nvnodetop/nvnodetop/internal/lib/text/safe"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// classifyError classifies an error of a request, and quotes it without the secret.
func classifyError(err error, secret *safe.Secret) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	f := &reach.Failure{Class: reach.ClassOther, Short: "no answer from the agent",
		Hints: []string{"check that the agent runs on the node"}}
	name, unknown := errors.AsType[*net.DNSError](err)
	slow, late := errors.AsType[net.Error](err)
	wrapped, ok := errors.AsType[*url.Error](err)
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		f.Class, f.Short = reach.ClassRefused, "connection refused"
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		f.Class, f.Short = reach.ClassNoRoute, "no route to the host"
	case unknown && name.IsNotFound:
		f.Class, f.Short = reach.ClassUnknownHost, "unknown host"
	case late && slow.Timeout():
		f.Class, f.Short = reach.ClassTimeout, "no answer"
	case ok:
		f.Cause = secret.Line(wrapped.Err.Error(), maxName)
	}
	return f
}

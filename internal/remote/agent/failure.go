package agent

import (
	"context"
	"errors"
	"net"
	"net/url"
	"syscall"

	"github.com/nvnodetop/nvnodetop/internal/reach"
)

// failures say what an error of a connection means.
var failures = []struct {
	is    func(error) bool
	class reach.Class
	short string
}{
	{func(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }, reach.ClassRefused, "connection refused"},
	{func(err error) bool {
		return errors.Is(err, syscall.EHOSTUNREACH) || errors.Is(err, syscall.ENETUNREACH)
	}, reach.ClassNoRoute, "no route to the host"},
	{isUnknown, reach.ClassUnknownHost, "unknown host"},
	{isTimeout, reach.ClassTimeout, "no answer"},
}

// failure classifies an error of a request.
func failure(err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	f := &reach.Failure{Class: reach.ClassOther, Short: "no answer from the agent",
		Hints: []string{"check that the agent runs on the node"}}
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		f.Cause = wrapped.Err.Error()
	}
	for _, known := range failures {
		if known.is(err) {
			f.Class, f.Short, f.Cause = known.class, known.short, ""
			break
		}
	}
	return f
}

func isUnknown(err error) bool {
	name, ok := errors.AsType[*net.DNSError](err)
	return ok && name.IsNotFound
}

func isTimeout(err error) bool {
	e, ok := errors.AsType[net.Error](err)
	return ok && e.Timeout()
}

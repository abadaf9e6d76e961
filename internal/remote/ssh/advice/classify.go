package advice

import (
	"errors"
	"io"
	"net"
	"strconv"
	"strings"
	"syscall"

	"github.com/nvnodetop/nvnodetop/internal/lib/text"
	"github.com/nvnodetop/nvnodetop/internal/remote"
	"github.com/nvnodetop/nvnodetop/internal/remote/hostkey"
	"github.com/nvnodetop/nvnodetop/internal/remote/link"
	"github.com/nvnodetop/nvnodetop/internal/remote/settings"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// Circumstances are what is known besides an error.
type Circumstances struct {
	Log      *remote.Log // nil: there is none
	User     string
	Peer     string               // "10.12.0.14:22"; empty: there was no connection
	Broken   error                // the error of the TCP connection
	Preamble string               // the node's output before SSH began
	Ignored  []string             // parts of the SSH configuration that are not supported
	Via      string               // jump host; empty: none
	Proxy    *settings.ProxyError // the end of the ProxyCommand; nil: there was none
}

// Explain classifies an error that is not classified yet, and adds hints for this door.
func (at *Circumstances) Explain(c *remote.Case, err error) {
	if c.Failure.Class == "" {
		if c.Stage == StageSSH && at.Preamble != "" {
			c.Say(at.Preamble)
		}
		known := ruleHostKey(c, err) || ruleAlgorithms(c, err) || ruleForward(at, c, err) || ruleProxy(at, c) ||
			ruleSession(at, c, err) || ruleShell(c, err) || ruleTimeout(at, c, err) || ruleLogin(at, c, err) ||
			ruleNetwork(c, err) || ruleClosed(at, c, err)
		if !known {
			c.Unknown(err)
		}
	}
	at.fillAdvice(c, err)
	if l, ok := errors.AsType[*LoginError](err); ok && at.Log != nil {
		at.Log.Fail(l.stepText(&c.Failure))
	}
}

func ruleHostKey(c *remote.Case, err error) bool {
	e, ok := errors.AsType[*hostkey.Error](err)
	if !ok {
		return false
	}
	c.Say("The host offers the " + strings.TrimSuffix(e.Offered, " certificate") + " key " + e.Fingerprint + ".")
	if e.Certificate != "" {
		c.Say("Its certificate is not valid: " + e.Certificate + ".")
	}
	switch {
	case e.Verdict == hostkey.Revoked:
		c.Is(reach.ClassHostKeyChanged, "host key revoked")
	case e.Verdict == hostkey.Changed:
		c.Is(reach.ClassHostKeyChanged, "host key changed")
	case e.Certificate != "":
		c.Is(reach.ClassHostKeyUnknown, "host certificate not valid")
		c.Failure.Cause = e.Certificate
	default:
		c.Is(reach.ClassHostKeyUnknown, "host key unknown")
	}
	return true
}

func ruleSession(at *Circumstances, c *remote.Case, err error) bool {
	session, ok := errors.AsType[*SessionError](err)
	if !ok || at.Broken != nil || isClosed(session.Err) {
		return false
	}
	c.Say(session.Err.Error())
	c.Is(reach.ClassDenied, "session refused after login")
	return true
}

// ruleShell handles a login shell that has ended without running our script.
func ruleShell(c *remote.Case, err error) bool {
	if !c.NotBegun(err) {
		return false
	}
	NoCommandRuns(c)
	return true
}

// NoCommandRuns classifies a login after which the node does not run our command.
func NoCommandRuns(c *remote.Case) {
	c.Is(reach.ClassDenied, "login accepted, but no command runs")
	c.Failure.Detail = ""
	c.Failure.Meaning = "The login shell has ended without running nvnodetop's command: a startup file of it exits, or " +
		"the account may run only something else (ForceCommand, sftp only, a menu)."
}

func ruleTimeout(at *Circumstances, c *remote.Case, err error) bool {
	if !remote.TimedOut(err) && !remote.TimedOut(at.Broken) {
		return false
	}
	switch c.Stage {
	case StageName:
		c.Is(reach.ClassUnknownHost, "name not resolved"+c.After())
	case StageTCP:
		c.Is(reach.ClassTimeout, "no response"+c.After())
		if at.Via != "" {
			c.Failure.Detail = "from " + at.Via
		}
	case StageSSH, StageHostKey:
		c.Is(reach.ClassFrozen, "sshd not responding"+c.After())
	case StageLogin:
		c.Is(reach.ClassLoginHangs, "login timed out"+c.After())
	default:
		if !c.Late() {
			c.Silent()
		}
	}
	return true
}

func ruleLogin(at *Circumstances, c *remote.Case, err error) bool {
	e, ok := errors.AsType[*LoginError](err)
	if !ok {
		return false
	}
	switch {
	case e.Question != "":
		c.Is(reach.ClassAuth, "login asks a question")
		c.Failure.Detail = strings.TrimRight(text.FirstLine(strings.TrimSpace(e.Question)), ": ")
	case e.Refused && e.Rejected():
		c.Is(reach.ClassAuth, "login refused")
		c.Failure.Detail = "answer not accepted"
	case e.Proven != "" && IsAdopt(c.Words):
		at.sayClosed(c)
		c.Is(reach.ClassAdopt, "login refused")
		c.Failure.Detail = "pam_slurm_adopt"
	case e.Proven != "" && !e.Rejected():
		at.sayClosed(c)
		c.Is(reach.ClassDenied, "login refused although the key was accepted")
	case e.Proven != "":
		c.Say("The node accepts: " + strings.Join(e.Methods, ", ") + ".")
		c.Is(reach.ClassAuth, "login refused")
		c.Failure.Detail = "key alone not sufficient"
	case e.Rejected():
		if strings.Contains(e.Error(), "ssh: disconnect") {
			c.Say(e.Error())
		}
		c.Is(reach.ClassAuth, "permission denied")
		c.Failure.Detail = strings.Join(e.Methods, ",")
		c.Say("Permission denied (" + c.Failure.Detail + ").")
		if len(e.Offered) > 0 {
			c.Say("Keys offered: " + strings.Join(e.Offered, ", ") + ".")
		}
	default:
		return false
	}
	return true
}

// IsAdopt recognizes the messages of pam_slurm_adopt and its predecessor pam_slurm. A banner that merely names the
// module does not count.
func IsAdopt(words string) bool {
	return strings.Contains(words, "denied by pam_slurm_adopt") ||
		strings.Contains(words, "no active jobs on this node")
}

func (at *Circumstances) sayClosed(c *remote.Case) {
	if host, port, err := net.SplitHostPort(at.Peer); err == nil {
		c.Say("Connection closed by " + host + " port " + port)
	}
}

func ruleNetwork(c *remote.Case, err error) bool {
	dns, isDNS := errors.AsType[*net.DNSError](err)
	switch {
	case isDNS:
		c.Say(dns.Error())
		c.Is(reach.ClassUnknownHost, "unknown host")
	case errors.Is(err, syscall.ECONNREFUSED):
		c.Say("Connection refused")
		c.Is(reach.ClassRefused, "connection refused")
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH), errors.Is(err, syscall.EHOSTDOWN):
		c.Say("No route to host")
		c.Is(reach.ClassNoRoute, "no route to host")
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE), errors.Is(err, syscall.EADDRNOTAVAIL):
		c.Say(err.Error())
		c.Is(reach.ClassLocal, "too many open files or connections on this host")
	default:
		return false
	}
	return true
}

func ruleClosed(at *Circumstances, c *remote.Case, err error) bool {
	if _, ended := errors.AsType[*link.EndError](err); !ended && !isClosed(err) && at.Broken == nil {
		return false
	}
	if at.Broken != nil && !errors.Is(at.Broken, io.EOF) && !errors.Is(at.Broken, net.ErrClosed) {
		c.Say(at.Broken.Error())
	}
	at.sayClosed(c)
	switch {
	case c.Stage == StageSSH:
		c.Is(reach.ClassClosed, "sshd closed the connection")
	case c.Stage == remote.StageProbe && IsAdopt(c.Words):
		c.Is(reach.ClassAdopt, "login refused")
		c.Failure.Detail = "pam_slurm_adopt"
	case at.Via != "":
		c.Is(reach.ClassClosed, "connection through "+at.Via+" closed")
	default:
		c.Is(reach.ClassClosed, "connection closed")
	}
	return true
}

func isClosed(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) ||
		errors.Is(err, syscall.EPIPE) || errors.Is(err, net.ErrClosed)
}

// stepText returns the text of the stage login after a failed login.
func (e *LoginError) stepText(f *reach.Failure) string {
	switch {
	case f.Class == reach.ClassAdopt:
		return "publickey accepted, then closed by PAM"
	case f.Class == reach.ClassDenied:
		return "publickey accepted, then closed"
	case f.Class != reach.ClassAuth || e.Proven != "" || e.Question != "" || e.Refused:
		return f.Summary()
	case e.Tried == 0:
		return "no key to offer"
	case e.Tried == 1:
		return "no key accepted (1 key tried)"
	}
	return "no key accepted (" + strconv.Itoa(e.Tried) + " keys tried)"
}

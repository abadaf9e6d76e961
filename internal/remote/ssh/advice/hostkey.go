package advice

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/remote/hostkey"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

const (
	whoAnswers = "The host was reinstalled, or something else is answering (possible man-in-the-middle)."
	acceptOnce = "log in once, verify the key's fingerprint and accept it: ssh NODE"
	askForAll  = "ask your admins for /etc/ssh/ssh_known_hosts with the keys of all nodes"
)

// adviseHostKey explains a host that is not trusted.
func adviseHostKey(f *reach.Failure, e *hostkey.Error) {
	switch e.Verdict {
	case hostkey.Revoked:
		f.Meaning = "The host's key is revoked: do not trust this host."
		f.Hints = []string{"ask your admins about NODE first; the key is revoked by " + fileAndLine(e)}
	case hostkey.Changed:
		adviseChanged(f, e)
	default:
		adviseUnknown(f, e)
	}
}

func fileAndLine(e *hostkey.Error) string { return fmt.Sprintf("%s:%d", e.File, e.Line) }

func adviseChanged(f *reach.Failure, e *hostkey.Error) {
	f.Meaning = "The host key has changed. " + whoAnswers
	if offered := strings.TrimSuffix(e.Offered, " certificate"); e.Known != offered {
		f.Meaning = fmt.Sprintf("The host offers a new key type (%s; known_hosts has %s). %s", offered, e.Known,
			whoAnswers)
	}
	f.Hints = []string{"ask your admins whether NODE's key was changed (known: " + fileAndLine(e) + ")"}
	if hostkey.IsOtherHost(e.File) {
		f.Hints = append(f.Hints, fmt.Sprintf("if so, on the login host: ssh-keygen -R %q", e.Listed))
		return
	}
	if strings.HasPrefix(e.File, "/etc/") {
		f.Hints = append(f.Hints, "if so, they must update that file")
		return
	}
	f.Hints = append(f.Hints, fmt.Sprintf("if so: ssh-keygen -f %q -R %q; ssh NODE", e.File, e.Listed))
}

func adviseUnknown(f *reach.Failure, e *hostkey.Error) {
	accept := acceptOnce
	switch {
	case len(e.Principals) > 0 && strings.HasPrefix(e.Certificate, hostkey.OtherName):
		f.Meaning = "The host's certificate is for other names, and its plain key is in no known_hosts file."
		f.Hints = append(f.Hints, "set HostName or HostKeyAlias in ~/.ssh/config to a name of the certificate: "+
			strings.Join(e.Principals, ", "))
	case e.Certificate != "":
		f.Meaning = "The host's certificate is not valid, and its plain key is in no known_hosts file."
		f.Hints = append(f.Hints, "report it to your admins: the host certificate of NODE is not valid: "+e.Certificate)
	case strings.HasSuffix(e.Offered, " certificate"):
		f.Meaning = "Neither the host's key nor the authority of its certificate is in a known_hosts file, so its " +
			"identity cannot be verified."
	}
	if keepsNothing(e.Files) {
		f.Meaning = "The ssh configuration keeps no host keys (UserKnownHostsFile), so the host's identity cannot be " +
			"verified. nvnodetop always checks it."
		accept = fmt.Sprintf("set UserKnownHostsFile ~/.ssh/known_hosts for NODE in ~/.ssh/config, then add its key: "+
			"ssh-keyscan -H %s >> ~/.ssh/known_hosts", keyscanArguments(e.Listed))
	}
	f.Hints = append(f.Hints, accept, askForAll)
	for _, u := range e.Unread[:min(len(e.Unread), 2)] {
		f.Hints = append(f.Hints, "not read: "+u)
	}
}

// keyscanArguments returns the arguments for ssh-keyscan.
func keyscanArguments(listed string) string {
	h := hostkey.HostOf(listed)
	if h.Port == "" {
		return h.Name
	}
	return "-p " + h.Port + " " + h.Name
}

// keepsNothing reports whether none of the user's own files may hold a key.
func keepsNothing(files []string) bool {
	return !slices.ContainsFunc(files, func(f string) bool {
		return f != "/dev/null" &&
			!strings.HasPrefix(f, "/etc/")
	})
}

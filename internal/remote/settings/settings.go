// Package settings finds the settings with which ssh would connect to a node: name, user, port, keys, known hosts,
// proxies. It also runs a ProxyCommand.
//
// It asks `ssh -G`, so that every Match, token and default is OpenSSH's own. One question serves all nodes to which the
// same blocks of the configuration apply; each node needs a question of its own only if a Match depends on more than
// names. If ssh is missing or does not answer, this package reads the files itself, and Settings.Ignored lists the
// lines that it did not understand.
//
// Any number of goroutines may use a Source. For returns soon after its context ends, unless the file system with the
// configuration hangs. Changed files are noticed within two seconds. At most four ssh processes run at a time, each for
// at most 5 s. A hung ssh costs one wait, not one for each node: for the next minute this package reads the files
// itself.
package settings

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode"

	"github.com/nvnodetop/nvnodetop/internal/remote"
)

// Settings says how ssh would connect to a node. Paths have no tokens left.
type Settings struct {
	Node                 string // the name asked for
	HostName, Port, User string
	Alias                string   // HostKeyAlias; empty: none
	IdentityFiles        []string // empty: no key files, only an agent
	DefaultIdentities    bool     // IdentityFiles are OpenSSH's defaults: most do not exist
	CertificateFiles     []string // empty: those beside the identity files
	IdentitiesOnly       bool
	Agent                string   // socket, "none", or empty for $SSH_AUTH_SOCK
	KnownHosts           []string // the user's, then the system's
	KnownHostsCommand    string   // run only by OpenSSH; empty: none
	RevokedKeys          string   // RevokedHostKeys; empty: none
	ProxyJump            string   // empty: none; at most one of ProxyJump and ProxyCommand is set
	ProxyCommand         string   // with its tokens: see Expand
	ControlPath          string   // empty: none

	// Algorithms that ssh accepts, in its order; nil: not known.
	HostKeyAlgorithms, CASignatureAlgorithms, KexAlgorithms, Ciphers, MACs, PubkeyAcceptedAlgorithms []string

	RequiredRSASize int // size in bits of the smallest RSA key that ssh accepts; 0: not known

	NoKeys                     bool          // PubkeyAuthentication no
	AddressFamily              string        // "inet", "inet6", or empty for any
	BindAddress, BindInterface string        // to connect from; empty: any
	ConnectTimeout             time.Duration // 0: none is set
	RekeyLimit                 uint64        // bytes; 0: none is set

	Ignored []string // parts of the configuration that could not be evaluated

	tokens map[byte]string
}

// Expand replaces the tokens (%h, %p, …) in a command. Its variables are for the shell.
func (s *Settings) Expand(command string) string { return expandPercents(command, s.tokens) }

// KeyAddress returns the address under which known_hosts files list the host: a HostKeyAlias has no port.
func (s *Settings) KeyAddress() string {
	if s.Alias != "" {
		return net.JoinHostPort(s.Alias, "22")
	}
	return net.JoinHostPort(s.HostName, s.Port)
}

// Config tells a Source where to look.
type Config struct {
	Home, User string // of this process
	Program    string // path of OpenSSH's ssh; empty: there is none
	File       string // replaces the user's and the system's configuration, like ssh -F; empty: neither is replaced
}

// Source knows the settings of every node.
type Source struct {
	cfg      Config
	system   string                    // the system's configuration
	asking   chan struct{}             // limits how many ssh processes run
	patience time.Duration             // for one ssh
	hung     atomic.Pointer[time.Time] // when an ssh last took longer than patience

	mu     sync.Mutex
	readAt time.Time
	files  *files
}

// New returns a Source. It reads and runs nothing yet.
func New(cfg Config) *Source {
	return &Source{cfg: cfg, system: "/etc/ssh/ssh_config", asking: make(chan struct{}, askers), patience: askTime}
}

// For returns the settings of a node. They do not include StrictHostKeyChecking: an unknown host key is always a
// failure. The error is a *remote.LocalError if ssh refuses the configuration, or the name.
func (s *Source) For(ctx context.Context, node string) (*Settings, error) {
	if !isName(node) {
		return nil, &remote.LocalError{What: "invalid host name", Err: fmt.Errorf("%.80q", node)}
	}
	o, ignored, err := s.nodeOptions(ctx, s.currentFiles(), node)
	if err != nil {
		return nil, err
	}
	t, err := s.newSettings(node, o)
	if err != nil {
		return nil, &remote.LocalError{What: "ssh configuration of " + node, Err: err}
	}
	t.Ignored = slices.Concat(ignored, o.onlyOpenSSH())
	return t, nil
}

// isName reports whether ssh accepts a name. Other names could act as commands in the shell of a ProxyCommand, act as
// options of a program, or lead a path elsewhere. OpenSSH rejects them only since 9.6, and not where its answer about
// one node serves another.
func isName(node string) bool {
	return node != "" && len(node) <= maxName && node[0] != '-' && !strings.ContainsFunc(node, func(r rune) bool {
		return strings.ContainsRune("'`\"$\\;&<>|(){},/", r) || unicode.IsSpace(r) || unicode.IsControl(r)
	})
}

// maxName is longer than any name that DNS allows.
const maxName = 255

// life is long enough that 64 nodes cost one reading of the files, and short enough that the next attempt sees a
// correction.
const life = 2 * time.Second

// currentFiles returns the content of the files. While the content does not change, neither does the object, and its
// answers stay.
func (s *Source) currentFiles() *files {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.files == nil || time.Since(s.readAt) > life {
		f := s.readFiles()
		if s.files == nil || !slices.Equal(f.sum.Sum(nil), s.files.sum.Sum(nil)) {
			s.files = f
		}
		s.readAt = time.Now()
	}
	return s.files
}

// defaultKeys are OpenSSH's default key files, the cheapest to verify first.
var defaultKeys = []string{"~/.ssh/id_ed25519", "~/.ssh/id_ecdsa", "~/.ssh/id_rsa", "~/.ssh/id_ed25519_sk",
	"~/.ssh/id_ecdsa_sk"}

// newSettings makes Settings of options in the shape of `ssh -G`.
func (s *Source) newSettings(node string, o options) (*Settings, error) {
	t := &Settings{
		Node: node, HostName: o.firstValue("hostname"), Port: o.firstValue("port"), User: o.firstValue("user"),
		Alias:          strings.ToLower(o.firstValue("hostkeyalias")),
		IdentitiesOnly: o.isYes("identitiesonly"), ProxyJump: o.valueUnlessNone("proxyjump"),
		ProxyCommand:          o.valueUnlessNone("proxycommand"),
		tokens:                s.tokenValues(o, node),
		HostKeyAlgorithms:     listAlgorithms(o, "hostkeyalgorithms"),
		CASignatureAlgorithms: listAlgorithms(o, "casignaturealgorithms"),
	}
	if n, err := strconv.ParseUint(t.Port, 10, 16); err != nil || n == 0 {
		return nil, fmt.Errorf("invalid Port %q", t.Port)
	}
	t.RequiredRSASize, _ = strconv.Atoi(o.firstValue("requiredrsasize")) // since OpenSSH 9.1
	t.setConnection(o)
	if t.HostName == "" || strings.ContainsAny(t.HostName, " \t\n/") {
		return nil, fmt.Errorf("invalid HostName %q", t.HostName)
	}
	t.DefaultIdentities = isDefault(o["identityfile"])
	t.KnownHosts = slices.Concat(s.expandPaths(withoutNone(o["userknownhostsfile"]), t.tokens),
		s.expandPaths(withoutNone(o["globalknownhostsfile"]), nil))
	t.KnownHostsCommand = o.valueUnlessNone("knownhostscommand")
	t.IdentityFiles, t.CertificateFiles = s.expandPaths(withoutNone(o["identityfile"]), t.tokens),
		s.expandPaths(withoutNone(o["certificatefile"]), t.tokens)
	if t.DefaultIdentities {
		t.IdentityFiles = s.expandPaths(defaultKeys, nil)
	}
	if revoked := o.valueUnlessNone("revokedhostkeys"); revoked != "" {
		t.RevokedKeys = s.expandPath(revoked, t.tokens)
	}
	if control := o.valueUnlessNone("controlpath"); control != "" {
		t.ControlPath = s.expandPath(control, t.tokens)
	}
	t.Agent = agentSocket(s.expandPath(o.firstValue("identityagent"), t.tokens))
	return t, nil
}

// listAlgorithms returns the list of an option; a list from the files that modifies OpenSSH's, such as "+ssh-rsa", is
// unknown.
func listAlgorithms(o options, key string) []string {
	v := o.firstValue(key)
	if v == "" || strings.ContainsAny(v, "*?!") || strings.ContainsAny(v[:1], "+-^") {
		return nil
	}
	return strings.Split(v, ",")
}

// withoutNone returns the paths without "none".
func withoutNone(paths []string) []string {
	return slices.DeleteFunc(slices.Clone(paths), func(p string) bool { return strings.EqualFold(p, "none") })
}

// isDefault recognizes the list that ssh prints if there is no IdentityFile in the configuration. The list differs
// between versions.
func isDefault(identityFiles []string) bool {
	return len(identityFiles) >= 4 && !slices.ContainsFunc(identityFiles, func(f string) bool {
		return filepath.Dir(f) != "~/.ssh" || !strings.HasPrefix(filepath.Base(f), "id_")
	})
}

func agentSocket(value string) string {
	switch {
	case value == "" || value == "SSH_AUTH_SOCK":
		return ""
	case strings.EqualFold(value, "none"):
		return "none"
	case strings.HasPrefix(value, "$"):
		return cmp.Or(os.Getenv(strings.Trim(value[1:], "{}")), "none")
	default:
		return value
	}
}

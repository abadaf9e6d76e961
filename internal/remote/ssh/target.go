package ssh

import (
	"cmp"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/remote"
)

// target is the SSH configuration of one node.
type target struct {
	node, hostName, port, user string
	identityFiles              []string // empty: OpenSSH's defaults
	certificateFiles           []string
	identitiesOnly             bool
	agent                      string // socket, "none", or empty for $SSH_AUTH_SOCK
	knownHosts                 []string
	alias                      string   // HostKeyAlias
	ignored                    []string // parts of the configuration that are not supported
}

// keyAddress returns the name of the host in known_hosts.
func (t *target) keyAddress() string {
	if t.alias != "" {
		return net.JoinHostPort(t.alias, "22") // OpenSSH stores an alias without a port
	}
	return net.JoinHostPort(strings.ToLower(t.hostName), t.port)
}

// unsupported lists options with which a direct connection would differ from the configured one, or be less secure.
var unsupported = []struct{ key, hint string }{
	{"ProxyJump", "run nvnodetop on the ProxyJump host"},
	{"ProxyCommand", "run nvnodetop on a host that can reach the nodes directly"},
	{"RevokedHostKeys", "put revoked keys into known_hosts with @revoked"},
}

// target reads the configuration for node. It ignores StrictHostKeyChecking: an unknown host key is always a failure.
func (d *Door) target(node string) (*target, error) {
	cfg := d.config.get()
	for _, u := range unsupported {
		if v := cfg.first(node, u.key); v != "" && !strings.EqualFold(v, "none") {
			return nil, &remote.LocalError{What: "ssh configuration of " + node, Err: fmt.Errorf("%s %s is not supported", u.key, v), Hints: []string{u.hint}}
		}
	}
	t := &target{node: node, ignored: cfg.ignored}
	t.port = cmp.Or(cfg.first(node, "Port"), "22")
	if n, err := strconv.ParseUint(t.port, 10, 16); err != nil || n == 0 {
		return nil, &remote.LocalError{What: "ssh configuration of " + node, Err: fmt.Errorf("invalid Port %q", t.port)}
	}
	t.user = cmp.Or(cfg.first(node, "User"), d.user)
	t.alias = cfg.first(node, "HostKeyAlias")
	t.hostName = expandTokens(cmp.Or(cfg.first(node, "HostName"), node), map[byte]string{'h': node})
	if t.hostName == "" || strings.ContainsAny(t.hostName, " \t\n/") {
		return nil, &remote.LocalError{What: "ssh configuration of " + node, Err: fmt.Errorf("invalid HostName %q", t.hostName)}
	}
	tokens := map[byte]string{'h': t.hostName, 'n': node, 'p': t.port, 'r': t.user, 'u': d.user, 'd': d.home, 'i': fmt.Sprint(os.Getuid()), 'k': cmp.Or(t.alias, node)}
	path := func(s string) string { return d.path(expandTokens(s, tokens)) }
	for _, f := range cfg.all(node, "IdentityFile") {
		if !strings.EqualFold(f, "none") {
			t.identityFiles = append(t.identityFiles, path(f))
		}
	}
	for _, f := range cfg.all(node, "CertificateFile") {
		t.certificateFiles = append(t.certificateFiles, path(f))
	}
	t.identitiesOnly = strings.EqualFold(cfg.first(node, "IdentitiesOnly"), "yes")
	t.agent = d.agentSocket(cfg.first(node, "IdentityAgent"), path)
	t.knownHosts = d.knownHostsFiles(cfg, node, path)
	return t, nil
}

func (d *Door) agentSocket(value string, path func(string) string) string {
	switch {
	case value == "" || value == "SSH_AUTH_SOCK":
		return ""
	case strings.EqualFold(value, "none"):
		return "none"
	case strings.HasPrefix(value, "$"):
		return cmp.Or(os.Getenv(strings.Trim(value[1:], "{}")), "none")
	default:
		return path(value)
	}
}

func (d *Door) knownHostsFiles(cfg *sshConfig, node string, path func(string) string) []string {
	var files []string
	for _, o := range []struct{ key, preset string }{
		{"UserKnownHostsFile", "~/.ssh/known_hosts ~/.ssh/known_hosts2"},
		{"GlobalKnownHostsFile", "/etc/ssh/ssh_known_hosts /etc/ssh/ssh_known_hosts2"},
	} {
		for _, f := range splitWords(cmp.Or(cfg.first(node, o.key), o.preset)) {
			if !strings.EqualFold(f, "none") {
				files = append(files, path(f))
			}
		}
	}
	return files
}

// path makes a path from the configuration absolute.
func (d *Door) path(p string) string {
	if p == "~" {
		return d.home
	}
	if rest, ok := strings.CutPrefix(p, "~/"); ok {
		return filepath.Join(d.home, rest)
	}
	return p
}

// token is %x, or ${NAME}.
var token = regexp.MustCompile(`(?s)%.|\$\{[^}]*\}`)

// expandTokens replaces each %x that is in values, and ${NAME} by the environment variable.
func expandTokens(s string, values map[byte]string) string {
	return token.ReplaceAllStringFunc(s, func(t string) string {
		if name, ok := strings.CutPrefix(t, "${"); ok {
			return os.Getenv(strings.TrimSuffix(name, "}"))
		}
		if v, ok := values[t[1]]; ok {
			return v
		}
		return strings.Replace(t, "%%", "%", 1)
	})
}

// word is a run of non-blanks, with blanks allowed in double quotes; the last quote may be missing.
var word = regexp.MustCompile(`(?:[^ \t"]|"[^"]*"?)+`)

// splitWords splits a value at white space outside double quotes.
func splitWords(s string) []string {
	words := word.FindAllString(s, -1)
	for i, w := range words {
		words[i] = strings.ReplaceAll(w, `"`, "")
	}
	return words
}

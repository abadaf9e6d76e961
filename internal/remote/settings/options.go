package settings

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha1" //nolint:gosec // OpenSSH's %C is one
	"encoding/hex"
	"maps"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// options holds the values of each option, in the form in which `ssh -G` prints them: lower-case names, values without
// quotes.
type options map[string][]string

// lists are options whose values are all on one line.
var lists = map[string]bool{"userknownhostsfile": true, "globalknownhostsfile": true}

// commands are options whose value is the rest of the line.
var commands = map[string]bool{"proxycommand": true, "knownhostscommand": true, "localcommand": true,
	"remotecommand": true, "rekeylimit": true}

// addLine adds a line of a file. Of all ProxyJump and ProxyCommand lines only the first counts.
func (o options) addLine(key, value string) {
	words := splitWords(value)
	switch {
	case len(words) == 0,
		key == "proxyjump" && o["proxycommand"] != nil, key == "proxycommand" && o["proxyjump"] != nil:
	case lists[key]:
		if o[key] == nil {
			o[key] = words
		}
	case commands[key]:
		o[key] = append(o[key], value)
	default:
		o[key] = append(o[key], words[0])
	}
}

// parseOptions reads the output of `ssh -G`.
func parseOptions(text []byte) options {
	o := options{}
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		key, value, ok := strings.Cut(lines.Text(), " ")
		switch {
		case !ok:
		case lists[key]:
			o[key] = splitPaths(value)
		default:
			o[key] = append(o[key], value)
		}
	}
	return o
}

// splitPaths splits a list that is printed without quotes: a word that does not look like the beginning of a path
// belongs to the path before it.
func splitPaths(list string) []string {
	var out []string
	for word := range strings.FieldsSeq(list) {
		if len(out) > 0 && !strings.HasPrefix(word, "/") && !strings.HasPrefix(word, "~") {
			out[len(out)-1] += " " + word
		} else {
			out = append(out, word)
		}
	}
	return out
}

// firstValue returns the value of an option whose first value counts; empty: it is not set.
func (o options) firstValue(key string) string {
	if len(o[key]) == 0 {
		return ""
	}
	return o[key][0]
}

// valueUnlessNone returns the value of an option; empty if it is "none".
func (o options) valueUnlessNone(key string) string {
	if v := o.firstValue(key); !strings.EqualFold(v, "none") {
		return v
	}
	return ""
}

func (o options) isYes(key string) bool {
	v := o.firstValue(key)
	return strings.EqualFold(v, "yes") || strings.EqualFold(v, "true")
}

// hostName returns the name to look up. Like OpenSSH it changes the name to lower case, and shortens an address.
func (o options) hostName(node string) string {
	name := strings.ToLower(expandTokens(cmp.Or(o.firstValue("hostname"), node), map[byte]string{'h': node}))
	if addr, err := netip.ParseAddr(name); err == nil {
		return addr.String()
	}
	return name
}

// expanded are the options that `ssh -G` prints with their tokens replaced; old versions replace tokens only in some.
var expanded = []string{"hostname", "userknownhostsfile", "controlpath", "identityagent"}

// resolveOptions completes the options from the files, as `ssh -G` does.
func (s *Source) resolveOptions(raw options, node string) options {
	o := s.addDefaults(raw, node)
	tokens := s.tokenValues(o, node)
	for _, key := range expanded {
		o[key] = s.expandPaths(o[key], tokens)
	}
	return o
}

// addDefaults adds OpenSSH's defaults to the options.
func (s *Source) addDefaults(raw options, node string) options {
	o := maps.Clone(raw)
	port := cmp.Or(raw.firstValue("port"), "22")
	if n, err := net.DefaultResolver.LookupPort(context.Background(), "tcp", port); err == nil {
		port = strconv.Itoa(n)
	}
	o["hostname"], o["port"], o["user"] = []string{raw.hostName(node)}, []string{port},
		[]string{cmp.Or(raw.firstValue("user"), s.cfg.User)}
	for key, preset := range map[string][]string{
		"userknownhostsfile":   {"~/.ssh/known_hosts", "~/.ssh/known_hosts2"},
		"globalknownhostsfile": {"/etc/ssh/ssh_known_hosts", "/etc/ssh/ssh_known_hosts2"},
		"identityfile":         defaultKeys,
	} {
		if o[key] == nil {
			o[key] = preset
		}
	}
	return o
}

// tokenValues returns the values of the tokens %x.
func (s *Source) tokenValues(o options, node string) map[byte]string {
	host, port, user, jump := o.firstValue("hostname"), o.firstValue("port"), o.firstValue("user"),
		o.valueUnlessNone("proxyjump")
	local, _ := os.Hostname()
	short, _, _ := strings.Cut(local, ".")
	sum := sha1.Sum([]byte(local + host + port + user + jump)) //nolint:gosec // OpenSSH's definition
	return map[byte]string{
		'C': hex.EncodeToString(sum[:]), 'd': s.cfg.Home, 'h': host, 'i': strconv.Itoa(os.Getuid()), 'j': jump,
		'k': cmp.Or(strings.ToLower(o.firstValue("hostkeyalias")), node), 'L': short, 'l': local, 'n': node, 'p': port,
		'r': user, 'u': s.cfg.User,
	}
}

func (s *Source) expandPaths(all []string, tokens map[byte]string) []string {
	var out []string
	for _, p := range all {
		out = append(out, s.expandPath(p, tokens))
	}
	return out
}

// expandPath expands a path from the configuration.
func (s *Source) expandPath(p string, tokens map[byte]string) string {
	p = expandTokens(p, tokens)
	if p == "~" {
		return s.cfg.Home
	}
	if rest, ok := strings.CutPrefix(p, "~/"); ok {
		return filepath.Join(s.cfg.Home, rest)
	}
	return p
}

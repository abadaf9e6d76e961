package settings

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kevinburke/ssh_config"
)

// files is the configuration from several files, in order of precedence.
//
// The library rejects a whole file, and every file that includes it, for one Match that it does not support; Red Hat's
// system configuration has one. So a file is split here: an Include is replaced by the named files, an unsupported
// Match becomes a block that applies to no host, and a line that the library rejects is dropped. ignored lists
// everything dropped.
type files struct {
	parts   []configPart
	ignored []string
	each    bool      // a Match depends on more than is known here, so each node may have options of its own
	sum     hash.Hash // of everything that was read
	answers answers   // of ssh, with this configuration
}

// configPart is a piece of a file.
type configPart struct {
	guards []guard // blocks around it: all must match
	blocks []hostBlock
}

// hostBlock is a Host with its lines.
type hostBlock struct {
	host  *ssh_config.Host
	lines []optionLine
}

type optionLine struct{ key, value string }

// guard is a block that applies to some nodes.
type guard struct {
	host     *ssh_config.Host
	resolved bool // compare with HostName, not with the name asked for
}

// nodeOptions returns the options for a node, and a key that is the same for all nodes to which the same blocks apply.
func (c *files) nodeOptions(node string) (o options, blocks string) {
	o = options{}
	var applied []byte
	for _, p := range c.parts {
		applies := p.appliesTo(node, o)
		for _, b := range p.blocks {
			if !applies || !b.host.Matches(node) {
				applied = append(applied, '0')
				continue
			}
			applied = append(applied, '1')
			for _, l := range b.lines {
				o.addLine(l.key, l.value)
			}
		}
	}
	return o, string(applied)
}

func (p configPart) appliesTo(node string, before options) bool {
	return !slices.ContainsFunc(p.guards, func(g guard) bool {
		if g.resolved {
			return !g.host.Matches(before.hostName(node))
		}
		return !g.host.Matches(node)
	})
}

// readFiles reads the user's and the system's configuration, or the one file that replaces them.
func (s *Source) readFiles() *files {
	c := &files{sum: sha256.New()}
	user := filepath.Join(s.cfg.Home, ".ssh")
	names := []string{filepath.Join(user, "config"), s.system}
	if s.cfg.File != "" {
		names = []string{s.cfg.File}
	}
	for i, name := range names {
		r := configReader{out: c, dir: user, home: s.cfg.Home}
		if i > 0 {
			r.dir = filepath.Dir(name)
		}
		r.readFile(name, nil, 0)
	}
	return c
}

// maxIncludes is OpenSSH's limit on nesting.
const maxIncludes = 16

var errNesting = errors.New("too many nested Includes")

// configReader reads one file and its includes.
type configReader struct {
	out  *files
	dir  string // relative Includes start here
	home string
}

func (r *configReader) ignoreLine(file string, line int, format string, args ...any) {
	r.out.ignored = append(r.out.ignored, fmt.Sprintf("%s line %d: ", file, line)+fmt.Sprintf(format, args...))
}

func (r *configReader) readFile(name string, guards []guard, depth int) {
	data, err := os.ReadFile(name)
	fmt.Fprintf(r.out.sum, "%q %q %v\n", name, data, err)
	if err != nil {
		if !os.IsNotExist(err) {
			r.out.ignored = append(r.out.ignored, err.Error())
		}
		return
	}
	r.readText(name, data, guards, depth)
}

// readText splits data at its Includes, and at each Match that looks at the HostName set so far.
func (r *configReader) readText(name string, data []byte, guards []guard, depth int) {
	header, around := "", guards // of the current block
	var text bytes.Buffer        // input for the library
	flush := func() {
		r.addPart(text.Bytes(), around)
		text.Reset()
	}
	number := 0
	for line := range bytes.Lines(bytes.ToValidUTF8(data, []byte("?"))) {
		number++
		option := strings.TrimRight(string(line), "\r\n")
		key, value := splitOption(option)
		switch key {
		case "host":
			flush()
			header, around = r.acceptLine(name, number, "Host "+value), guards
			text.WriteString(header)
		case "match":
			flush()
			var resolved []guard
			header, resolved = r.match(name, number, value)
			around = slices.Concat(guards, resolved)
			text.WriteString(header)
		case "include":
			flush()
			if depth == maxIncludes {
				r.ignoreLine(name, number, "%v", errNesting)
			} else {
				r.readIncludes(name, number, value, slices.Concat(around, guardOf(header, false)), depth)
			}
			text.WriteString(header)
		default:
			text.WriteString(r.acceptLine(name, number, option))
		}
	}
	flush()
}

// acceptLine returns the line for the library; empty if the library rejects it.
func (r *configReader) acceptLine(name string, number int, text string) string {
	text = strings.ReplaceAll(text, "\r", " ") + "\n"
	if _, err := decodeConfig([]byte(text)); err != nil {
		r.ignoreLine(name, number, "line not understood: %q", strings.TrimSpace(text))
		if strings.HasPrefix(text, "Host ") {
			return noHost
		}
		return ""
	}
	return text
}

// Blocks that apply to every host, and to none.
const (
	anyHost = "Host *\n"
	noHost  = "Host !*\n"
)

// match converts a Match to an equivalent Host, or to a guard. A Match that cannot be evaluated here applies to no
// host.
func (r *configReader) match(name string, number int, value string) (header string, guards []guard) {
	words := splitWords(strings.ReplaceAll(value, "=", " "))
	criterion := ""
	if len(words) > 0 {
		criterion = strings.ToLower(words[0])
	}
	if len(words) == 1 && criterion == "all" {
		return anyHost, nil
	}
	if len(words) == 2 && (criterion == "host" || criterion == "originalhost") {
		header = r.acceptLine(name, number, "Host "+strings.ReplaceAll(words[1], ",", " "))
		if criterion == "host" {
			return anyHost, guardOf(header, true)
		}
		return header, nil
	}
	r.ignoreLine(name, number, "Match %s is not supported", value)
	r.out.each = r.out.each || !isSameForAll(words)
	return noHost, nil
}

// isSameForAll reports whether the criteria of a Match give the same result for any two nodes to which the same blocks
// apply.
func isSameForAll(criteria []string) bool {
	for i := 0; i < len(criteria); i++ {
		switch strings.ToLower(criteria[i]) {
		case "all", "final", "canonical":
		case "user", "localuser", "tagged":
			i++ // its argument
		default:
			return false
		}
	}
	return true
}

func (r *configReader) readIncludes(name string, number int, value string, guards []guard, depth int) {
	for _, pattern := range splitWords(value) {
		if rest, ok := strings.CutPrefix(pattern, "~/"); ok {
			pattern = filepath.Join(r.home, rest)
		}
		if !filepath.IsAbs(pattern) {
			pattern = filepath.Join(r.dir, pattern)
		}
		found, err := filepath.Glob(pattern)
		if err != nil {
			r.ignoreLine(name, number, "Include %s: %v", pattern, err)
		}
		for _, f := range found {
			r.readFile(f, guards, depth+1)
		}
	}
}

func (r *configReader) addPart(text []byte, guards []guard) {
	cfg, err := decodeConfig(text)
	if err != nil {
		r.out.ignored = append(r.out.ignored, err.Error())
		return
	}
	p := configPart{guards: guards}
	for _, h := range cfg.Hosts {
		b := hostBlock{host: h}
		for _, n := range h.Nodes {
			if kv, ok := n.(*ssh_config.KV); ok {
				key, value := splitOption(kv.String()) // Value has lost some quotes
				b.lines = append(b.lines, optionLine{key: key, value: value})
			}
		}
		p.blocks = append(p.blocks, b)
	}
	r.out.parts = append(r.out.parts, p)
}

// guardOf returns the guard for a header line; none for the beginning of a file, which applies to every host.
func guardOf(header string, resolved bool) []guard {
	cfg, err := decodeConfig([]byte(header))
	if err != nil || len(cfg.Hosts) < 2 {
		return nil
	}
	return []guard{{host: cfg.Hosts[1], resolved: resolved}}
}

// decodeConfig calls the library, and catches its panics.
func decodeConfig(text []byte) (cfg *ssh_config.Config, err error) {
	defer func() {
		if p := recover(); p != nil {
			cfg, err = nil, fmt.Errorf("ssh configuration: %v", p)
		}
	}()
	return ssh_config.DecodeBytes(text)
}

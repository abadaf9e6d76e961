package ssh

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/kevinburke/ssh_config"
)

// configCache caches the parsed configuration for a moment: long enough that 64 nodes cost one read, short enough that the next attempt sees a
// correction.
type configCache struct {
	files []string
	home  string

	mu   sync.Mutex
	read time.Time
	cfg  *sshConfig
}

// configLife is how long a configuration is cached.
const configLife = 2 * time.Second

func (c *configCache) get() *sshConfig {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cfg == nil || time.Since(c.read) > configLife {
		c.cfg, c.read = readConfig(c.files, c.home), time.Now()
	}
	return c.cfg
}

// sshConfig is the configuration from several files, in order of precedence.
//
// The library rejects a whole file, and every file that includes it, for one Match that it does not support; Red Hat's system configuration has
// one. So a file is split here: an Include is replaced by the named files, an unsupported Match becomes a block that applies to no host, and
// a line that the library rejects is dropped. ignored lists everything dropped.
type sshConfig struct {
	parts   []configPart
	ignored []string
}

// configPart is the part of a file between two Includes.
type configPart struct {
	guards []*ssh_config.Host // blocks around the Include that led here: all must match
	cfg    *ssh_config.Config
}

// first returns the first value of key for host; empty: there is none.
func (c *sshConfig) first(host, key string) string {
	return append(c.all(host, key), "")[0]
}

// all returns the values of key for host, in order.
func (c *sshConfig) all(host, key string) []string {
	var values []string
	for _, p := range c.parts {
		if p.applies(host) {
			vs, err := p.cfg.GetAll(host, key)
			if err == nil {
				values = append(values, vs...)
			}
		}
	}
	return values
}

func (p configPart) applies(host string) bool {
	for _, g := range p.guards {
		if !g.Matches(host) {
			return false
		}
	}
	return true
}

func readConfig(files []string, home string) *sshConfig {
	c := &sshConfig{}
	for _, f := range files {
		r := configReader{out: c, dir: filepath.Dir(f), home: home}
		r.file(f, nil, 0)
	}
	return c
}

// maxIncludes is OpenSSH's limit on nesting.
const maxIncludes = 16

var errNesting = errors.New("too many nested Includes")

// configReader reads one file and what it includes.
type configReader struct {
	out  *sshConfig
	dir  string // relative Includes start here
	home string
}

func (r *configReader) ignore(file string, line int, format string, args ...any) {
	r.out.ignored = append(r.out.ignored, fmt.Sprintf("%s line %d: ", file, line)+fmt.Sprintf(format, args...))
}

func (r *configReader) file(name string, guards []*ssh_config.Host, depth int) {
	data, err := os.ReadFile(name)
	if err != nil {
		if !os.IsNotExist(err) {
			r.out.ignored = append(r.out.ignored, err.Error())
		}
		return
	}
	r.text(name, data, guards, depth)
}

// text splits data at its Includes.
func (r *configReader) text(name string, data []byte, guards []*ssh_config.Host, depth int) {
	header := ""          // of the current block
	var part bytes.Buffer // input for the library
	flush := func() {
		r.part(part.Bytes(), guards)
		part.Reset()
		part.WriteString(header)
	}
	number := 0
	for line := range bytes.Lines(bytes.ToValidUTF8(data, []byte("?"))) {
		number++
		text := strings.TrimRight(string(line), "\r\n")
		key, value := splitOption(text)
		switch key {
		case "host":
			header = r.accept(name, number, "Host "+value)
			part.WriteString(header)
		case "match":
			header = r.match(name, number, value)
			part.WriteString(header)
		case "include":
			flush()
			if depth == maxIncludes {
				r.ignore(name, number, "%v", errNesting)
				continue
			}
			r.include(name, number, value, append(guards[:len(guards):len(guards)], block(header)...), depth)
		default:
			part.WriteString(r.accept(name, number, text))
		}
	}
	flush()
}

// accept returns the line for the library, or nothing if it rejects the line.
func (r *configReader) accept(name string, number int, text string) string {
	text = strings.ReplaceAll(text, "\r", " ") + "\n"
	if _, err := decode([]byte(text)); err != nil {
		r.ignore(name, number, "line not understood: %q", strings.TrimSpace(text))
		if strings.HasPrefix(text, "Host ") {
			return noHost
		}
		return ""
	}
	return text
}

// noHost is a block that applies to no host.
const noHost = "Host !*\n"

// match converts a Match to an equivalent Host. A Match on more than the host name applies to no host.
func (r *configReader) match(name string, number int, value string) string {
	words := splitWords(value)
	switch {
	case len(words) == 1 && strings.EqualFold(words[0], "all"):
		return "Host *\n"
	case len(words) == 2 && (strings.EqualFold(words[0], "host") || strings.EqualFold(words[0], "originalhost")):
		return r.accept(name, number, "Host "+strings.ReplaceAll(words[1], ",", " "))
	}
	r.ignore(name, number, "Match %s is not supported", value)
	return noHost
}

func (r *configReader) include(name string, number int, value string, guards []*ssh_config.Host, depth int) {
	for _, pattern := range splitWords(value) {
		if rest, ok := strings.CutPrefix(pattern, "~/"); ok {
			pattern = filepath.Join(r.home, rest)
		}
		if !filepath.IsAbs(pattern) {
			pattern = filepath.Join(r.dir, pattern)
		}
		files, err := filepath.Glob(pattern)
		if err != nil {
			r.ignore(name, number, "Include %s: %v", pattern, err)
		}
		for _, f := range files {
			r.file(f, guards, depth+1)
		}
	}
}

func (r *configReader) part(text []byte, guards []*ssh_config.Host) {
	cfg, err := decode(text)
	if err != nil {
		r.out.ignored = append(r.out.ignored, err.Error())
		return
	}
	r.out.parts = append(r.out.parts, configPart{guards: guards, cfg: cfg})
}

// block returns the Host of a header line; none for the beginning of a file, which applies to every host.
func block(header string) []*ssh_config.Host {
	cfg, err := decode([]byte(header))
	if err != nil || len(cfg.Hosts) < 2 {
		return nil
	}
	return cfg.Hosts[1:2]
}

// decode calls the library and catches its panics.
func decode(text []byte) (cfg *ssh_config.Config, err error) {
	defer func() {
		if p := recover(); p != nil {
			cfg, err = nil, fmt.Errorf("ssh configuration: %v", p)
		}
	}()
	return ssh_config.DecodeBytes(text)
}

// splitOption splits a line into its lower-case keyword and its value. A comment has no keyword.
func splitOption(line string) (key, value string) {
	line = strings.TrimSpace(line)
	if strings.HasPrefix(line, "#") {
		return "", ""
	}
	end := strings.IndexAny(line, " \t=\"")
	if end < 0 {
		return strings.ToLower(line), ""
	}
	value = strings.TrimLeft(line[end:], " \t")
	value = strings.TrimLeft(strings.TrimPrefix(value, "="), " \t")
	return strings.ToLower(line[:end]), value
}

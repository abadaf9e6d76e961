package proc

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Mount is a mounted file system.
type Mount struct {
	ID      int
	Device  string // of the file system: "98:0"
	Root    string // the directory of the file system that is mounted
	Point   string // the directory where it is mounted
	Type    string
	Source  string
	Options []string // of the file system: "rw", "memory"
}

// Mounts returns the file systems that a process sees, in the order in which they were mounted. process is the name of
// its directory, which may be "self".
func Mounts(mount, process string) ([]Mount, error) {
	text, err := os.ReadFile(filepath.Join(mount, process, "mountinfo"))
	var list []Mount
	for line := range strings.Lines(string(text)) {
		// such as: 36 35 98:0 /root /point rw,noatime master:1 - ext3 /dev/root rw,errors=continue
		of, system, found := strings.Cut(strings.TrimSuffix(line, "\n"), " - ")
		words, its := strings.Split(of, " "), strings.Split(system, " ")
		if !found || len(words) < 5 || len(its) < 2 {
			continue
		}
		m := Mount{Device: words[2], Root: unescapePath(words[3]), Point: unescapePath(words[4]), Type: its[0],
			Source: unescapePath(its[1])}
		m.ID, _ = strconv.Atoi(words[0]) // always a number
		if len(its) > 2 {
			m.Options = strings.Split(its[2], ",")
		}
		list = append(list, m)
	}
	return list, err
}

// unescapePath restores the characters that the kernel writes as three octal digits: spaces, tabs, newlines,
// backslashes.
func unescapePath(path string) string {
	for from := 0; ; {
		i := strings.IndexByte(path[from:], '\\')
		if i < 0 || from+i+4 > len(path) {
			return path
		}
		i += from
		if c, err := strconv.ParseUint(path[i+1:i+4], 8, 8); err == nil {
			path = path[:i] + string([]byte{byte(c)}) + path[i+4:]
		}
		from = i + 1
	}
}

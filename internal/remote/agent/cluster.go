package agent

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"syscall"
)

// ClusterFile is the environment variable that names the file of nvgpu's master, which lists its agents.
const ClusterFile = "NVGPU_CLUSTER_CFG"

const maxFile = 1 << 20

// The file's Python is not run: only a list of plain strings is understood.
var (
	assigned = regexp.MustCompile(`(?ms)^AGENTS[ \t]*=[ \t]*\[(.*?)\]`)
	comment  = regexp.MustCompile(`(?m)#.*$`)
	quoted   = regexp.MustCompile(`^(?:'([^'\\]*)'|"([^"\\]*)")$`)
)

// Listed returns the agents in a file of nvgpu's master, separated by commas: nvgpu's default if it lists none.
func Listed(path string) (string, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }() // nothing was written
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() || info.Size() > maxFile {
		return "", fmt.Errorf("%q is not a file with a list of agents", path)
	}
	text, err := io.ReadAll(io.LimitReader(f, maxFile))
	if err != nil {
		return "", err
	}
	found := assigned.FindSubmatch(text)
	if found == nil {
		return Self, nil
	}
	var agents []string
	for word := range strings.SplitSeq(comment.ReplaceAllString(string(found[1]), ""), ",") {
		word = strings.TrimSpace(word)
		if word == "" {
			continue
		}
		name := quoted.FindStringSubmatch(word)
		if name == nil {
			return "", fmt.Errorf("%q: AGENTS must be a list of strings, and has %s", path, word)
		}
		agents = append(agents, name[1]+name[2])
	}
	if len(agents) == 0 {
		return Nobody, nil
	}
	return strings.Join(agents, ","), nil
}

package vacancy

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// nobody stands for an unknown user.
const nobody = "?"

// userNames returns the users of the processes, one user per process.
func (g *GPU) userNames() []string {
	var out []string
	for _, p := range g.Processes {
		out = append(out, cmp.Or(p.User, nobody))
	}
	return out
}

// joinPIDs returns the PIDs of the processes, with commas between them.
func (g *GPU) joinPIDs() string {
	var out []string
	for _, p := range g.Processes {
		out = append(out, strconv.Itoa(p.PID))
	}
	return strings.Join(out, ",")
}

// firstCommand returns the first known command, in short form.
func (g *GPU) firstCommand() string {
	for _, p := range g.Processes {
		if c := cmp.Or(p.Command, p.Name); c != "" {
			return shortCommand(c)
		}
	}
	return ""
}

// longest is the length of a shown command.
const longest = 25

// shortCommand returns a command shortened as in nvgpu: a notebook, its Python script, or its beginning.
func shortCommand(command string) string {
	if strings.Contains(command, "-m ipykernel_launcher") {
		return "jupyter"
	}
	for word := range strings.FieldsSeq(command) {
		if strings.HasSuffix(word, ".py") {
			return word
		}
	}
	if runes := []rune(command); len(runes) > longest {
		return string(runes[:longest]) + "..."
	}
	return command
}

// processAge returns the age of the oldest process; "" if unknown.
func (g *GPU) processAge(n *cluster.Node, at time.Time) string {
	var seconds int64 = -1
	for _, p := range g.Processes {
		if p.ElapsedSec != nil {
			seconds = max(seconds, *p.ElapsedSec)
		}
	}
	if seconds < 0 {
		return ""
	}
	return formatAgo(time.Duration(min(seconds, maxSeconds))*time.Second + max(at.Sub(n.ListedAt), 0))
}

// maxSeconds is longer than any computer has run.
const maxSeconds = 100 * 365 * 86400

// formatAgo returns a duration before now, in words.
func formatAgo(d time.Duration) string {
	const day = 24 * time.Hour
	several := func(unit time.Duration, name string) string {
		return fmt.Sprintf("%d %s ago", max(int(d/unit), 2), name)
	}
	switch {
	case d < 10*time.Second:
		return "just now"
	case d < 45*time.Second:
		return several(time.Second, "seconds")
	case d < 90*time.Second:
		return "a minute ago"
	case d < 45*time.Minute:
		return several(time.Minute, "minutes")
	case d < 90*time.Minute:
		return "an hour ago"
	case d < 22*time.Hour:
		return several(time.Hour, "hours")
	case d < 36*time.Hour:
		return "a day ago"
	}
	return several(day, "days")
}

func removeRepeats(list []string) []string {
	var out []string
	for _, s := range list {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// splitProgram returns the name of a process's program, and its arguments. In the list of processes they are joined by
// spaces.
func splitProgram(p *wire.Process) (name string, arguments []string) {
	arguments = strings.Fields(p.Command)
	if len(arguments) == 0 {
		return p.Name, nil
	}
	return path.Base(arguments[0]), arguments
}

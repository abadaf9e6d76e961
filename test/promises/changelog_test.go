package promises

import (
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// named are the generated pages whose tables begin with what a user writes or presses.
var named = []string{"SETTINGS", "metrics", "health", "COLUMNS", "KEYS"}

var (
	firstCell = regexp.MustCompile("(?m)^\\| (`[^` ]+`)")
	flagCell  = regexp.MustCompile("(?m)^\\| `(?:-., )?(--[a-z-]+)")
)

// TestWhatIsNewIsInTheChangelog asks for a line in CHANGELOG.md for each command, flag, setting, metric, problem,
// column and key that no version had before.
func TestWhatIsNewIsInTheChangelog(t *testing.T) {
	names := map[string]string{} // by the line in names.txt
	add := func(place, name string) { names[place+" "+name] = name }
	commands, err := filepath.Glob("../../docs/commands/*.md")
	if err != nil || len(commands) == 0 {
		t.Fatal("there are no pages of commands", err)
	}
	for _, path := range commands {
		add("command", "`"+strings.TrimSuffix(filepath.Base(path), ".md")+"`")
		for _, flag := range flagCell.FindAllStringSubmatch(read(t, path), -1) {
			add("flag", flag[1])
		}
	}
	for _, page := range named {
		for _, cell := range firstCell.FindAllStringSubmatch(read(t, "../../docs/"+page+".md"), -1) {
			add(page, cell[1])
		}
	}
	updated(t, newest, "names.txt", strings.Join(slices.Sorted(maps.Keys(names)), "\n")+"\n")
	before := map[string]bool{}
	each(t, func(t *testing.T, dir string) {
		for line := range strings.Lines(kept(t, dir, "names.txt")) {
			before[strings.TrimSpace(line)] = true
		}
	})
	_, text, _ := strings.Cut(read(t, "../../CHANGELOG.md"), "\n## ")
	section, _, _ := strings.Cut(text, "\n## ")
	for line, name := range names {
		if !before[line] && !strings.Contains(section, name) {
			t.Errorf("no version before had the %s: add a line with %s to the first section of CHANGELOG.md", line, name)
		}
	}
}

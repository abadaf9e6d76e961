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
	type entry struct{ name, page string }
	names := map[string]entry{} // by the line in names.txt
	add := func(place, name, page string) { names[place+" "+name] = entry{name, page} }
	commands, err := filepath.Glob("../../docs/commands/*.md")
	if err != nil || len(commands) == 0 {
		t.Fatal("there are no pages of commands", err)
	}
	for _, path := range commands {
		add("command", "`"+strings.TrimSuffix(filepath.Base(path), ".md")+"`", path)
		for _, flag := range flagCell.FindAllStringSubmatch(read(t, path), -1) {
			add("flag", flag[1], path)
		}
	}
	for _, page := range named {
		path := "../../docs/" + page + ".md"
		for _, cell := range firstCell.FindAllStringSubmatch(read(t, path), -1) {
			add(page, cell[1], path)
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
	for line, is := range names {
		if !before[line] && !strings.Contains(section, is.name) {
			t.Errorf("%s has %s, which no version before had: add a line that names it, in backticks of its own if it "+
				"is no flag, to the first section of CHANGELOG.md", strings.TrimPrefix(is.page, "../../"), is.name)
		}
	}
}

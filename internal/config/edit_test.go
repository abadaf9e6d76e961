package config

import (
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/config/document"
)

// TOML has many ways to write the same: each stays the way in which the user wrote it.
func TestEditKeepsTheWayOfWriting(t *testing.T) {
	for _, test := range []struct{ name, text, key, value, want string }{
		{"a table between braces", "columns = { node = ['gpu'], overview = ['node'] } # c\n", "columns.node",
			`["temp"]`, "columns = { node = [\"temp\"], overview = ['node'] } # c\n"},
		{"more between braces", "columns = { overview = ['node'] }\n", "columns.node", `["temp"]`,
			"columns = { node = [\"temp\"], overview = ['node'] }\n"},
		{"nothing between braces", "columns = {}\n[poll]\n", "columns.node", `["temp"]`,
			"columns = {node = [\"temp\"]}\n[poll]\n"},
		{"less between braces", "columns = {node = ['gpu'], overview = ['node']}\n", "columns.node", "",
			"columns = {overview = ['node']}\n"},
		{"the last between braces", "columns = { overview = ['node'], node = ['gpu'] }\n", "columns.node", "",
			"columns = { overview = ['node'] }\n"},
		{"the only one between braces", "columns = {node = ['gpu']} # c\n", "columns.node", "", "columns = {} # c\n"},
		{"lines between braces", "columns = { # c\n  node = ['gpu'], # d\n}\n", "columns.node", `["temp"]`,
			"columns = { # c\n  node = [\"temp\"], # d\n}\n"},
		{"a key with dots", "poll . 'interval' = 3 # c\nview = 'node'\n", "poll.interval", `"5s"`,
			"poll . 'interval' = \"5s\" # c\nview = 'node'\n"},
		{"a key with dots is taken out", "view = 'node'\npoll.interval = 3 # c\n", "poll.interval", "",
			"view = 'node'\n"},
		{"keys with dots have a neighbor", "# wide\ncolumns.overview = ['node'] # c\nview = 'node'\n[poll]\n",
			"columns.node", `["gpu"]`, "# wide\ncolumns.overview = ['node'] # c\ncolumns.node = [\"gpu\"]\nview = " +
				"'node'\n[poll]\n"},
		{"a list over lines", "[columns]\nnode = [ # a\n  'gpu', # ]\n  'x]',\n  ] # b\n# c\noverview = ['node']",
			"columns.node", `["gpu"]`, "[columns]\nnode = [\"gpu\"] # b\n# c\noverview = ['node']"},
		{"a list over lines is taken out",
			"[columns]\n# a\nnode = [\n  'gpu', # b\n  ] # c\n# d\noverview = ['node']\n", "columns.node", "",
			"[columns]\n# a\n# d\noverview = ['node']\n"},
		{"a long list", "doors = [\n" + strings.Repeat("  # none\n", 100) + "]\n", "doors", `["ssh"]`,
			"doors = [\"ssh\"]\n"},
		{"a text over lines", "banner = \"\"\"\\\n  view = 'x' \\\n  \"\"\" # c\nview = 'node'\n", "banner", `"b"`,
			"banner = \"b\" # c\nview = 'node'\n"},
		{"a text that looks like a table", "banner = '''\n[columns]\n'''\n[columns]\n", "columns.node", `["gpu"]`,
			"banner = '''\n[columns]\n'''\n[columns]\nnode = [\"gpu\"]\n"},
		{"CRLF", "# a\r\ntheme = 'dark' # b\r\n[poll]\r\ninterval = 3\r\n", "theme", `"mono"`,
			"# a\r\ntheme = \"mono\" # b\r\n[poll]\r\ninterval = 3\r\n"},
		{"CRLF and a new key", "theme = 'dark' # b\r\n[poll]\r\n", "view", `"node"`,
			"theme = 'dark' # b\r\nview = \"node\"\r\n[poll]\r\n"},
		{"CRLF and a new table", "theme = 'dark'\r\n", "poll.interval", `"5s"`,
			"theme = 'dark'\r\n\r\n[poll]\r\ninterval = \"5s\"\r\n"},
		{"CRLF and less", "theme = 'dark'\r\nview = 'node'\r\n", "theme", "", "view = 'node'\r\n"},
		{"a comment at the end of the line", "\ttheme\t=\t'dark'\t# 'a' = \"#\"\n", "theme", `"mono"`,
			"\ttheme\t=\t\"mono\"\t# 'a' = \"#\"\n"},
		{"a sharp between quotes", "banner = '#' # 'b'\n", "banner", `"#c"`, "banner = \"#c\" # 'b'\n"},
		{"no spaces", "[poll]\n\"interval\"='5s'#=\n", "poll.interval", `"7s"`, "[poll]\n\"interval\"=\"7s\"#=\n"},
		{"a key in quotes", "\"theme\" = 'dark'\n'view' = 'node'\n", "theme", `"mono"`,
			"\"theme\" = \"mono\"\n'view' = 'node'\n"},
		{"a key with an escape", "\"them\\u0065\" = 'dark'\n", "theme", `"mono"`, "\"them\\u0065\" = \"mono\"\n"},
		{"a table in quotes", "[ 'columns' ] # c\noverview = ['node']\n", "columns.node", `["gpu"]`,
			"[ 'columns' ] # c\nnode = [\"gpu\"]\noverview = ['node']\n"},
		{"no end of the last line, a new key", "theme = 'dark' # c", "view", `"node"`,
			"theme = 'dark' # c\nview = \"node\"\n"},
		{"no end of the last line, another value", "theme = 'dark'", "theme", `"mono"`, "theme = \"mono\""},
		{"no end of the last line, less", "view = 'node'\ntheme = 'dark'", "theme", "", "view = 'node'\n"},
		{"no end of the line of a head", "[poll]", "poll.interval", `"5s"`, "[poll]\ninterval = \"5s\"\n"},
		{"only a comment", "# mine", "theme", `"mono"`, "# mine\ntheme = \"mono\"\n"},
		{"a comment keeps its key", "# for the beamer\ntheme = 'light'\n", "view", `"node"`,
			"# for the beamer\ntheme = 'light'\nview = \"node\"\n"},
		{"a comment keeps its table", "# for the beamer\n[poll]\n", "view", `"node"`,
			"view = \"node\"\n# for the beamer\n[poll]\n"},
		{"a table among others", "[poll]\ninterval = 3\n[columns]\n[display]\ninterval = 4\n", "display.interval",
			`"5s"`, "[poll]\ninterval = 3\n[columns]\n[display]\ninterval = \"5s\"\n"},
	} {
		got, err := document.Edit(test.text, test.key, test.value)
		if err != nil || got != test.want {
			t.Errorf("%s: %v\n%q\nwant\n%q", test.name, err, got, test.want)
		}
	}
}

// A file that cannot be changed as a person would stays as it is, with an error of one line.
func TestEditLeavesAlone(t *testing.T) {
	for _, test := range []struct{ text, key, want string }{
		{"x = ", "theme", "expected value"},
		{"theme = 'dark'\ntheme = 'light'\n", "theme", "already defined"},
		{"columns = {node = ['gpu']\n", "columns.node", ""},
		{"'poll.interval' = 3\n", "poll.interval", "has a dot in it"},
		{"[theme]\nx = 1\n", "theme", "theme is written in a way"},
		{"[[columns]]\nnode = ['gpu']\n", "columns.node", "columns.node is written in a way"},
		{"columns = ['node']\n", "columns.node", "columns.node is written in a way"},
	} {
		for _, value := range []string{`["temp"]`, `"mono"`} {
			if got, err := document.Edit(test.text, test.key, value); err == nil || got != "" ||
				!strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%q becomes %q, error %v", test.text, got, err)
			}
		}
	}
}

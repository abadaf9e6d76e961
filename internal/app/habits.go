package app

import (
	"cmp"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nvnodetop/nvnodetop/internal/app/available"
	"github.com/nvnodetop/nvnodetop/internal/app/record"
	"github.com/nvnodetop/nvnodetop/internal/app/report"
	"github.com/nvnodetop/nvnodetop/internal/app/screen"
	"github.com/nvnodetop/nvnodetop/internal/app/track"
	"github.com/nvnodetop/nvnodetop/internal/app/watch"
	"github.com/nvnodetop/nvnodetop/internal/output/report/output"
)

// ofName are the commands that run under another program's name: nvgpu's nvl, nvitop's nvisel.
var ofName = map[string]string{available.Nvl: available.ListName, available.Nvisel: available.Nvisel}

// Called returns the arguments of the program. If it was called by the name of another program, they begin with the
// command that replaces that program.
func Called(argv []string) []string {
	if len(argv) == 0 {
		return nil
	}
	if command := ofName[filepath.Base(argv[0])]; command != "" {
		return append([]string{command}, argv[1:]...)
	}
	return argv[1:]
}

// rewriteArgs turns arguments of other programs into arguments of this program.
func rewriteArgs(args []string) []string {
	switch {
	case len(args) > 0 && args[0] == track.Name: // the rest is the command to track
		return args
	case len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd): // a word may still be incomplete
		return args
	case len(args) > 0 && behind[args[0]] != nil:
		return joinBehind(args, behind[args[0]])
	}
	return asNvitop(joinPairs(args))
}

// flagValues describes the values that may follow a flag.
type flagValues struct {
	most int               // maximum number of values; 0: any
	ok   func(string) bool // nil: any value that does not begin with "-"
	name string            // name of the flag here, if it is different
}

// behind are flags that take a value only after "=" here. In nvgpu, nvisel and gpustat, they are followed by no value,
// one or several.
var behind = map[string]map[string]flagValues{
	available.Name:     inheritTakes,
	available.Nvisel:   inheritTakes,
	available.ListName: watchTakes,
	available.Nvl:      watchTakes,
	screen.ReplayName:  {"--report": {most: 1, ok: func(word string) bool { return output.Formats[word] != nil }}},
	report.Name:        {"--user": {most: 1}},
	record.ScalarsName: {}, // its --interval is a flag, not POLL
	record.LogName:     {},
	watch.Name:         {},
}

var (
	watchTakes = map[string]flagValues{"--watch": seconds, "-l": seconds, "--loop": seconds, "-i": seconds,
		"--interval": seconds}
	seconds      = flagValues{1, isNumber, "--interval"}
	inheritTakes = map[string]flagValues{"-i": {most: 1, name: "--inherit"}, "--inherit": {most: 1},
		"--account-as-free": {}}
)

// joinBehind rewrites flags in behind: "--account-as-free=alice,bob".
func joinBehind(args []string, flags map[string]flagValues) []string {
	var out []string
	for i := 0; i < len(args); i++ {
		take, ours := flags[args[i]]
		from := i + 1
		for ours && i+1 < len(args) && (take.most == 0 || i+1-from < take.most) && !strings.HasPrefix(args[i+1], "-") &&
			(take.ok == nil || take.ok(args[i+1])) {
			i++
		}
		flag := cmp.Or(take.name, args[from-1])
		if i >= from {
			flag += "=" + strings.Join(args[from:i+1], ",")
		}
		out = append(out, flag)
	}
	return out
}

// pairs are nvitop's flags that are followed by two numbers: "--gpu-util-thresh 10 75". Flags of this program take one
// value.
var pairs = map[string]bool{"--gpu-util-thresh": true, "--mem-util-thresh": true}

// joinPairs rewrites flags in pairs: "--gpu-util-thresh=10,75". A third number is POLL.
func joinPairs(args []string) []string {
	var out []string
	for i := 0; i < len(args); i++ {
		switch {
		case args[i] == "--":
			return append(out, args[i:]...)
		case pairs[args[i]] && i+2 < len(args) && isNumber(args[i+1]) && isNumber(args[i+2]):
			out = append(out, args[i]+"="+args[i+1]+","+args[i+2])
			i += 2
		default:
			out = append(out, args[i])
		}
	}
	return out
}

func isNumber(s string) bool {
	_, err := strconv.ParseFloat(s, 64)
	return err == nil
}

// manyValues are nvitop's flags that are followed by several values: "-u alice bob". Flags of this program take one
// value.
var manyValues = map[string]string{"-u": "user", "--user": "user", "-p": "pid", "--pid": "pid", "-o": "only",
	"--only": "only"}

// sameFlags are nvitop's flags that have another name here.
var sameFlags = map[string]string{
	"-ov": "--only-visible", "-V": "--version", "-1": "--once", "-U": "--ascii", "--no-unicode": "--ascii",
	"--light": "--theme=light", "--colorful": "--colors=classic",
}

// asNvitop rewrites arguments in nvitop's form: -1 is --once, "--interval 2" is POLL, and "-u alice bob" is
// --user=alice,bob.
func asNvitop(args []string) []string {
	var out []string
	for i := 0; i < len(args); i++ {
		name, many := manyValues[args[i]]
		switch {
		case args[i] == "--":
			return append(out, args[i:]...)
		case sameFlags[args[i]] != "":
			out = append(out, sameFlags[args[i]])
		case args[i] == "--interval" && i+1 < len(args) && isNumber(args[i+1]): // the number stays
		case strings.HasPrefix(args[i], "--interval=") && isNumber(strings.TrimPrefix(args[i], "--interval=")):
			out = append(out, strings.TrimPrefix(args[i], "--interval="))
		case args[i] == "-m" || args[i] == "--monitor":
			// nvitop also accepts -m alone
			panel := "auto"
			if i+1 < len(args) && !strings.HasPrefix(args[i+1], "-") && !isNumber(args[i+1]) { // a number is POLL
				i++
				panel = args[i]
			}
			out = append(out, "--monitor="+panel)
		case many:
			from := i + 1
			for i+1 < len(args) && !strings.HasPrefix(args[i+1], "-") {
				i++
			}
			out = append(out, "--"+name+"="+strings.Join(args[from:i+1], ","))
		default:
			out = append(out, args[i])
		}
	}
	return out
}

// ofVersion removes the command from "track -v", because gpu_tracker, gpustat and nvl have that flag.
func ofVersion(cmd *cobra.Command, args []string) []string {
	if len(args) == 2 && (args[1] == "-v" || args[1] == "-V" || args[1] == "--version") {
		if c, _, err := cmd.Find(args[:1]); err == nil && c != cmd {
			return args[1:]
		}
	}
	return args
}

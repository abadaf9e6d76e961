package config

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/test/golden"
)

// explained has what docs/SETTINGS.md says of each setting, and how the system's file limits it.
var explained = map[string]struct{ limit, what string }{
	"slurm.min_interval": {"at least", "the time from one answer of squeue to the next question, whatever " +
		"happens"},
	"poll.min_interval": {"at least", "the least interval between two reports of a node; commands that " +
		"print once " +
		"and end still take the second report 1 s after the first"},
	"doors": {"only these", "the transports that may be used, such as `[\"ssh\", \"control\"]`; this host " +
		"is always allowed"},
	"idle_exit": {"at most", "the program ends by itself after this time without a key; `serve` after this time " +
		"without a request, also of a program"},
	"banner": {"fixed", "a line for every user: on the screen until the first key, and in the list of `?`"},
	"readonly": {"stays on", "with `true` no process gets a signal and no job is canceled, whatever the user " +
		"presses; also `--readonly`"},
	"serve": {"no wider", "where `nvnodetop serve` may listen: `\"off\"` (nowhere), `\"local\"` (loopback " +
		"addresses " +
		"and sockets in the file system, without `--behind-proxy`) or `\"any\"`"},
	"record": {"stays off", "with `false` nothing is recorded: `record`, `--record` and `Ctrl-K` are refused. A " +
		"command after `track --record --` runs without its recording"},
	"hang.ask": {"stays off", "with `false` no job that seems to hang is asked by itself where its ranks " +
		"are; `b` " +
		"and `nvnodetop stacks` still ask"},
	"logs": {"stays off", "with `false` no log of a job is read: the page of the log, `nvnodetop logs` and " +
		"`serve --logs` are refused, and nothing says why a job has failed, or how far its program is"},
	"progress": {"stays off", "with `false` no log of a running job is followed for how far its program is: the step, " +
		"the pace, the loss and the end. Only these numbers are kept of a log"},
	"runs": {"stays off", "with `false` no number of your jobs is kept to compare later ones with: the time of a step, " +
		"how many there were, and faults of its nodes, of the jobs that you watched in the last 90 days, in " +
		"`runs.jsonl` of the state " +
		"directory, 1 MiB at most"},
	"notify.allow": {"no wider", "how users may get [notifications](NOTIFY.md): `\"off\"`, `\"terminal\"` (in their " +
		"terminals only) or `\"any\"` (commands, webhooks and mail too)"},
	"admins": {"only there", "users who, like root, see the jobs of all users and the idle GPUs on the page of " +
		"the cluster: what SLURM shows them, and what the nodes report that they watch with `--nodes`"},
	"max_nodes": {"at most", "the number of nodes that one program watches. The others are shown as not " +
		"watched, " +
		"with the name of the file"},
	"max_programs": {"at most", "the number of programs of a user that run on a host at once"},
	"help_url": {"fixed", "the address of the help for your users, such as a page of your site or `mailto:`: a " +
		"line of `--help` and of the list of `?`"},
	"transport": {"", "how nodes are reached; `\"auto\"` chooses among those that `doors` allows"},
	"login":     {"", "the login node through which everything runs, for a laptop"},
	"poll.interval": {"", "the interval between two reports of a node; `watch` and `scalars` read nodes " +
		"every 10 s"},
	"slurm.interval": {"", "the time from one question for the jobs to the next while keys are pressed; " +
		"without keys " +
		"it becomes 60 s after 5 minutes and 300 s after 30, or stays if it is longer"},
	"history":          {"", "the time that graphs show ([what it costs](SCALE.md#memory-of-graphs))"},
	"display.interval": {"", "the interval between two screen updates"},
	"timeout": {"", "the time that commands which print once wait for nodes and SLURM; up to 4 s of it may " +
		"be only for " +
		"the users of processes and the switches of nodes"},
	"log": {"", "a file to which each run appends a log"},
	"recordings": {"", "the directory of the recordings of `Ctrl-K`, in which `report` looks for that " +
		"of a job; `~/` is the home. Unset: the working directory"},
	"view": {"", "the page to start with; without it the user's last choice counts"},
	"colors": {"", "job (amber = warning) or classic (green, yellow, red by utilization); without " +
		"it the user's last choice counts"},
	"ascii": {"", "draw with ASCII characters only; unset: what the terminal and the locale can show"},
	"keys": {"", "`\"nvitop\"`: nvitop's keys on the page of processes " +
		"([KEYS.md](KEYS.md#the-keys-of-nvitop))"},
	"monitor": {"", "GPUs above the processes on their page: `\"auto\"` (where there is room), " +
		"`\"full\"` (always) or `\"compact\"` (never)"},
	"theme":           {"", "`\"auto\"` asks the terminal for its background; `NO_COLOR` is always mono"},
	"gpu_util_thresh": {"", "the utilization, in percent, from which the classic colors are yellow and red"},
	"mem_util_thresh": {"", "the same for GPU memory"},
	"notify.ways":     {"", "how notifications are sent; without it there are none"},
	"notify.events": {"", "what is announced: a list of [events](NOTIFY.md#what-is-announced), or of kinds of " +
		"problems. Unset: all events but `start` and `warning`"},
	"notify.idle":      {"", "after how much idle time GPUs are announced"},
	"notify.time_left": {"", "how long before a time limit it is announced"},
	"notify.per_hour":  {"", "the most messages per hour"},
	"notify.terminal":  {"", "the escape sequence for the terminal"},
	"notify.command":   {"", "the program and its arguments, as a list ([how it comes](NOTIFY.md#how-it-comes))"},
	"notify.webhook":   {"", "the file with the URL"},
	"notify.mail":      {"", "the addresses"},

	"report.gpu_hour_price": {"", "the site's price of a GPU-hour: [reports](commands/report.md) then say " +
		"what a job has cost"},
	"report.kwh_price":     {"", "the price of a kWh"},
	"report.currency":      {"", "the currency of both, such as `\"EUR\"`"},
	"report.co2_g_per_kwh": {"", "the CO₂ of a kWh in grams: reports then have that of a job's energy"},
	"columns.node": {"", "the columns of the GPUs of a node ([COLUMNS.md](COLUMNS.md)); unset: the " +
		"usual ones"},
	"columns.processes": {"", "of the processes"},
	"columns.overview":  {"", "of the nodes of a job"},
	"columns.ranks":     {"", "of the ranks"},
	"columns.jobs":      {"", "of the jobs"},
	"columns.users":     {"", "of the users"},
}

// docs/SETTINGS.md is made of the settings.
func TestThePageOfSettings(t *testing.T) {
	golden.After(t, "../../docs/SETTINGS.md", "-update. -->\n", settingsTable(t))
}

// settingsTable returns a row for each setting but the thresholds, which docs/health.md has.
func settingsTable(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("\n| key | values | default | limit | |\n|---|---|---|---|---|\n")
	usual, rows := Default(), 0
	for i := range settings {
		s := &settings[i]
		if strings.HasPrefix(s.key, "thresholds.") {
			continue
		}
		words := explained[s.key]
		if words.what == "" || (words.limit != "") != (s.bind != nil && s.bound == "") {
			t.Errorf("%s: what it does, and whether the system's file limits it, belongs into explained", s.key)
		}
		initial := "none"
		if value := s.show(&usual); value != "" {
			initial = "`" + value + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", s.key, valuesOf(s), initial, words.limit, words.what)
		rows++
	}
	if rows != len(explained) {
		t.Errorf("%d settings, and %d are explained", rows, len(explained))
	}
	return b.String()
}

// valuesOf returns the valid values of a setting, without what the page says once for all.
func valuesOf(s *setting) string {
	if s.table() == "columns" {
		return "names of columns"
	}
	values, _, _ := strings.Cut(s.want, ", such as 5 (seconds)")
	values, _, _ = strings.Cut(values, " of at most 200 printable characters")
	return values
}

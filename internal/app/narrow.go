package app

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/nvnodetop/nvnodetop/internal/access"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/filter"
	"github.com/nvnodetop/nvnodetop/internal/remote/ssh"
	"github.com/nvnodetop/nvnodetop/internal/rows"
	"github.com/nvnodetop/nvnodetop/internal/tally"
)

// narrow are nvitop's flags that choose GPUs and processes.
type narrow struct {
	users, pids, only      []string
	compute, onlyCompute   bool
	graphics, onlyGraphics bool
	visible                bool
	flags                  *pflag.FlagSet
}

// manyValues are nvitop's flags that take several values behind them, "-u alice bob". The flags of this program take
// one.
var manyValues = map[string]string{"-u": "user", "--user": "user", "-p": "pid", "--pid": "pid", "-o": "only",
	"--only": "only"}

// sameFlags are nvitop's names of what has another one here.
var sameFlags = map[string]string{
	"-ov": "--only-visible", "-V": "--version", "-1": "--once", "-U": "--ascii", "--no-unicode": "--ascii",
	"--light": "--theme=light", "--colorful": "--colors=classic",
}

// asNvitop rewrites arguments as nvitop takes them: -1 is --once, "--interval 2" is POLL, and "-u alice bob" is
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
			// nvitop takes -m alone, too
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

func (n *narrow) add(f *pflag.FlagSet) {
	n.flags = f
	f.StringSliceVarP(&n.users, "user", "u", nil, "show only processes of these `USERS`; without a name of you")
	f.StringSliceVarP(&n.pids, "pid", "p", nil, "show only these processes, by their `PIDS`")
	f.BoolVarP(&n.compute, "compute", "c", false, "show only processes that compute (type C, C+G or M)")
	f.BoolVarP(&n.onlyCompute, "only-compute", "C", false,
		"show only processes that compute and do not draw (type C or M)")
	f.BoolVarP(&n.graphics, "graphics", "g", false, "show only processes that draw (type G or C+G)")
	f.BoolVarP(&n.onlyGraphics, "only-graphics", "G", false,
		"show only processes that draw and do not compute (type G)")
	f.StringSliceVarP(&n.only, "only", "o", nil, "show only these `GPUS` of each node, by number, UUID or PCI bus ID")
	f.BoolVar(&n.visible, "only-visible", false,
		"show only the GPUs in CUDA_VISIBLE_DEVICES, with --transport local; also -ov")
}

// apply puts the flags into the settings.
func (n *narrow) apply(cfg *config.Config) error {
	if err := n.chooseGPUs(cfg); err != nil {
		return err
	}
	var terms []string
	if n.flags.Changed("user") {
		if len(n.users) == 0 {
			n.users = []string{me(cfg)}
		}
		terms = append(terms, "user="+strings.Join(n.users, ","))
	}
	if n.flags.Changed("pid") {
		terms = append(terms, "pid="+strings.Join(n.pids, ","))
	}
	for _, t := range []struct {
		on   bool
		term string
	}{{n.compute, "type=C,M"}, {n.onlyCompute, "type=C,M and type!=G"}, {n.graphics, "type=G"},
		{n.onlyGraphics, "type=G and type!=C"}} {
		if t.on {
			terms = append(terms, t.term)
		}
	}
	cfg.Processes = strings.Join(terms, " and ")
	switch {
	case cfg.JSON && (cfg.Processes != "" || cfg.Only != ""):
		return errors.New("--json has everything: -u, -p, -c, -g and -o cannot be combined with it")
	case cfg.Once && cfg.Processes != "":
		return errors.New("--once prints no processes: -u, -p, -c and -g cannot be combined with it")
	}
	if err := n.check(); err != nil {
		return err
	}
	if _, wrong := filter.Parse(cfg.Processes, filter.Of(&rows.Processes)); wrong != nil { // too many names
		return fmt.Errorf("-u and -p: %w", wrong)
	}
	return nil
}

// userName is how a user may be named: a filter is made of it.
var userName = regexp.MustCompile(`^[\pL\pN_.][\pL\pN_.@$+-]*$`)

// check reports names and numbers that are none.
func (n *narrow) check() error {
	for _, name := range n.users {
		if !userName.MatchString(name) {
			return fmt.Errorf("--user takes names of users, not %q", name)
		}
	}
	if n.flags.Changed("pid") && len(n.pids) == 0 {
		return errors.New("--pid takes process IDs: there is none behind it")
	}
	for _, pid := range n.pids {
		if v, err := strconv.Atoi(pid); err != nil || v < 1 {
			return fmt.Errorf("--pid takes process IDs, not %q", pid)
		}
	}
	return nil
}

// chooseGPUs sets which GPUs are shown.
func (n *narrow) chooseGPUs(cfg *config.Config) error {
	from := "--only"
	if n.visible {
		from = "CUDA_VISIBLE_DEVICES"
		switch {
		case n.flags.Changed("only"):
			return errors.New("--only and --only-visible cannot be combined")
		case cfg.Transport != config.Local:
			return errors.New("--only-visible is about the GPUs of this host: use it with --transport local, or name " +
				"GPUs with --only")
		}
		visible, set := os.LookupEnv(from)
		if !set {
			return nil
		}
		n.only = slices.DeleteFunc(strings.Split(visible, ","), func(s string) bool { return s == "" })
	}
	if (n.visible || n.flags.Changed("only")) && len(n.only) == 0 {
		return fmt.Errorf("%s names no GPU", from)
	}
	for _, name := range n.only {
		if !tally.NamesGPU(name) {
			return fmt.Errorf("%s takes numbers, UUIDs and PCI bus IDs of GPUs, not %q", from, name)
		}
	}
	cfg.Only = strings.Join(n.only, ",")
	return nil
}

// only are the GPUs to show.
func only(cfg *config.Config) tally.Only {
	if cfg.Only == "" {
		return nil
	}
	return strings.Split(cfg.Only, ",")
}

// processes is the filter of processes to begin with. The command line has been checked.
func processes(cfg *config.Config) *filter.Expr {
	e, _ := filter.Parse(cfg.Processes, filter.Of(&rows.Processes))
	return e
}

// me is the user on the nodes.
func me(cfg *config.Config) string {
	if name := ssh.UserOf(cfg.Login); name != "" {
		return name
	}
	name, _ := access.Here()
	return name
}

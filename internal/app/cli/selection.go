package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/lib/text"
	"github.com/nvnodetop/nvnodetop/internal/rows"
	"github.com/nvnodetop/nvnodetop/internal/rows/filter"
	"github.com/nvnodetop/nvnodetop/internal/source/access"
)

// SelectionFlags are the user's flags.
type SelectionFlags struct {
	users, pids, only      []string
	compute, onlyCompute   bool
	graphics, onlyGraphics bool
	visible                bool
	flags                  *pflag.FlagSet
}

// Selection is the selection to show.
type Selection struct {
	GPUs      tally.Only   // nil: all
	Processes *filter.Expr // the first filter
	text      string       // text of Processes
}

// AddSelection adds all selection flags.
func AddSelection(f *pflag.FlagSet) *SelectionFlags {
	n := AddGPUSelection(f)
	f.StringSliceVarP(&n.users, "user", "u", nil, "only processes of these `USERS`; default: you")
	f.StringSliceVarP(&n.pids, "pid", "p", nil, "only processes with these `PIDS`")
	f.BoolVarP(&n.compute, "compute", "c", false, "only processes that compute (type C, C+G or M)")
	f.BoolVarP(&n.onlyCompute, "only-compute", "C", false,
		"only processes that compute and do not draw (type C or M)")
	f.BoolVarP(&n.graphics, "graphics", "g", false, "only processes that draw (type G or C+G)")
	f.BoolVarP(&n.onlyGraphics, "only-graphics", "G", false,
		"only processes that draw and do not compute (type G)")
	f.BoolVar(&n.visible, "only-visible", false,
		"only the GPUs of this host in CUDA_VISIBLE_DEVICES, without SLURM or with --transport local; also -ov")
	return n
}

// AddGPUSelection adds only the flag that names GPUs.
func AddGPUSelection(f *pflag.FlagSet) *SelectionFlags {
	n := &SelectionFlags{flags: f}
	f.StringSliceVarP(&n.only, "only", "o", nil, "only these `GPUS` of each node, by number, UUID or PCI bus ID")
	return n
}

// Choose returns the choice that the flags make, either for the screens and text, or for JSON.
func (n *SelectionFlags) Choose(ctx context.Context, p *Program, json bool) (c Selection, err error) {
	if c.GPUs, err = n.chooseGPUs(ctx, &p.Config); err != nil {
		return c, err
	}
	var terms []string
	if n.flags.Changed("user") {
		if len(n.users) == 0 {
			n.users = []string{p.Me()}
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
	if c.text = strings.Join(terms, " and "); json && c.GPUs != nil {
		return c, errors.New("--json has every GPU: -o cannot be combined with it")
	}
	if err := n.checkNames(); err != nil {
		return c, err
	}
	expr, wrong := filter.Parse(c.text, filter.Of(&rows.Processes))
	if wrong != nil { // too many names
		return c, fmt.Errorf("-u and -p: %w", wrong)
	}
	c.Processes = expr
	return c, nil
}

// userName matches the user names that are allowed, since a filter is made from them.
var userName = regexp.MustCompile(`^[\pL\pN_.][\pL\pN_.@$+-]*$`)

// checkNames reports malformed names and numbers.
func (n *SelectionFlags) checkNames() error {
	for _, name := range n.users {
		if !userName.MatchString(name) {
			return fmt.Errorf("--user takes names of users, such as alice or alice,bob, not %q", name)
		}
	}
	if n.flags.Changed("pid") && len(n.pids) == 0 {
		return errors.New("--pid needs process IDs, such as 4711 or 4711,4712")
	}
	for _, pid := range n.pids {
		if v, err := strconv.Atoi(pid); err != nil || v < 1 {
			return fmt.Errorf("--pid takes process IDs, such as 4711 or 4711,4712, not %q", pid)
		}
	}
	return nil
}

// chooseGPUs returns the GPUs to show.
func (n *SelectionFlags) chooseGPUs(ctx context.Context, cfg *config.Config) (tally.Only, error) {
	from := "--only"
	if n.visible {
		from = "CUDA_VISIBLE_DEVICES"
		switch {
		case n.flags.Changed("only"):
			return nil, errors.New("--only and --only-visible cannot be combined")
		case cfg.Transport != config.Local && (cfg.Demo != "" || !access.EndsHere(ctx, cfg)):
			return nil, errors.New("--only-visible is about the GPUs of this host: use it with --transport local, or " +
				"name GPUs with --only")
		}
		visible, set := os.LookupEnv(from)
		if !set {
			return nil, nil
		}
		n.only = slices.DeleteFunc(strings.Split(visible, ","), func(s string) bool { return s == "" })
	}
	if (n.visible || n.flags.Changed("only")) && len(n.only) == 0 {
		return nil, fmt.Errorf("%s names no GPU", from)
	}
	for _, name := range n.only {
		if !tally.NamesGPU(name) {
			return nil, fmt.Errorf("%s takes numbers, UUIDs and PCI bus IDs of GPUs, such as 0 or 0,3, not %q", from,
				name)
		}
	}
	return n.only, nil
}

// CheckGPUs returns an error if the choice names no GPU of the nodes that report.
func (c *Selection) CheckGPUs(s *cluster.Snapshot) error {
	var numbers []int
	for _, n := range s.Nodes {
		for i := range n.GPUs {
			if c.GPUs.Shows(&n.GPUs[i]) {
				return nil
			}
			if number := n.GPUs[i].Index; !slices.Contains(numbers, number) {
				numbers = append(numbers, number)
			}
		}
	}
	if len(numbers) == 0 { // no node reports
		return nil
	}
	slices.Sort(numbers)
	return Usage("--only %s names no GPU of these nodes, which have %s", strings.Join(c.GPUs, ","),
		text.Ranges(numbers))
}

package available

import (
	"fmt"
	"math"
	"os"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/output/vacancy"
)

// makeWish returns the wish that the flags express.
func (a *Options) makeWish() (*vacancy.Wish, error) {
	given := a.flags.Changed
	nan := math.NaN()
	w := &vacancy.Wish{
		Least: a.least, Most: -1, MaxMemory: a.maxMemory, FreeMemory: nan, TotalMemory: nan, MaxUtil: nan,
		MaxMemUtil: nan,
		Tolerance:  a.tolerance, Sort: a.sort && !a.noSort,
	}
	for name, n := range map[string]int{"limit": a.limit, "max-count": a.most, "count": a.count} {
		if given(name) {
			w.Most = n
		}
	}
	if given("count") {
		w.Least, w.Most = a.count, a.count
	}
	if a.nvisel {
		a.asNvisel(w)
	}
	if w.Least < 0 || w.Most >= 0 && w.Most < w.Least {
		return nil, fmt.Errorf("--min-count must be from 0 to the largest number that is wanted, not %d", w.Least)
	}
	if given("max-gpu-utilization") {
		w.MaxUtil = a.util
	}
	if given("max-memory-utilization") {
		w.MaxMemUtil = a.memUtil
	}
	if given("free-memory") && !given("max-memory-percent") {
		w.MaxMemory = nan
	}
	if err := a.readSizes(w); err != nil {
		return nil, err
	}
	w.AsFree = fillUserNames(a.asFree, a.Me())
	a.applyInherit(w)
	return w, nil
}

// readSizes reads the amounts of memory.
func (a *Options) readSizes(w *vacancy.Wish) (err error) {
	for _, size := range []struct {
		name, text string
		to         *float64
	}{{"free-memory", a.freeMemory, &w.FreeMemory}, {"total-memory", a.totalMemory, &w.TotalMemory}} {
		if !a.flags.Changed(size.name) {
			continue
		}
		if *size.to, err = cli.Bytes(size.text); err != nil {
			return fmt.Errorf("--%s must be an amount of memory, such as 10GiB, not %q", size.name, size.text)
		}
	}
	return nil
}

// fillUserNames returns the names of users, with this user's name instead of an empty one.
func fillUserNames(names []string, user string) (out []string) {
	for _, name := range names {
		if name == yourself {
			name = user
		}
		out = append(out, name)
	}
	return out
}

// applyInherit applies --inherit. If neither the flag nor the environment has a value, all GPUs are visible.
func (a *Options) applyInherit(w *vacancy.Wish) {
	visible, set := a.inherit, a.flags.Changed("inherit")
	if visible == fromEnvironment {
		visible, set = os.LookupEnv("CUDA_VISIBLE_DEVICES")
	}
	w.Inherited = set
	for name := range strings.SplitSeq(visible, ",") {
		w.Visible = append(w.Visible, strings.TrimSpace(name))
	}
}

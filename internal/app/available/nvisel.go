package available

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/output/vacancy"
)

// The defaults of nvisel, and its exit code for too few GPUs. Its help says that the default is no tolerance, but it is
// 10.
const (
	nviselTolerance = 10
	nviselTooFew    = 4
)

// asNvisel gives absent flags nvisel's defaults.
func (a *Options) asNvisel(w *vacancy.Wish) {
	given := a.flags.Changed
	if !given("max-memory-percent") {
		w.MaxMemory = math.NaN()
	}
	if !given("tolerance") {
		w.Tolerance = nviselTolerance
	}
	if !given("min-count") && !given("count") {
		w.Least = 0
	}
	w.Sort = !a.noSort
}

// printAsNvisel prints the GPUs of this host that fit, even if there are too few. If the output is a pipe or a file, it
// reports the choice on standard error, as nvisel does.
func (a *Options) printAsNvisel(w vacancy.Wish, n *vacancy.Node) error {
	least := w.Least
	w.Least = 0
	names := vacancy.Names(w.Choose(n), a.format == "uuid")
	if !cli.IsTerminal(a.Out) {
		fmt.Fprintf(a.Err, "CUDA_VISIBLE_DEVICES=%q\n", strings.Join(names, ","))
	}
	if _, err := io.WriteString(a.Out, a.joinGPUs(names)); err != nil {
		return err
	}
	if len(names) < least {
		return cli.Exit(nviselTooFew, fmt.Errorf("too few GPUs: %d wanted, %d found", least, len(names)))
	}
	return nil
}

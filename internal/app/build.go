package app

import (
	"fmt"
	"io"
	"runtime"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/remote/install"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// printBuild prints how the program was built, and which probes for nodes it has: a recipe checks that it has packaged
// them.
func printBuild(out io.Writer) error {
	list, err := install.Probes()
	if err != nil {
		return cli.Failed(fmt.Errorf("the probes of this program: %w", err))
	}
	_, err = fmt.Fprintf(out, "version  %s\nbuilt    for %s/%s with %s\n",
		wire.BuildVersion(), runtime.GOOS, runtime.GOARCH, runtime.Version())
	for _, p := range list {
		if err == nil {
			_, err = fmt.Fprintf(out, "probe    %s/%s, %d bytes, SHA-256 %s\n", p.OS, p.Arch, p.Size, p.SHA256)
		}
	}
	if err == nil && len(list) == 0 {
		_, err = fmt.Fprintln(out, "probe    none: nodes are read with nvidia-smi, without ranks, users and Xids")
	}
	return cli.Failed(err)
}

//go:build probes

package install

import (
	"embed"
	"io/fs"
)

//go:embed built
var built embed.FS

// embedded is the directory with the probes.
var embedded, _ = fs.Sub(built, "built") // fails only for an invalid name

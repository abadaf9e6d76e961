//go:build !probes

package probes

import "io/fs"

// embedded is the directory with the probes: this build has none.
var embedded fs.FS

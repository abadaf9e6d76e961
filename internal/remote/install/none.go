//go:build !probes

package install

import "io/fs"

// embedded is the directory with the probes: this build has none.
var embedded fs.FS

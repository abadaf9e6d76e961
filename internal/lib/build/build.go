// Package build has the version of this program. The program and the separate probe share it.
package build

import (
	"cmp"
	"runtime/debug"
)

// version is set by scripts/build: -ldflags '-X …/internal/lib/build.version=1.2.3'.
var version = ""

// Version returns the version of a release build, or else of the module, or else "devel".
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if ok && info.Main.Version != "(devel)" {
		return cmp.Or(version, info.Main.Version, "devel")
	}
	return cmp.Or(version, "devel")
}

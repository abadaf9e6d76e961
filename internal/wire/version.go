package wire

import (
	"cmp"
	"runtime/debug"
)

// buildVersion is set by scripts/build: -ldflags '-X …/internal/wire.buildVersion=1.2.3'.
var buildVersion = ""

// BuildVersion returns the version of a release build, or else of the module, or else "devel". The program and the
// separate probe share it.
func BuildVersion() string {
	info, ok := debug.ReadBuildInfo()
	if ok && info.Main.Version != "(devel)" {
		return cmp.Or(buildVersion, info.Main.Version, "devel")
	}
	return cmp.Or(buildVersion, "devel")
}

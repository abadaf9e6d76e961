package app

import "runtime/debug"

// version is set by a release build: -ldflags '-X …/internal/app.version=1.2.3'.
var version = ""

// Version is the program's version: a release's, else the module's, else "devel".
func Version() string {
	if version != "" {
		return version
	}
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return "devel"
	}
	return info.Main.Version
}

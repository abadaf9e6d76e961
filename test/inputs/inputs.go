// Package inputs makes the cache of "go test" notice files that only child processes of a test read.
package inputs

import (
	"io/fs"
	"path/filepath"
	"testing"
)

// Watch says that the result of a test depends on these files, and on all files below these directories.
func Watch(t testing.TB, paths ...string) {
	t.Helper()
	for _, path := range paths { // what the walk opens is in the key of the result
		if err := filepath.WalkDir(path, func(_ string, _ fs.DirEntry, err error) error { return err }); err != nil {
			t.Fatal(err)
		}
	}
}

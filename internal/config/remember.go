package config

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The choices that are kept between runs.
const (
	Colors = "colors"
	View   = "view"
)

// choices lists the valid values of each remembered choice.
var choices = map[string][]string{
	Colors: {"job", "classic"},
	View:   {"node", "overview"},
}

// Remembered returns the last choice of that name, or "" if there is none or it cannot be read.
func Remembered(name string) string {
	path, err := file(name)
	if err != nil {
		return ""
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	if word := strings.TrimSpace(string(text)); slices.Contains(choices[name], word) {
		return word
	}
	return ""
}

// Remember saves a choice for the next run. A caller may ignore the error, for example from a full home directory.
func Remember(name, word string) error {
	path, err := file(name)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(word+"\n"), 0o600)
}

// file returns the path of the file that holds one choice as a single word.
func file(name string) (string, error) {
	return path("XDG_STATE_HOME", filepath.Join(".local", "state"), name)
}

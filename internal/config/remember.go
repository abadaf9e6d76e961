package config

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// The choices that are remembered between runs.
const (
	Colors    = "colors"
	View      = "view"
	transport = "transport"
)

// The values of Config.Colors.
const (
	ColorsJob     = "job"     // a color means trouble
	ColorsClassic = "classic" // a color means a level of utilization
)

// ColorsOf returns the value of Config.Colors: the classic colors, or the others.
func ColorsOf(classic bool) string {
	if classic {
		return ColorsClassic
	}
	return ColorsJob
}

// choices lists the valid values of each remembered choice.
var choices = map[string][]string{
	Colors:    {ColorsJob, ColorsClassic},
	View:      {"node", "overview"},
	transport: Transports[1:],
}

// Transport returns the name of the choice that remembers which transport last reached a node of a cluster.
func Transport(cluster string) string {
	return transport + "-" + strings.Map(func(r rune) rune {
		if r == '-' || r == '.' || r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
			return r
		}
		return '_'
	}, cluster[:min(len(cluster), 64)])
}

// Remembered returns the last choice with that name, or "" if there is none or it cannot be read.
func Remembered(name string) string {
	path, err := choicePath(name)
	if err != nil {
		return ""
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	kind, _, _ := strings.Cut(name, "-")
	if word := strings.TrimSpace(string(text)); slices.Contains(choices[kind], word) {
		return word
	}
	return ""
}

// RememberedLately does what Remembered does, but returns "" for a choice that was saved longer ago than a given time.
func RememberedLately(name string, within time.Duration) string {
	path, err := choicePath(name)
	if err != nil {
		return ""
	}
	if info, err := os.Stat(path); err != nil || time.Since(info.ModTime()) > within {
		return ""
	}
	return Remembered(name)
}

// Remember saves a choice for the next run. A caller may ignore the error, for example if the home directory is full:
// then the previous choice stays.
func Remember(name, word string) error {
	path, err := choicePath(name)
	if err != nil {
		return err
	}
	return replaceFile(path, word+"\n", nil)
}

// MarkDir returns the directory of the marks of the user's jobs.
func MarkDir() (string, error) { return choicePath("marks") }

// RunsFile returns the file of what is kept of the user's jobs.
func RunsFile() (string, error) { return choicePath("runs.jsonl") }

// AnswersDir returns the directory of SLURM's answers that programs share with each other.
func AnswersDir() (string, error) { return choicePath("answers") }

// choicePath returns the path of the file that holds one choice as a single word.
func choicePath(name string) (string, error) {
	return userFilePath("XDG_STATE_HOME", filepath.Join(".local", "state"), name)
}

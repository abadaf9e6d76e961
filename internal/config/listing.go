package config

import (
	"os"
	"time"
)

// Listing returns the jobs and nodes kept for the shell's completion, one per line. It reports false if they are older
// than a time, or were never kept.
func Listing(within time.Duration) (text string, fresh bool) {
	path, err := file("completion")
	if err != nil {
		return "", false
	}
	info, err := os.Stat(path)
	if err != nil || time.Since(info.ModTime()) > useful {
		return "", false
	}
	text, err = contents(path)
	return text, err == nil && time.Since(info.ModTime()) <= within
}

// useful is the age up to which a listing is better than none.
const useful = time.Hour

// KeepListing keeps the jobs and nodes.
func KeepListing(text string) error {
	path, err := file("completion")
	if err != nil {
		return err
	}
	return replace(path, text, nil)
}

// Words returns the words that the setting of a flag takes; nil: it takes others too.
func Words(flag string) []string {
	if s := named(flag); s != nil {
		return s.among
	}
	return nil
}

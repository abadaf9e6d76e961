package config

import (
	"os"
	"path/filepath"
	"strings"
)

// colorsFile holds the palette that was chosen last with a key, one word.
func colorsFile() (string, error) {
	dir := os.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(dir) {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", err
		}
		dir = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(dir, "nvnodetop", "colors"), nil
}

// RememberedColors is the palette that was chosen last, "job" when none was or when it cannot be read.
func RememberedColors() string {
	if path, err := colorsFile(); err == nil {
		if word, err := os.ReadFile(path); err == nil && strings.TrimSpace(string(word)) == "classic" {
			return "classic"
		}
	}
	return "job"
}

// RememberColors keeps the choice for the next run. A caller may ignore the error, such as that of a full home: this run has its choice.
func RememberColors(colors string) error {
	path, err := colorsFile()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(colors+"\n"), 0o600)
}

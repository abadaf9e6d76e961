package config

import "github.com/nvnodetop/nvnodetop/internal/text"

// typo is the most changes that make a name the misspelling of another one.
const typo = 2

// alike names the key that a wrong one may be meant to be.
func alike(key string) string {
	var keys []string
	for i := range settings {
		keys = append(keys, settings[i].key)
	}
	near, far := text.Nearest(key, keys)
	if far > max(typo, len(key)/2) {
		return "nvnodetop config lists all keys"
	}
	return "the nearest is " + near
}

package config

import "github.com/nvnodetop/nvnodetop/internal/lib/text"

// typo is the maximum number of changes in a misspelled name.
const typo = 2

// nearestKey returns the key that a wrong one probably means.
func nearestKey(key string) string {
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

package config

import "github.com/nvnodetop/nvnodetop/internal/lib/text"

// typo is the largest number of changes in a name that still counts as misspelled.
const typo = 2

// nearestKey returns the key that the user probably meant by a wrong one.
func nearestKey(key string) string {
	var keys []string
	for i := range settings {
		keys = append(keys, settings[i].key)
	}
	if near := text.Similar(key, keys); near != "" {
		return "the nearest is " + near
	}
	return "nvnodetop config lists all keys"
}

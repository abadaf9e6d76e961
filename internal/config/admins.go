package config

import (
	"regexp"
	"slices"
)

var userName = regexp.MustCompile(`^[A-Za-z0-9_.][A-Za-z0-9_.@$+-]{0,63}$`)

// adminsSetting is the setting for the users who see everybody's jobs. A user's own setting for this does not count.
func adminsSetting() setting {
	admins := func(c *Config) *[]string { return &c.Admins }
	s := newSetting("admins", "a list of names of users", admins, func(v any) ([]string, bool) {
		names, ok := asList(v)
		return names, ok && !slices.ContainsFunc(names, func(name string) bool { return !userName.MatchString(name) })
	}, tomlList)
	return withSystemLimit(s, admins, func(own, system []string) bool { return !slices.Equal(own, system) })
}

package config

import (
	"regexp"
	"slices"
)

var userName = regexp.MustCompile(`^[A-Za-z0-9_.][A-Za-z0-9_.@$+-]{0,63}$`)

// adminsSetting is the setting for the users who see everybody's jobs. A user's own setting for this does not count.
func adminsSetting() setting {
	return setting{
		key: "admins", want: "a list of user names",
		take: func(c *Config, v any) bool {
			names, ok := asList(v)
			wrong := func(name string) bool { return !userName.MatchString(name) }
			return storeValid(&c.Admins)(names, ok && !slices.ContainsFunc(names, wrong))
		},
		show: func(c *Config) string { return tomlList(c.Admins) },
		bind: func(c, system *Config) bool {
			own := c.Admins
			c.Admins = system.Admins
			return !slices.Equal(own, c.Admins)
		},
	}
}

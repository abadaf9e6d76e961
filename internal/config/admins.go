package config

import (
	"regexp"
	"slices"
)

var userName = regexp.MustCompile(`^[A-Za-z0-9_.][A-Za-z0-9_.@$+-]{0,63}$`)

// admins is the setting of the users who see the jobs of all. What users set for themselves does not count.
func admins() setting {
	return setting{
		key: "admins", want: "a list of names of users",
		take: func(c *Config, v any) bool {
			names, ok := asList(v)
			wrong := func(name string) bool { return !userName.MatchString(name) }
			return set(&c.Admins)(names, ok && !slices.ContainsFunc(names, wrong))
		},
		show: func(c *Config) string { return listed(c.Admins) },
		bind: func(c, system *Config) bool {
			own := c.Admins
			c.Admins = system.Admins
			return !slices.Equal(own, c.Admins)
		},
	}
}

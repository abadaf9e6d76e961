package settings

import (
	"cmp"
	"maps"
)

// As returns the settings for another user and port, as with `ssh -l user -p port`; empty: unchanged.
func (s *Settings) As(user, port string) *Settings {
	t := *s
	t.User, t.Port = cmp.Or(user, s.User), cmp.Or(port, s.Port)
	t.tokens = maps.Clone(s.tokens)
	t.tokens['r'], t.tokens['p'] = t.User, t.Port
	return &t
}

package config

import (
	"fmt"
	"slices"
	"strings"
)

// Auto is the transport that chooses among the others. SSH is the only one that works through a login node. Local is
// this host itself.
const (
	Auto  = "auto"
	SSH   = "ssh"
	Local = "local"
)

// Transports lists the transports to nodes.
var Transports = []string{Auto, SSH, "control", "openssh", "srun", Local}

// Doors is a set of transports, without Auto. This host is always in it.
type Doors uint32

// allDoors is the set of all transports, here the set of only this host.
var (
	allDoors = Doors(1<<len(Transports) - 2)
	here     = Doors(1 << slices.Index(Transports, Local))
)

// Has reports whether the set has a transport.
func (d Doors) Has(transport string) bool {
	at := slices.Index(Transports, transport)
	return at > 0 && d>>at&1 == 1
}

// doorNames lists the transports of the set.
func (d Doors) doorNames() []string {
	return slices.DeleteFunc(slices.Clone(Transports), func(name string) bool { return !d.Has(name) })
}

// doorsSetting is the setting of the set.
func doorsSetting() setting {
	return setting{
		key: "doors", want: "a list of " + strings.Join(Transports[1:], ", "), example: "ssh,control",
		exampleInFile: `["ssh", "control"]`,
		wrong: func(v any) string {
			return wrongWord(v, Transports[1:], "a list of "+strings.Join(Transports[1:], ", "))
		},
		take: takeDoors,
		show: func(c *Config) string { return tomlList(c.Doors.doorNames()) },
		bind: func(c, system *Config) bool {
			if c.Doors&^system.Doors == 0 {
				return false
			}
			if c.Doors &= system.Doors; c.Doors == here {
				c.Doors = system.Doors
			}
			return true
		},
	}
}

func takeDoors(c *Config, v any) bool {
	names, ok := asList(v)
	set := here
	for _, name := range names {
		at := slices.Index(Transports, name)
		ok = ok && at > 0
		set |= 1 << max(at, 0)
	}
	if ok && len(names) > 0 {
		c.Doors = set
		return true
	}
	return false
}

// checkDoors returns an error if the wanted transports are forbidden.
func (c *Config) checkDoors(o *Origins) error {
	switch {
	case c.Login != "" && c.Transport != Auto && c.Transport != SSH:
		return fmt.Errorf("login (%s) needs the transport ssh, not %s (%s)", o.Of("login"), c.Transport,
			o.Of("transport"))
	case c.Login != "" && !c.Doors.Has(SSH):
		return fmt.Errorf("login (%s) needs the transport ssh, which doors (%s) does not allow", o.Of("login"),
			o.Of("doors"))
	case c.Transport != Auto && !c.Doors.Has(c.Transport):
		return fmt.Errorf("transport %s (%s) is not allowed: doors is %s (%s)", c.Transport, o.Of("transport"),
			strings.Join(c.Doors.doorNames(), ", "), o.Of("doors"))
	}
	return nil
}

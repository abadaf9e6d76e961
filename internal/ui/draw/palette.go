package draw

import (
	"strconv"
	"strings"
)

// look is how a role is drawn: colours as SGR parameters ("38;5;245"), empty for the terminal's own, and attributes.
type look struct {
	fg, bg string
	attrs  attr
}

type attr uint8

const (
	bold attr = 1 << iota
	faint
	reverse
)

// palette is the looks of all roles but the bars, whose ink is that of another role, on a track.
type palette struct {
	looks     [roleCount]look
	track     string // background of a bar; empty: the track is drawn as ░
	selection string // background of a selected cell; empty: reversed
}

// hex, c256 and c16 name colours in the three depths; a name is "fg" or "fg/bg".
func hex(s string) string {
	n, _ := strconv.ParseUint(s, 16, 32)
	return "2;" + strconv.Itoa(int(n>>16)) + ";" + strconv.Itoa(int(n>>8&255)) + ";" + strconv.Itoa(int(n&255))
}

func c256(s string) string { return "5;" + s }

// colours fills in the colour of each role from "role order" lists; depth turns a name into what follows 38; or 48;.
func colours(depth func(string) string, names [roleCount]string) (looks [roleCount]look) {
	for r, name := range names {
		fg, bg, _ := strings.Cut(name, "/")
		if fg != "" {
			looks[r].fg = "38;" + depth(fg)
		}
		if bg != "" {
			looks[r].bg = "48;" + depth(bg)
		}
	}
	for _, r := range []Role{Strong, Warn, Crit, WarnFill, CritFill, Tab} {
		looks[r].attrs = bold
	}
	return looks
}

var (
	darkTrue = palette{track: "48;" + hex("21262d"), selection: "48;" + hex("1f3350"), looks: colours(hex, [roleCount]string{
		Dim: "8b949e", Faint: "484f58", Data: "4a83b8", Cell: "366896", Body: "25405b", Mem: "4f5a67", Ghost: "606973", GhostBar: "343c45",
		Warn: "f2b632", Crit: "ff8f6b", WarnFill: "111111/f2b632", CritFill: "ffffff/d1350f", Tab: "/30363d",
		Green: "3fb950", Yellow: "d29922", Red: "f85149",
	})}
	lightTrue = palette{track: "48;" + hex("e4e9ee"), selection: "48;" + hex("dbe9f9"), looks: colours(hex, [roleCount]string{
		Dim: "59636e", Faint: "c4cbd3", Data: "5f97c9", Cell: "9dbfdd", Body: "cfe0ef", Mem: "b4bcc5", Ghost: "87919c", GhostBar: "cdd4db",
		Warn: "8a5a00", Crit: "b93006", WarnFill: "111111/f2b632", CritFill: "ffffff/c9300c", Tab: "/d0d7de",
		Green: "1a7f37", Yellow: "9a6700", Red: "cf222e",
	})}
	dark256 = palette{track: "48;" + c256("236"), selection: "48;" + c256("236"), looks: colours(c256, [roleCount]string{
		Dim: "245", Faint: "239", Data: "67", Cell: "24", Body: "238", Mem: "240", Ghost: "241", GhostBar: "239",
		Warn: "214", Crit: "209", WarnFill: "16/214", CritFill: "231/160", Tab: "/237",
		Green: "71", Yellow: "178", Red: "203",
	})}
	light256 = palette{track: "48;" + c256("254"), selection: "48;" + c256("189"), looks: colours(c256, [roleCount]string{
		Dim: "241", Faint: "251", Data: "67", Cell: "110", Body: "153", Mem: "250", Ghost: "245", GhostBar: "252",
		Warn: "94", Crit: "130", WarnFill: "16/214", CritFill: "231/160", Tab: "/252",
		Green: "28", Yellow: "94", Red: "160",
	})}
	dark16  = sixteen("91")
	light16 = sixteen("31")
	mono    = palette{looks: [roleCount]look{
		Strong: {attrs: bold}, Dim: {attrs: faint}, Faint: {attrs: faint}, Cell: {attrs: faint}, Body: {attrs: faint}, Mem: {attrs: faint},
		Ghost: {attrs: faint}, GhostBar: {attrs: faint}, Warn: {attrs: bold}, Crit: {attrs: bold}, WarnFill: {attrs: bold},
		CritFill: {attrs: bold | reverse}, Tab: {attrs: reverse},
	}}
)

// sixteen is the palette of terminals with the user's own 16 colours. crit is the one for errors: light backgrounds need the darker red.
func sixteen(crit string) palette {
	return palette{looks: [roleCount]look{
		Strong: {attrs: bold}, Dim: {attrs: faint}, Faint: {attrs: faint},
		Data: {fg: "34"}, Cell: {fg: "34", attrs: faint}, Body: {fg: "34", attrs: faint}, Mem: {attrs: faint},
		Ghost: {attrs: faint}, GhostBar: {attrs: faint},
		Warn: {fg: "33", attrs: bold}, Crit: {fg: crit, attrs: bold}, WarnFill: {fg: "30", bg: "43"}, CritFill: {fg: "97", bg: "41", attrs: bold},
		Green: {fg: "32"}, Yellow: {fg: "33"}, Red: {fg: "31"}, Tab: {attrs: reverse},
	}}
}

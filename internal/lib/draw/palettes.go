package draw

// themeColor is a color on dark and on light terminals. Each has three names: for terminals of 16 colors (the user's
// own), of 256, and of all. All are chosen by hand: among 256 colors, the one nearest to a good color is often too
// bright or too dark beside its neighbors. The names for 16 colors are readable with xterm's own colors, where yellow
// and green on white, and dark blue on black, are not.
type themeColor [2]string

// palette has the colors of a theme.
type palette struct {
	track, selection, tab, cursor themeColor // backgrounds
	inks                          [roleCount]themeColor
	warnFill, critFill            [2]themeColor                   // ink and background
	shades                        [Fine3 - Even + 1][2]themeColor // the same, beginning with Even
	sharp                         bool                            // nothing is faint; few roles have the terminal color
	fills                         bool                            // Crit is filled on terminals with few colors
}

// standard has quiet blues, and amber for trouble.
var standard = palette{
	track:     themeColor{"- 237 #30363d", "- 252 #d0d7de"},
	selection: themeColor{"- 236 #1f3350", "- 195 #dbe9f9"},
	tab:       themeColor{"- 237 #30363d", "- 252 #d0d7de"},
	inks: [roleCount]themeColor{
		Dim:      {"- 247 #98a1ab", "- 241 #59636e"},
		Faint:    {"- 239 #484f58", "- 251 #c4cbd3"},
		Data:     {"6 74 #6a9fd2", "4 25 #35689c"},
		Cell:     {"6 24 #366896", "4 110 #9dbfdd"},
		Body:     {"6 238 #25405b", "12 110 #a9c6e2"},
		Mem:      {"- 240 #4f5a67", "- 250 #b4bcc5"},
		Ghost:    {"- 245 #89929c", "- 242 #616a74"},
		GhostBar: {"- 239 #343c45", "- 252 #cdd4db"},
		Warn:     {"3 214 #f2b632", "5 94 #8a5a00"},
		Crit:     {"9 209 #ff8f6b", "1 124 #b93006"},
		Green:    {"2 71 #3fb950", "- 22 #17722f"},
		Yellow:   {"3 178 #d29922", "5 94 #875a00"},
		Red:      {"9 210 #ff7b72", "1 160 #c4202b"},
	},
	warnFill: [2]themeColor{{"0 16 #111111", "0 16 #111111"}, {"3 214 #f2b632", "3 214 #f2b632"}},
	critFill: [2]themeColor{{"15 231 #ffffff", "15 231 #ffffff"}, {"1 160 #d1350f", "1 160 #c9300c"}},
	cursor:   themeColor{"- 254 #e6edf3", "- 236 #24292f"},
	shades: [...][2]themeColor{
		{{"- 239 #3a424b", "- 251 #c4cbd3"}, {"- - -", "- - -"}},
		{{"3 178 #d9a93a", "5 94 #7a5000"}, {"- 236 #33290f", "- 230 #f9eccb"}},
		{{"3 230 #ffdf91", "5 58 #5c3c00"}, {"- 94 #6b5216", "- 222 #efcf86"}},
		{{"3 16 #111111", "5 16 #111111"}, {"- 136 #b5882a", "- 178 #dda93a"}},
		{{"6 74 #6d9fd0", "4 25 #2f6496"}, {"- 235 #17283a", "- 195 #e0edf9"}},
		{{"6 153 #b5d6f5", "4 24 #17466f"}, {"- 24 #24507c", "- 153 #b4d2ef"}},
		{{"6 16 #ffffff", "4 16 #0b2238"}, {"- 74 #2f76b5", "- 110 #84b6e8"}},
	},
}

// sharp has a contrast of at least 7 for all text, also in the selected row. 256 colors offer no such contrast for that
// row on white: the row is reversed.
var sharp = palette{
	track:     themeColor{"- 240 #4a525c", "- 250 #b4bcc5"},
	selection: themeColor{"- 235 #14243c", "- - #e6effa"},
	tab:       themeColor{"- 237 #30363d", "- 252 #d0d7de"},
	inks: [roleCount]themeColor{
		Dim:      {"- 252 #c8ced6", "- 238 #3a424b"},
		Faint:    {"- 247 #9aa4af", "- 241 #626b74"},
		Data:     {"- 117 #8cc6ff", "- 18 #00458c"},
		Cell:     {"- 75 #5aa0e8", "- 25 #2468a8"},
		Body:     {"- 32 #3a78b8", "- 31 #3f7fbd"},
		Mem:      {"- 249 #a8b2bd", "- 240 #5a636d"},
		Ghost:    {"- 251 #bcc5ce", "- 239 #3f474f"},
		GhostBar: {"- 245 #808a94", "- 243 #757f8a"},
		Warn:     {"- 221 #ffc93c", "- 54 #5f3c00"},
		Crit:     {"- 216 #ffab8c", "- 88 #861d00"},
		Green:    {"- 114 #6fe388", "- 22 #0a5020"},
		Yellow:   {"- 221 #ffc93c", "- 54 #5f3c00"},
		Red:      {"- 217 #ffaca0", "- 88 #8a0f1a"},
	},
	warnFill: [2]themeColor{{"- 16 #000000", "- 16 #000000"}, {"- 221 #ffc93c", "- 221 #ffc93c"}},
	critFill: [2]themeColor{{"- 231 #ffffff", "- 231 #ffffff"}, {"- 88 #9c1b00", "- 88 #9c1b00"}},
	cursor:   themeColor{"- 231 #ffffff", "- 16 #000000"},
	shades: [...][2]themeColor{
		{{"- 247 #9aa4af", "- 241 #626b74"}, {"- - -", "- - -"}},
		{{"- 221 #ffc93c", "- 54 #5f3c00"}, {"- 234 #1e1a10", "- 230 #fdf5dc"}},
		{{"- 230 #fff1c9", "- 16 #2e1d00"}, {"- 236 #4a3800", "- 222 #f5d98e"}},
		{{"- 16 #000000", "- 16 #000000"}, {"- 178 #d9a400", "- 178 #e0ac2c"}},
		{{"- 117 #8cc6ff", "- 18 #00458c"}, {"- 234 #10202f", "- 255 #eef5fc"}},
		{{"- 195 #dcedff", "- 17 #002a57"}, {"- 17 #123a63", "- 153 #c0dcf7"}},
		{{"- 16 #000000", "- 16 #000000"}, {"- 117 #8cc6ff", "- 117 #7ab8f5"}},
	},
	sharp: true,
}

// colorblind has blue, orange and white only. Warnings and errors are two lightnesses of orange: users who confuse red
// and green see no other difference between these colors.
var colorblind = func() palette {
	p := standard
	p.inks[Data] = themeColor{"6 75 #62a6e4", "4 25 #2467b0"}
	p.inks[Cell] = themeColor{"6 25 #2f6fb0", "4 110 #7fb2e5"}
	p.inks[Body] = themeColor{"6 24 #1f4a75", "12 110 #9cc4ea"}
	p.inks[Warn] = themeColor{"3 221 #ffd873", "1 94 #964d00"}
	p.inks[Crit] = themeColor{"3 209 #ff7433", "1 52 #6b1d00"}
	p.inks[Green] = themeColor{"6 75 #62a6ec", "4 25 #1c65b0"}
	p.inks[Yellow] = themeColor{"15 254 #e8e8e8", "0 239 #4a4a4a"}
	p.inks[Red] = themeColor{"3 208 #ff8c1a", "1 94 #983f00"}
	p.warnFill = [2]themeColor{{"0 16 #111111", "0 16 #111111"}, {"3 214 #ffb83d", "3 214 #ffb83d"}}
	p.critFill = [2]themeColor{{"15 231 #ffffff", "15 231 #ffffff"}, {"1 130 #b84300", "1 130 #b84300"}}
	p.fills = true
	return p
}()

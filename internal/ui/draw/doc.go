// Package draw makes text pictures: a Canvas of cells, functions that put things of an exact width into them, and Themes that turn
// the finished Canvas into lines for a terminal.
//
// A cell is a glyph and a Role, which says what the glyph is for ("a label", "look at this"), never how it looks. A Theme gives each
// Role its colour when the Canvas is encoded, so all renderings of one picture have the same geometry, and ASCII is a glyph-for-glyph map.
// The looks are Lip Gloss styles. A Theme turns them into escape sequences once, when it is made.
//
// Guarantees: whatever is put outside the Canvas is cut off, and so is text wider than the room that was named for it; a glyph two
// columns wide takes two cells and is never cut in half; what has no width of its own (combining marks, joiners) is left out, so that
// every line of an encoded Canvas is as wide as all terminals think it is. Nothing here panics on any text or number.
//
// A Canvas belongs to one goroutine at a time. Themes and the rest may be used by any number.
package draw

// Package part has what the screens are made of: the Scene that they show, the Frame that they draw on, tables, the header and the footer,
// cells, graphs, and the sentences about what is wrong. Their words are those of package health; here is where they stand.
//
// Everything here draws and changes nothing but the canvas and its memory: the same Scene always gives the same picture. Positions
// depend on the size of the terminal alone, never on values. A Frame and its Scene belong to one goroutine at a time.
package part

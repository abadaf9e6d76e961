// Package table has the tables of the screens: which columns they have, in what order those come in as the terminal gets wider, and how
// a GPU, a process or a node is written in a row of them.
//
// A table is made for a width and drawn on a Frame; nothing but the Frame's canvas and memory changes. A Frame belongs to one
// goroutine at a time.
package table

// Package page has two lists of a job: its problems and its ranks. A page draws a Scene, answers the keys and the
// mouse, and says what it needs to know of the nodes. Which page is on, and the keys that lead from one to another, are
// its caller's.
//
// Pages keep what the user has chosen in them, the place in a list included. Press and Wants change that; Draw changes
// nothing. A page belongs to one goroutine.
package page

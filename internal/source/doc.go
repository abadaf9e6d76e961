// Package source makes the Events that everything on screen comes from.
//
// Demo is a simulated cluster. It emits what a real one would, in the same types, so that all behind it cannot tell the difference.
package source

// Package arch tests which package may import which, who may import certain modules such as go-nvml, and that every
// package has a doc comment. docs/PACKAGES.md is made from its table. It has no code of its own.
package arch

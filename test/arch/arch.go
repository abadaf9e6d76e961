// Package arch tests which room of the repository may import which, who may import certain modules such as go-nvml, and
// that every package has a doc comment, of which docs/PACKAGES.md is made. It has no code of its own.
package arch

// Package promises compares this program with what earlier versions have promised. A directory for each version has
// what its users rely on: documents, heads of CSV, names of metrics, settings, a recording, exit codes and the Go API.
// They stay for ever, and every later version is compared with all of them. docs/COMPATIBILITY.md has the promises.
//
// Just before a version gets its tag, -update writes its files from the program; the diff, in which times change too,
// is reviewed against the promises.
package promises

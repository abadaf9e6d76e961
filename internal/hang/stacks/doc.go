// Package stacks says what the ranks of a job do: it groups them by their stacks, compares two looks, and puts the
// result into words.
//
// A Survey asks the nodes of a job, each once, and makes a Look of their answers: the threads of each rank and of its
// worker processes, or the reason why they are not known. Everything else is a pure function of one Look, or of two:
// the groups of ranks with equal stacks, the place where two groups part, the ranks that have moved, and Of, the
// document from which the screen, the command, reports and recordings draw.
//
// Two ranks have equal stacks if the frames of their main threads agree in function and file: lines may differ inside
// of a group. A rank has moved if its main thread was elsewhere in the look before, line by line. A stack that did not
// change proves little: the rank may wait, or compute in a library. So State is Stuck only where all ranks were read,
// and the wait of most of them shows.
//
// Strings of a node are made harmless when a Survey takes its answer.
package stacks

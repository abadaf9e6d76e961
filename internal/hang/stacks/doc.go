// Package stacks says what the ranks of a job do: it groups them by their stacks, compares two looks, and puts the
// result into words.
//
// A Survey asks each node of a job once, and makes a Look of the answers: the threads of each rank and of its worker
// processes, or the reason why they are not known. Everything else is a pure function of one Look, or of two: the
// groups of ranks with equal stacks, the place where two groups part, the ranks that have moved, and Of, which makes
// the document from which the screen, the command, reports and recordings draw.
//
// Two ranks have equal stacks if the frames of their main threads agree in function and file; lines may differ within a
// group. A rank has moved if any line of its main thread's stack differs from the look before. A stack that did not
// change proves little: the rank may wait, or compute in a library. So State is Stuck only if all ranks were read, and
// most of them can be seen to wait.
//
// A Survey makes the strings of a node harmless when it takes the answer.
package stacks

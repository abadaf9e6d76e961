package keys

// Exception is a set of keys with several meanings each in the usual map, and the reason. All other keys have the same
// meaning on all pages that have them. Prompts and dialogs do not count, since they have the keyboard for themselves.
type Exception struct {
	Keys     string
	Meanings int // of each key
	Reason   string
}

// Exceptions are all exceptions.
var Exceptions = []Exception{
	{"up down k j", 4, "The node view and the connection have no cursor: there they change the job, and in the page " +
		"of a GPU the node. Without a job they scroll the pending jobs; a log and a report have lines to scroll."},
	{"K", 2, "The overview, the node view and the connection: the previous job. On pages of processes it asks " +
		"whether to send SIGKILL, as T asks for SIGTERM and I for SIGINT: each is the first letter of its signal."},
	{"enter", 3, "It opens the thing under the cursor; a setting has nothing to open, and takes its next value. In " +
		"the metrics of a process it goes back to the list."},
	{"space", 2, "It marks the row under the cursor: a process gets a tag, a group of the stacks a mark. A " +
		"column of the settings is shown or hidden."},
	{"q Q f10", 2, "On pages about one process it leads back; elsewhere it quits."},
	{"n N", 2, "In the log they lead to matches, or to lines that matter; elsewhere to problems."},
	{"/", 2, "A log has no rows to hide: there it searches, as in less."},
	{"c", 3, "On the stacks it compares two groups, on a report two jobs; elsewhere it leads to the cluster."},
	{"e", 2, "It opens the environment of a process, and closes it."},
}

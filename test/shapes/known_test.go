package shapes

// Known are the shapes that are still judged wrongly, with the reason. A test fails when one of them is judged right,
// so that none stays here.
var Known = map[string]string{
	"m04 no cause before":  "no measure shows a quarter at full clocks",
	"p16 two, 1.6x before": "of two GPUs at unlike power none counts as in step",
	"q04 slow teacher":     "the GPUs of one role are compared with those of the other",
}

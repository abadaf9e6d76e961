package srun

import (
	"testing"
	"time"
)

// newQuietStep is a step without an srun: the test says what srun prints.
func newQuietStep(nodes ...string) *step {
	d := New()
	d.limits.partial = time.Minute
	d.Know(job7(nodes...))
	b := &batch{stepOptions: stepOptions{crew: d.crews[0]}}
	for _, n := range nodes {
		b.wishes = append(b.wishes, &taskRequest{node: n})
	}
	return d.newStep(b)
}

// TestStandardErrorOvertakesStandardOutput: they are two pipes, each with its own reader.
func TestStandardErrorOvertakesStandardOutput(t *testing.T) {
	s := newQuietStep("a", "b")
	s.handleErrors(1, []byte("what the script needs\n"))
	s.handleErrors(1, []byte(exitMark+"3\n"))
	s.handleOutput(1, []byte(taskMark+"b\n"))
	s.handleOutput(1, []byte(exitMark+"3\n"))
	task := s.tasks["b"]
	if !task.gone() {
		t.Fatal("a task that has ended goes on for as long as the step")
	}
	if words := task.words.String(); task.exit.Status != 3 || !task.exit.Known || words != "what the script needs\n" {
		t.Errorf("ended with %+v, %q", task.exit, words)
	}
	s.handleErrors(-1, []byte("srun: error: a: task 0: Killed\n"))
	s.handleOutput(0, []byte(taskMark+"a\n"))
	if task = s.tasks["a"]; !task.gone() || task.exit.Signal != "KILL" {
		t.Errorf("a task that was killed at once: %+v", task.exit)
	}
}

// TestOnlySrunSpeaksForSrun: what a task prints says nothing about others, also before it is known where it runs.
func TestOnlySrunSpeaksForSrun(t *testing.T) {
	s := newQuietStep("a", "b")
	s.handleOutput(0, []byte(taskMark+"a\n"))
	s.handleErrors(1, []byte("srun: error: a: task 0: Killed\n"))
	s.handleErrors(1, []byte("srun: error: Node failure on a\n"))
	if s.tasks["a"].gone() {
		t.Fatal("a task has ended another one")
	}
	s.handleErrors(-1, []byte("srun: error: a: task 0: Killed\n"))
	if !s.tasks["a"].gone() {
		t.Error("srun is not heard")
	}
}

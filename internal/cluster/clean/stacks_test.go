package clean

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/pkg/schema"
)

// What comes from a recording is as hostile as what comes from a node.
func TestStacks(t *testing.T) {
	const evil = "a\x1b[2Jb\a"
	d := &schema.Stacks{Job: evil, State: evil, Headline: evil, Said: []string{evil},
		NCCL: &schema.StackNCCL{Version: evil,
			State: evil, Said: []string{evil}}, Groups: []schema.StackGroup{{Summary: evil, Members: evil, Collective: evil,
			Ranks:    []schema.StackRank{{Node: evil, State: evil}},
			Frames:   []schema.StackFrame{{Function: evil, File: evil, Lines: []schema.StackLine{{Members: evil}}}},
			Threads:  []schema.StackThread{{Name: evil, Summary: evil, Frames: []schema.StackFrame{{Function: evil}}}},
			Workers:  []schema.StackWorker{{Node: evil, Name: evil, File: evil, Mount: evil, FileSystem: evil, Summary: evil}},
			Children: []schema.StackChild{{Node: evil, Name: evil, State: evil, Summary: evil}}}},
		Refused: []schema.StackRefusal{{ID: evil, Cause: evil, Hint: evil, Members: evil}}}
	d.Groups = append(d.Groups, schema.StackGroup{Summary: "nobody"})
	for range 100 {
		d.Said = append(d.Said, evil)
	}
	got := Stacks(d)
	if text := fmt.Sprintf("%+v %+v", *got, *got.NCCL); strings.ContainsAny(text, "\x1b\a") || len(got.Said) != maxSaid {
		t.Errorf("%d sentences, %q", len(got.Said), text)
	}
	if len(got.Groups) != 1 {
		t.Errorf("%d groups: those without ranks are none", len(got.Groups))
	}
	if d.Groups[0].Frames[0].Function != evil {
		t.Error("the original has changed")
	}
}

package clean

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster/rankstacks"
)

// What comes from a recording is as hostile as what comes from a node.
func TestStacks(t *testing.T) {
	const evil = "a\x1b[2Jb\a"
	d := &rankstacks.Verdict{Job: evil, State: evil, Headline: evil, Said: []string{evil},
		NCCL: &rankstacks.NCCL{Version: evil,
			State: evil, Said: []string{evil}}, Groups: []rankstacks.Group{{Summary: evil, Members: evil, Collective: evil,
			Ranks:    []rankstacks.Rank{{Node: evil, State: evil}},
			Frames:   []rankstacks.Frame{{Function: evil, File: evil, Lines: []rankstacks.Line{{Members: evil}}}},
			Threads:  []rankstacks.Thread{{Name: evil, Summary: evil, Frames: []rankstacks.Frame{{Function: evil}}}},
			Workers:  []rankstacks.Worker{{Node: evil, Name: evil, File: evil, Mount: evil, FileSystem: evil, Summary: evil}},
			Children: []rankstacks.Child{{Node: evil, Name: evil, State: evil, Summary: evil}}}},
		Refused: []rankstacks.Refusal{{ID: evil, Cause: evil, Hint: evil, Members: evil}}}
	d.Groups = append(d.Groups, rankstacks.Group{Summary: "nobody"})
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

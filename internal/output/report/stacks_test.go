package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/rankstacks"
	"github.com/nvnodetop/nvnodetop/internal/output/report/output"
	"github.com/nvnodetop/nvnodetop/test/valid"
)

// looked is what ranks did, in some large groups and one that is elsewhere.
func looked(sec float64, groups int) *rankstacks.Verdict {
	d := &rankstacks.Verdict{Version: 1, Job: "7", Time: at(sec), State: rankstacks.Stuck, Asked: 4, Read: 4,
		Said: []string{"3 of 4 ranks are in all_reduce."}}
	for i := range groups {
		d.Groups = append(d.Groups, rankstacks.Group{Summary: fmt.Sprintf("wait_%d  train.py:1", i), Members: "ranks 0-2",
			Ranks: make([]rankstacks.Rank, 3)})
	}
	d.Groups = append(d.Groups, rankstacks.Group{Summary: "load  \x1b[2Jdata.py:5", Members: "rank 3 · n2 GPU1",
		Outlier: true, Ranks: make([]rankstacks.Rank, 1)})
	return d
}

// A report has what the ranks did each time they were asked: the result with its time, the largest groups, and those
// that were elsewhere. A question that is answered later counts once.
func TestStacksOfTheJob(t *testing.T) {
	p := start(t)
	p.hello(0, "n1")
	p.report(1, "n1", busy(50))
	other := looked(5, 1)
	other.Job = "8"
	ask := func(sec float64, d *rankstacks.Verdict) { p.Apply(cluster.Event{At: at(sec), Stacks: d}) }
	ask(6, other)
	ask(11, looked(10, 5))
	later := looked(10, 5)
	later.NCCL = &rankstacks.NCCL{Said: []string{"NCCL 2.28.9: 3 of 4 ranks wait in AllReduce #7 for rank 3."}}
	ask(12, later)
	ask(71, looked(70, 1))
	ask(75, looked(74, 4))
	p.answer(80, theJob())
	r := p.made()
	if len(r.Stacks) != 3 || len(r.Stacks[0].Groups) != 4 || r.Stacks[0].Others != 2 || !r.Stacks[0].Groups[3].Outlier ||
		r.Stacks[0].NCCL == nil || !r.Stacks[1].Time.Equal(at(70)) {
		t.Fatalf("%+v", r.Stacks)
	}
	var text, document bytes.Buffer
	if err := output.Text(&text, r, time.UTC, output.TextFormat{}); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(text.String(), "0 smaller groups") {
		t.Errorf("it counts groups that are not there:\n%s", text.String())
	}
	for _, want := range []string{"\nWhat its ranks did when they were asked\n",
		"  18:00:10, stuck: NCCL 2.28.9: 3 of 4 ranks wait in AllReduce #7 for rank 3. 3 of 4 ranks are in all_reduce.\n",
		"  18:00:10, 3 ranks: wait_0  train.py:1 (ranks 0-2)\n", "  18:00:10, ▲ 1 rank: load  ",
		"data.py:5 (rank 3 · n2 GPU1)\n  18:00:10, 2 smaller groups\n  18:01:10, stuck: 3 of 4 ranks are in all_reduce.\n",
		"  18:01:14, 1 smaller group\n"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("it does not say %q:\n%s", want, text.String())
		}
	}
	if strings.Contains(text.String(), "\x1b") {
		t.Errorf("%q", text.String())
	}
	if err := output.JSON(&document, r); err != nil {
		t.Fatal(err)
	}
	valid.Document(t, output.Schema, document.Bytes())
}

// A recording without names leads to a report without names, which still says how many ranks were where.
func TestStacksWithoutNames(t *testing.T) {
	p := start(t)
	ask := looked(10, 1)
	ask.Said = nil
	for i := range ask.Groups {
		ask.Groups[i].Summary, ask.Groups[i].Members = "", ""
	}
	p.Apply(cluster.Event{At: at(11), Stacks: ask})
	var text bytes.Buffer
	if err := output.Text(&text, p.made(), time.UTC, output.TextFormat{}); err != nil {
		t.Fatal(err)
	}
	if want := "  18:00:10, stuck\n  18:00:10, 3 ranks\n  18:00:10, ▲ 1 rank\n"; !strings.Contains(text.String(), want) {
		t.Errorf("%s", text.String())
	}
	if document, err := json.Marshal(p.made().Stacks); err != nil || strings.Contains(string(document), "members") {
		t.Errorf("%s, %v", document, err)
	}
}

package command

import (
	"fmt"
	"maps"
	"testing"
)

func TestRecords(t *testing.T) {
	const out = "Welcome!\nJobId=7 ArrayJobId=5 JobName=a  b\nc\n\nJobId=$X\n   CPUs/Task=1 ReqB:S:C:T=0:0:*:*\n" +
		"     Nodes=n1 GRES=\n    Four=1\n  Two=2\n   no key\n   a.b=c\n   =d\n   Power=\r\n   \n\n\n" +
		"JobId=8 JobName=\nJobId=9 JobName=x\n\nJobId=x JobName=y"
	want := []Record{
		{{"JobId", "7 ArrayJobId=5 JobName=a  b\nc\n\nJobId=$X"},
			{"CPUs/Task", "1 ReqB:S:C:T=0:0:*:*\n     Nodes=n1 GRES=\n    Four=1\n  Two=2\n   no key\n   a.b=c\n   =d"},
			{"Power", ""}},
		{{"JobId", "8 JobName=\nJobId=9 JobName=x\n\nJobId=x JobName=y"}},
	}
	records := RecordsOf([]byte(out), JobLine)
	if got := fmt.Sprintf("%q", records); got != fmt.Sprintf("%q", want) {
		t.Errorf("%s, want\n%q", got, want)
	}
	if got := maps.Collect(records[0][1].Fields()); len(got) != 2 || got["CPUs/Task"] != "1" ||
		got["ReqB:S:C:T"] != "0:0:*:*" {
		t.Errorf("fields %q", got)
	}
}

// Whatever is printed is split into lines, and none of it is lost but blank ends.
func FuzzRecords(f *testing.F) {
	f.Add([]byte("x\nJobId=1 JobName=a\n   UserId=b\n     Nodes=c\n\n\nJobId=2 JobName=\n"))
	f.Add([]byte("JobId=1 JobName=\n   =\n   \n\nJobId=1 JobName=\n   A=\n \n\n"))
	f.Fuzz(func(t *testing.T, out []byte) {
		for _, r := range RecordsOf(out, JobLine) {
			if len(r) == 0 || r[0].Key != "JobId" || !JobLine.MatchString("JobId="+r[0].Text) {
				t.Fatalf("record %q", r)
			}
			for _, l := range r[1:] {
				if !isLine(recordIndent + l.Key + "=" + l.Text) {
					t.Fatalf("line %q", l)
				}
			}
		}
	})
}

package slurm

import (
	"context"
	"errors"
	"strings"
	"testing"
)

func TestFindSLUID(t *testing.T) {
	const sluid = "s4Y5M8CR7ZYE00"
	shown := func(head string) string {
		return head + " JobName=x\n   SLUID=" + sluid + "\n   UserId=alice(20001) GroupId=alice(20001)\n" +
			"   Command=/x\n   SubmitLine=SLUID=s0000000000000\n\n"
	}
	other := "JobId=9 JobName=x\n   SLUID=s4Y5M8CR7ZYE01\n   UserId=alice(1)\n\n"
	forged := "JobId=9 JobName=x\n   UserId=alice(1)\n   Command=/x\n   Comment=y\n   SLUID=" + sluid + "\n\n"
	unknown := "scontrol_print_job error: Invalid job id specified\n"
	for title, test := range map[string]struct{ asked, out, stderr, sacct, want string }{
		"a job":           {sluid, other + shown("JobId=48211"), "", "", "48211"},
		"a task":          {sluid, shown("JobId=16 ArrayJobId=2 ArrayTaskId=13"), "", "", "2_13"},
		"an array":        {sluid, shown("JobId=2 ArrayJobId=2 ArrayTaskId=3-9%2"), "", "", "2"},
		"a component":     {sluid, shown("JobId=4 HetJobId=3 HetJobOffset=1"), "", "", "3+1"},
		"as it is typed":  {"S4y5m8cr7zyeoO", shown("JobId=48211"), "", "", "48211"},
		"forgotten":       {sluid, "", unknown, "48211|48211|" + sluid + "\n", "48211"},
		"forgotten array": {sluid, "", unknown, "2_[3-9%2]|2|" + sluid + "\n", "2"},
		"22.05":           {sluid, "", unknown, "", "SLURM does not know the SLUID \"s4Y5M8CR7ZYE00\""},
		"all jobs":        {sluid, other + forged, "", "", "SLURM does not know the SLUID"},
		"away": {sluid, "", "slurm_load_jobs error: Unable to contact slurm controller (connect failure)\n", "",
			"slurmctld not responding"},
	} {
		id, number, err := FindSLUID(t.Context(), func(_ context.Context, argv ...string) ([]byte, []byte, error) {
			switch {
			case argv[0] == "sacct" && test.sacct == "":
				return nil, []byte("sacct: fatal: Bad job/step specified: s4Y5M8CR7ZYE00\n"), errors.New("exit status 1")
			case argv[0] == "sacct":
				return []byte(test.sacct), nil, nil
			case test.stderr != "":
				return nil, []byte(test.stderr), errors.New("exit status 1")
			}
			return []byte(test.out), nil, nil
		}, test.asked)
		if got := id; err == nil && got != test.want || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %q, %v, want %q", title, id, err, test.want)
		}
		if want := map[string]string{"2_13": "16", "3+1": "4"}[id]; want != "" && number != want {
			t.Errorf("%s: number %q, want %q", title, number, want)
		}
	}
	for text, is := range map[string]bool{sluid: true, "S4y5m8cr7zyeoO": true, "48211": false, "2_13": false, "": false,
		"s4Y5M8CR7ZYE0": false, "s4Y5M8CR7ZYE0U": false, "s4Y5M8CR7ZYE00.0": false, "slurm-48211.out": false} {
		if IsSLUID(text) != is {
			t.Errorf("%q", text)
		}
	}
}

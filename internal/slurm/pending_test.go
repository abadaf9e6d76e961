package slurm

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

const secondSqueue = "squeue --me --noheader --Format=JobID:|,tres-alloc:|,tres-per-job:|,tres-per-task:|,numtasks:|"

// These lines were recorded.
const requestLines = "10|cpu=1,mem=250G,node=1,billing=1,gres/gpu=3|gres:gpu:3|N/A|1|\n" +
	"11|cpu=2,mem=250G,node=1,billing=2,gres/gpu=4|N/A|gres:gpu:2|2|\n9|cpu=1,mem=250G,node=1,billing=1|N/A|N/A|1|\n"

// squeue is asked a second time only for waiting jobs that are new and whose GPUs the first one does not tell: once for
// all of them, and at most once a minute.
func TestRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		waits := func(number, gres string) record {
			return record{id: number, number: number, state: "PD", word: "PENDING", nodes: "2", gres: gres}
		}
		slurm := &fakeSlurm{says: map[string]string{secondSqueue: requestLines}, fail: map[string]error{}}
		c := newClient(slurm.run)
		look := func(seconds int, asked int, want string, jobs ...record) {
			t.Helper()
			slurm.records, slurm.asked = jobs, nil
			answer, err := askAll(t, c)
			if err != nil {
				t.Fatal(err)
			}
			var words []string
			for i := range answer.Pending {
				p, gpus := &answer.Pending[i], "?"
				if p.GPUs != nil {
					gpus = fmt.Sprint(*p.GPUs)
				}
				words = append(words, p.ID+":"+gpus)
			}
			times := strings.Count(strings.Join(slurm.asked, "\n"), secondSqueue)
			if got := strings.Join(words, " "); got != want || times != asked {
				t.Errorf("%s, asked %q; want %s", got, slurm.asked, want)
			}
			time.Sleep(time.Duration(seconds) * time.Second)
		}
		look(30, 0, "8:4", waits("8", "gres:gpu:2"))
		look(30, 1, "8:4 9:? 10:3", waits("8", "gres:gpu:2"), waits("9", "N/A"), waits("10", "N/A"))
		look(31, 0, "9:? 10:3 11:?", waits("9", "N/A"), waits("10", "N/A"), waits("11", "N/A")) // not again so soon
		slurm.fail[secondSqueue] = errors.New("slow down")
		look(61, 1, "10:3 11:?", waits("10", "N/A"), waits("11", "N/A"))
		delete(slurm.fail, secondSqueue)
		look(61, 1, "10:3 11:4", waits("10", "N/A"), waits("11", "N/A"))
		look(61, 0, "10:3 11:4", waits("10", "N/A"), waits("11", "N/A"))
		look(0, 0, "8:4", waits("8", "gres:gpu:2"))
	})
}

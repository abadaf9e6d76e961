package notify

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/health/say"
)

func document(title string) *MessageDocument {
	return Sender{"login1", "alice"}.Document(&Message{Title: title, Text: "two\nlines", Count: 1,
		Items: []Item{{Event: say.EventFailure, Severity: cluster.Critical, Job: "7", Name: "train",
			GPU:   cluster.NoNumber,
			State: cluster.JobFailed, Exit: &cluster.Exit{Code: 3}, Title: title}}})
}

// A program gets the whole message, and no value that is unknown.
func TestDocument(t *testing.T) {
	var got map[string]any
	if err := json.Unmarshal(document("7 train: failed").encodeJSON(), &got); err != nil {
		t.Fatal(err)
	}
	news := got["news"].([]any)[0].(map[string]any)
	if got["title"] != "7 train: failed" || got["text"] != "7 train: failed\ntwo\nlines" || got["host"] != "login1" ||
		news["event"] != "failure" || news["severity"] != "critical" || news["exit_code"] != 3. ||
		news["job_state"] != "FAILED" {
		t.Errorf("%v", got)
	}
	for _, absent := range []string{"gpu", "node", "kind", "since", "signal"} {
		if v, there := news[absent]; there {
			t.Errorf("%s is %v", absent, v)
		}
	}
}

// Programs get the place of a problem: node, GPU, kind and since when.
func TestNewsOfAGPU(t *testing.T) {
	at := time.Date(2026, 11, 20, 18, 0, 0, 0, time.UTC)
	for gpu, want := range map[int]any{3: 3., 0: 0., cluster.NoNumber: nil} {
		text, err := json.Marshal(NewsOf(&Item{At: at, Since: at, Event: say.EventGPU, Kind: cluster.KindLost,
			Severity: cluster.Critical, Job: "7", Name: "train", Node: "n1", GPU: gpu, Title: "lost", Over: true}))
		var got map[string]any
		if err := errors.Join(err, json.Unmarshal(text, &got)); err != nil {
			t.Fatal(err)
		}
		if got["gpu"] != want || got["node"] != "n1" || got["kind"] != "gpu_lost" || got["over"] != true ||
			got["since"] != "2026-11-20T18:00:00Z" || got["job"] != "7" {
			t.Errorf("GPU %d: %s", gpu, text)
		}
	}
}

// A list of mail addresses may have as many as are allowed.
func TestRecipients(t *testing.T) {
	for n, well := range map[int]bool{1: true, mostAddresses: true, mostAddresses + 1: false} {
		list := strings.TrimSuffix(strings.Repeat("A User <a@b.example>, ", n), ", ")
		if got, err := parseRecipients(list); (err == nil) != well || well && (len(got) != n || got[0] != "<a@b.example>") {
			t.Errorf("%d: %v, %v", n, got, err)
		}
	}
}

// A way that hangs delays no other, and keeps the newest messages; the caller never waits. A failure is said once.
func TestPost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var got, stuck, said []string
		p := OpenWays([]Way{
			{Name: "stuck", Send: func(ctx context.Context, d *MessageDocument) error {
				mu.Lock()
				stuck = append(stuck, d.Title)
				mu.Unlock()
				<-ctx.Done()
				return ctx.Err()
			}},
			{Name: "broken", Send: func(context.Context, *MessageDocument) error { return errors.New("broken") }},
			{Name: "fine", Send: func(_ context.Context, d *MessageDocument) error {
				got = append(got, d.Title)
				return nil
			}},
		}, func(line string) {
			mu.Lock()
			defer mu.Unlock()
			said = append(said, line)
		})
		for n := range 40 {
			p.Send(document(strings.Repeat("x", n)))
			synctest.Wait()
		}
		began := time.Now()
		if p.Close(time.Second) || time.Since(began) > time.Second+lingering {
			t.Errorf("the end took %v", time.Since(began))
		}
		if len(got) != 40 || len(stuck) != 1 ||
			!slices.Equal(said, []string{"a message was not delivered by broken: broken"}) {
			t.Errorf("%d delivered, %d tried of what is stuck, said %q", len(got), len(stuck), said)
		}
	})
}

// At the end what waits is delivered.
func TestCloseDelivers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		p := OpenWays([]Way{{Name: "slow", Send: func(context.Context, *MessageDocument) error {
			time.Sleep(time.Second)
			n++
			return nil
		}}}, nil)
		for range 5 {
			p.Send(document("x"))
		}
		if !p.Close(time.Minute) || n != 5 {
			t.Errorf("%d of 5", n)
		}
	})
}

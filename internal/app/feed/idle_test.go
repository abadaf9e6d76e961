package feed

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster/store"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/output/export"
	"github.com/nvnodetop/nvnodetop/internal/output/web"
	"github.com/nvnodetop/nvnodetop/internal/source"
	"github.com/nvnodetop/nvnodetop/test/feedtest"
)

// touched counts keys.
type touched struct {
	Feed
	keys atomic.Int32
}

func (t *touched) Touch() { t.keys.Add(1) }

func TestKeysPutOffTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began, from := time.Now(), &touched{}
		a := NewAttended(from)
		go func() {
			for range 3 {
				time.Sleep(50 * time.Minute)
				a.Touch()
			}
		}()
		err := a.Left(t.Context(), time.Hour, "key")
		if took := time.Since(began); err == nil || took != 3*50*time.Minute+time.Hour || from.keys.Load() != 3 {
			t.Errorf("%v after %v and %d keys", err, took, from.keys.Load())
		}
		ctx, cancel := context.WithTimeout(t.Context(), 1000*time.Hour)
		defer cancel()
		if err := a.Left(ctx, 0, "key"); err != nil || ctx.Err() == nil {
			t.Errorf("without a limit: %v", err)
		}
	})
}

// audience serves a feed, and returns who asks and the user that they are taken for.
func audience(from Feed) (*web.Server, *Attended) {
	user := NewAttended(&Sparing{Feed: from})
	store := store.New(time.Second, nil)
	return web.New(web.Options{
		Snapshot: store.Snapshot, Ready: tally.Settled, News: func() uint64 { return 1 }, Now: time.Now, Audience: user,
		Every: time.Second, Names: export.OwnNames, Local: true,
	}), user
}

// A scraper is no user: it puts off the end of the program, and presses no key, whatever it asks for.
func TestAScraperPressesNoKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		from := &touched{Feed: &feedtest.Feed{}}
		server, user := audience(from)
		ended := source.StartTask(func() error { return user.Left(t.Context(), time.Hour, "request") })
		handler := server.Handler()
		for range 4 * 60 * 3 {
			for _, path := range []string{"/metrics", "/api/v1/snapshot", "/api/v1/jobs"} {
				w := httptest.NewRecorder()
				handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://localhost"+path, nil))
				if w.Code != http.StatusOK {
					t.Fatalf("%s: %d", path, w.Code)
				}
			}
			time.Sleep(15 * time.Second)
		}
		early, _ := ended.Wait(0)
		if n := from.keys.Load(); n != 0 || early {
			t.Errorf("%d keys in three hours of scraping; ended: %v", n, early)
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		if _, err := ended.Wait(0); err == nil {
			t.Errorf("it goes on without a request: %v", err)
		}
	})
}

// An open page counts as few keys: never as one per second, and never as nobody.
func TestAnOpenPageCountsAsFewKeys(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		from := &touched{Feed: &feedtest.Feed{}}
		server, _ := audience(from)
		ctx, closes := context.WithCancel(t.Context())
		serving := source.StartTask(func() error { server.Run(ctx); return nil })
		page := source.StartTask(func() error {
			server.Handler().ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, http.MethodGet,
				"http://localhost/api/v1/events", nil))
			return nil
		})
		time.Sleep(time.Hour - time.Second)
		if n := from.keys.Load(); n != 3 || TouchEvery >= source.IdleAfter {
			t.Errorf("%d keys in an hour", n)
		}
		closes()
		<-serving.Done()
		<-page.Done()
	})
}

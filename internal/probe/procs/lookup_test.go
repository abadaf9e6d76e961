package procs

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// A question without an answer delays the others for a moment, once. The number of hanging questions is small.
func TestLookups(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		never := make(chan struct{})
		var mu sync.Mutex
		asked := map[int]int{}
		l := newLookups(func(k int) int {
			mu.Lock()
			asked[k]++
			mu.Unlock()
			if k < 0 {
				<-never
			}
			return 10 * k
		})
		ask := func(ks ...int) (known int) {
			for _, k := range ks {
				l.getAnswer(k)
			}
			l.awaitAnswers(time.Now().Add(lookupPatience))
			for _, k := range ks {
				if v, ok := l.getAnswer(k); ok && v == 10*k {
					known++
				}
			}
			return known
		}
		if n := ask(1, 2, 3); n != 3 {
			t.Errorf("%d of 3 answers", n)
		}
		began := time.Now()
		if n := ask(4, -1, 5); n != 1 || time.Since(began) != lookupPatience {
			t.Errorf("%d answers beside one that hangs, after %v", n, time.Since(began))
		}
		time.Sleep(stuckAfter)
		if n := ask(5, -1); n != 1 || l.isExhausted() {
			t.Errorf("%d answers when it was given up", n)
		}
		began = time.Now()
		for range 3 {
			ask(-1, 5)
		}
		mu.Lock()
		if time.Since(began) != 0 || asked[-1] != 1 || asked[5] != 1 {
			t.Errorf("waited %v, asked %v", time.Since(began), asked)
		}
		mu.Unlock()
		for k := -2; k >= -maxStuck; k-- {
			ask(k)
			time.Sleep(stuckAfter)
		}
		ask(-maxStuck)
		if n := ask(6, 5); n != 1 || !l.isExhausted() {
			t.Errorf("%d answers when too many hang, exhausted %v", n, l.isExhausted())
		}
		l.forgetAnswers(func(k int) bool { return k == 1 })
		if _, known := l.getAnswer(1); known {
			t.Error("1 is not forgotten")
		}
		close(never)
	})
}

// Slow look-ups that return do not add up to hanging look-ups. When a hanging look-up returns, the names that waited
// for it are looked up.
func TestSlowLookupsReturn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hang := make(chan struct{})
		l := newLookups(func(k int) int {
			if time.Sleep(stuckAfter + time.Second); k < 0 {
				<-hang
			}
			return 10 * k
		})
		look := func(k int) (known bool) {
			l.getAnswer(k)
			for range 5 {
				l.awaitAnswers(time.Now().Add(lookupPatience))
				time.Sleep(time.Second)
			}
			_, known = l.getAnswer(k)
			return known
		}
		for k := range 2 * maxStuck {
			if !look(k) || l.isExhausted() {
				t.Fatalf("slow look-up %d: exhausted %v", k, l.isExhausted())
			}
		}
		for k := range maxStuck {
			l.getAnswer(-1 - k)
		}
		l.getAnswer(100)
		for range maxStuck {
			look(-1)
		}
		if _, known := l.getAnswer(100); known || !l.isExhausted() {
			t.Errorf("while all hang: known %v, exhausted %v", known, l.isExhausted())
		}
		close(hang)
		synctest.Wait()
		time.Sleep(time.Minute)
		if _, known := l.getAnswer(100); !known || l.isExhausted() {
			t.Errorf("when they have returned: known %v, exhausted %v", known, l.isExhausted())
		}
	})
}

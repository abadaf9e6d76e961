package openssh

import (
	"runtime"
	"sync"
	"testing"
	"time"
)

// The main thread never ends. It must not start ssh, so that the test below is about all other threads.
func init() { runtime.LockOSThread() }

// TestSSHOutlivesTheThreadsOfThisProgram: the kernel takes the end of the thread that started ssh for the end of the
// process. A thread ends with a goroutine that is locked to it, and any part of the program may have such a goroutine.
func TestSSHOutlivesTheThreadsOfThisProgram(t *testing.T) {
	s := newSite(t, "exec sleep 600")
	var children [50]*sshProcess
	var starting sync.WaitGroup
	for i := range children {
		starting.Go(func() {
			c, err := s.d.startSSH("n", func() {})
			if err != nil {
				t.Error(err)
				return
			}
			children[i] = c
			t.Cleanup(c.killSession)
			for began := time.Now(); time.Since(began) < time.Millisecond; { // another thread must wait for its end
			}
		})
	}
	starting.Wait()
	endThreads()
	time.Sleep(300 * time.Millisecond)
	for i, c := range children {
		if c == nil || c.hasEnded() {
			t.Errorf("ssh %d has ended", i)
		}
	}
}

// endThreads ends all threads except those that are locked to a goroutine or in a system call.
func endThreads() {
	var locked, ended sync.WaitGroup
	end := make(chan struct{})
	for range 100 { // more than there are
		locked.Add(1)
		ended.Go(func() {
			runtime.LockOSThread()
			locked.Done()
			<-end
		})
	}
	locked.Wait()
	close(end)
	ended.Wait()
}

package registry

import (
	"context"
	"testing"
	"testing/synctest"
)

// K12: within a process, one goroutine at a time holds a host's lock, also when others wait or have given up. Other
// hosts are not blocked, and nothing is kept of an unused lock.
func TestK12OneAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l hostLocks
		inside, leave := map[string]int{}, make(chan bool)
		enter := func(ctx context.Context, host string) {
			unlock, err := l.lock(ctx, hostID{Partition: "p", Host: host})
			if err != nil {
				return
			}
			inside[host]++
			<-leave
			inside[host]--
			unlock()
		}
		impatient, giveUp := context.WithCancel(t.Context())
		for _, ctx := range []context.Context{t.Context(), t.Context(), impatient} {
			go enter(ctx, "a.example")
			synctest.Wait()
		}
		giveUp()
		for waiting := 1; waiting >= 0; waiting-- {
			leave <- true
			go enter(t.Context(), "a.example")
			synctest.Wait()
			if n := inside["a.example"]; n != 1 {
				t.Fatalf("%d have the host at once", n)
			}
		}
		go enter(t.Context(), "b.example")
		synctest.Wait()
		if inside["b.example"] != 1 {
			t.Error("another host is held up")
		}
		for range 3 {
			leave <- true
		}
		synctest.Wait()
		if len(l.locks) != 0 {
			t.Errorf("%d hosts are kept that nobody wants", len(l.locks))
		}
	})
}

func TestHostLockIsWaitedForWithAContext(t *testing.T) {
	var l hostLocks
	unlock, err := l.lock(t.Context(), hostID{Partition: "p", Host: "h"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := l.lock(ctx, hostID{Partition: "p", Host: "h"}); err == nil {
		t.Error("a held lock was given out")
	}
	if free, err := l.lock(t.Context(), hostID{Partition: "p", Host: "other"}); err != nil {
		t.Error(err)
	} else {
		free()
	}
	unlock()
	if len(l.locks) != 0 {
		t.Errorf("%d locks are remembered", len(l.locks))
	}
}

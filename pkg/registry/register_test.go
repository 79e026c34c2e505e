package registry

import (
	"context"
	"sync"
	"testing"
	"time"

	policy "github.com/tidemark/tidemark/pkg/policy/host"
)

// A4, A5, A7: one source has one item that its id finds, in whatever spelling, however often, and by however many
// concurrent processes it is registered.
func TestA7ConcurrentRegistrationsGiveOneItem(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		b := open(t, Options{})
		forms := []string{"https://Example.com/a?utm_source=x", "https://example.com/a/", "https://example.com:443/a#top"}
		processes := []*Registry{b.Registry, b.another(), b.another()}
		const forced = 60
		var wg sync.WaitGroup
		for i := range 90 {
			wg.Go(func() {
				got := processes[i/3%3].Items.Register(context.Background(), parse(t, forms[i%3]),
					RegisterOptions{Force: i < forced})
				if got[0].Err != nil {
					t.Error(got[0].Err)
				}
			})
		}
		wg.Wait()
		items, err := b.Items.List(t.Context(), ListQuery{Top: 10})
		if err != nil || len(items) != 1 {
			t.Fatalf("items: %v, %v; want one", items, err)
		}
		if items[0].ReindexGeneration != forced {
			t.Errorf("generation %d, want %d: a force request was lost", items[0].ReindexGeneration, forced)
		}
		found, err := b.Items.Find(t.Context(), items[0].ID)
		if err != nil || found.NormalizedSource != "https://example.com/a" {
			t.Errorf("Find: %v, %v", found.NormalizedSource, err)
		}
		b.check(t)
	})
}

func TestRegisterManyHostsAndRepeats(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		b := open(t, Options{})
		urls := append(pages("a.example", 40), pages("b.example", 3)...)
		urls = append(urls, "https://a.example/page/0#again")
		got := b.register(t, RegisterOptions{}, urls...)
		if got[0].Item.ID != got[len(got)-1].Item.ID || !got[0].Created {
			t.Error("a repeated source has another outcome than the first")
		}
		stats, err := b.Hosts.Stats(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []int{40, 3} {
			if n := stats[i].Items[Pending]; n != want {
				t.Errorf("%s has %d Pending, want %d", stats[i].Host, n, want)
			}
		}
		b.check(t)
	})
}

// Backlog waits in due rows: the queue has no more items than the host can bear.
func TestBacklogStaysOutOfTheQueue(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		slow := func(string) policy.Politeness {
			return policy.Politeness{MinDelay: time.Second, MaxDelay: time.Second, MaxConcurrent: 1}
		}
		b := open(t, Options{Politeness: slow})
		b.register(t, RegisterOptions{}, pages("a.example", 500)...)
		if jobs := b.take(t); len(jobs) != 1 || len(jobs[0].Items) != policy.JobItems {
			t.Fatalf("%d jobs for a host that bears one", len(jobs))
		}
		b.check(t)
		for range 5 { // sweeps find the host busy
			b.clock.Advance(20 * time.Second)
			if _, err := b.Jobs.Sweep(t.Context()); err != nil {
				t.Fatal(err)
			}
			b.check(t)
		}
	})
}

func TestRegisterAgainWhileOnItsWayDoesNothing(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		b := open(t, Options{})
		b.register(t, RegisterOptions{}, "https://a.example/x")
		b.clock.Advance(time.Second)
		b.register(t, RegisterOptions{}, "https://a.example/x")
		if jobs := b.take(t); len(jobs) != 1 {
			t.Errorf("%d jobs, want 1", len(jobs))
		}
		b.check(t)
	})
}

// A24: a credential that is given before a check begins is used.
func TestA24CredentialGivenLate(t *testing.T) {
	b := openMem(t, Options{})
	b.register(t, RegisterOptions{}, "https://a.example/x")
	b.clock.Advance(time.Second)
	got := b.register(t, RegisterOptions{Credential: "WIKI"}, "https://a.example/x")
	it, err := b.Items.Find(t.Context(), got[0].Item.ID)
	if err != nil {
		t.Fatal(err)
	}
	if it.Credential != "WIKI" {
		t.Errorf("the credential is %q", it.Credential)
	}
	b.check(t)
}

// A24: a credential that is given while a check runs is used, too: that check may fail without it.
func TestA24CredentialGivenDuringTheCheck(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		b := open(t, Options{})
		b.register(t, RegisterOptions{Credential: "OLD"}, "https://a.example/x")
		batch := b.begin(t, b.take(t)[0])
		b.clock.Advance(time.Second)
		b.register(t, RegisterOptions{Credential: "WIKI"}, "https://a.example/x")
		b.take(t)
		b.finish(t, batch)
		jobs := b.take(t)
		if len(jobs) != 1 {
			t.Fatalf("%d jobs after the commit, want one", len(jobs))
		}
		if again := b.begin(t, jobs[0]); again == nil || again.Items[0].Credential != "WIKI" {
			t.Errorf("the check that follows: %+v", again)
		}
		b.check(t)
	})
}

// Concurrent writers of one host in one process wait for each other instead of conflicting.
func TestManySingleRegistrationsOfOneHost(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		b := open(t, Options{})
		var wg sync.WaitGroup
		for _, u := range pages("a.example", 200) {
			wg.Go(func() {
				if got := b.Items.Register(context.Background(), parse(t, u), RegisterOptions{})[0]; got.Err != nil {
					t.Error(got.Err)
				}
			})
		}
		wg.Wait()
		b.check(t)
	})
}

package listimport_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/run/listimport"
	"github.com/tidemark/tidemark/pkg/run/mailimport"
	"github.com/tidemark/tidemark/pkg/run/runtest"
)

type rig struct {
	*runtest.Rig
	*listimport.Service
	reg *registry.Registry
}

func newRig(t *testing.T) *rig {
	r := &rig{Rig: runtest.New(t, runtest.Stores["mem"], runtest.Noon)}
	r.process()
	r.Must(r.reg.Create(t.Context()))
	r.Must(mailimport.New(r.Store, nil, nil, nil, mailimport.Options{}).Create(t.Context()))
	return r
}

// process starts a new process, which knows nothing of the last one's memory.
func (r *rig) process() {
	r.reg = registry.New(r.Seen, registry.Options{Clock: r.Clock.Now, Parallel: 1,
		Sleep: func(_ context.Context, d time.Duration) error {
			r.Clock.Pass(d)
			return nil
		}})
	r.Service = listimport.New(r.Seen, r.reg.Items, listimport.Options{Clock: r.Clock.Now,
		Step: 5, Token: func() string { return "token" }, Parse: source.DefaultRules().ParseURL})
}

func list(n int) []byte {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "https://h%d.example/%d\n", i%2, i)
	}
	return []byte(b.String() + "mailto:a@b.example\n")
}

// items counts the registered items.
func (r *rig) items() (n int) {
	r.Helper()
	for after := ""; ; {
		page, err := r.reg.Items.List(r.Context(), registry.ListQuery{Top: 200, After: after})
		r.Must(err)
		if n += len(page); len(page) < 200 {
			return n
		}
		after = registry.ListCursor(&page[199])
	}
}

// TestImport checks that a list of several steps is registered, each address once, and that importing it again adds
// nothing.
func TestImport(t *testing.T) {
	r := newRig(t)
	for again, want := range [][3]int{{12, 0, 1}, {0, 12, 1}} {
		r.Clock.Pass(time.Second)
		im, err := r.Start(t.Context(), list(12), "")
		r.Must(err)
		if im, err = r.Advance(t.Context(), im, -1); err != nil || im.Over() || im.Next != 5 {
			t.Errorf("after a step: %+v, %v", im.Next, err)
		}
		r.deliver()
		if im, err = r.Get(t.Context(), im.ID); err != nil || !im.Over() || [3]int{im.Added, im.Known, im.Refused} != want ||
			im.Refusals[0].URL != "mailto:a@b.example" || im.Refusals[0].Why == "" {
			t.Errorf("%d: %d added, %d known, %+v, %v", again, im.Added, im.Known, im.Refusals, err)
		}
		if n := r.items(); n != 12 {
			t.Errorf("%d items", n)
		}
	}
}

// TestW12FoldersAreTags checks that new items are tagged with every folder that lists them, and that existing items
// keep their tags.
func TestW12FoldersAreTags(t *testing.T) {
	r := newRig(t)
	bring := func(csv string) map[string]string {
		r.Clock.Pass(time.Second)
		im, err := r.Start(t.Context(), []byte("url,tags\n"+csv), "")
		r.Must(err)
		_, err = r.Advance(t.Context(), im, time.Minute)
		r.Must(err)
		page, err := r.reg.Items.List(t.Context(), registry.ListQuery{Top: 10})
		r.Must(err)
		tags := map[string]string{}
		for i := range page {
			tags[page[i].NormalizedSource] = strings.Join(page[i].Tags, ", ")
		}
		return tags
	}
	bring("https://a.example/,\"Ports, C/C++\"\nhttps://A.example/,sea\n")
	have := bring("https://a.example/,new\nhttps://b.example/,new\nhttps://c.example/,\n")
	want := map[string]string{"https://a.example/": "c c++, ports, sea", "https://b.example/": "new",
		"https://c.example/": ""}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Error(diff)
	}
}

// deliver hands the messages of the queue to a process until the queue is empty.
func (r *rig) deliver() {
	r.Helper()
	q := r.Store.Queue(mailimport.Queue)
	for range 50 {
		got, err := q.Receive(r.Context(), 1, time.Second)
		r.Must(err)
		if len(got) == 0 {
			return
		}
		if !r.Owns(got[0].Body) {
			r.Errorf("a message of others: %s", got[0].Body)
		}
		if r.Step(r.Context(), got[0].Body) == nil {
			r.Must(q.Delete(r.Context(), got[0]))
		} else {
			r.process()
			r.Clock.Pass(2 * time.Second)
		}
	}
}

// TestFaults checks that the import ends and counts each address once, whichever operation fails, before or after it
// took effect.
func TestFaults(t *testing.T) {
	runtest.EachFault(t, 20, 3, func(t *testing.T, f *runtest.Fault) {
		r := newRig(t)
		r.Hook.Set(f)
		im, err := r.Start(t.Context(), list(12), "")
		if err != nil {
			r.Clock.Pass(time.Second) // the user tries again
			r.process()
			im, err = r.Start(t.Context(), list(12), "")
		}
		r.Must(err)
		im, _ = r.Advance(t.Context(), im, 0)
		r.process()
		r.deliver()
		r.Hook.Set(nil)
		r.Clock.Pass(4 * time.Minute)
		_, err = r.RequeueStalled(t.Context())
		r.Must(err)
		r.deliver()
		if im, err = r.Get(t.Context(), im.ID); err != nil || !im.Over() || im.Added+im.Known != 12 || im.Refused != 1 ||
			r.items() != 12 {
			t.Errorf("%d added, %d known, %d refused of %d: %v", im.Added, im.Known, im.Refused, r.items(), err)
		}
	})
}

// TestBounds checks that a list too large for a row is refused, and so are imports beyond the limit.
func TestBounds(t *testing.T) {
	r := newRig(t)
	var b strings.Builder
	for i := range listimport.MaxAddresses {
		sum := sha256.Sum256([]byte{byte(i), byte(i >> 8)})
		fmt.Fprintf(&b, "https://a.example/%x%x%x\n", sum, sha256.Sum256(sum[:]), sha256.Sum256(sum[1:]))
	}
	if _, err := r.Start(t.Context(), []byte(b.String()), ""); !fault.Is(err, fault.Invalid) {
		t.Errorf("a list that nothing makes shorter: %v", err)
	}
	half := b.String()[:b.Len()/2]
	im, err := r.Start(t.Context(), []byte(half[:strings.LastIndex(half, "\n")]), "")
	r.Must(err)
	if im, err = r.Get(t.Context(), im.ID); err != nil || len(im.List) != im.Total {
		t.Errorf("a list that was taken cannot be read: %v", err)
	}
	var last error
	for range listimport.MaxActive + 1 {
		r.Clock.Pass(time.Second)
		_, last = r.Start(t.Context(), []byte("https://a.example/"), "")
	}
	if !fault.Is(last, fault.Conflict) {
		t.Errorf("more than may go on: %v", last)
	}
}

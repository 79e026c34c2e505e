package mailimport_test

import (
	"context"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/mbox/mboxtest"
	"github.com/tidemark/tidemark/pkg/run/mailimport"
	"github.com/tidemark/tidemark/pkg/search"
)

// engine is an index of pages by id, or one that is down.
type engine struct {
	pages map[string]search.Page
	puts  int
	down  bool
}

func (x *engine) Put(_ context.Context, pages ...search.Page) error {
	if x.down {
		return fault.New(fault.Unavailable, "the index is down")
	}
	x.puts++
	for _, p := range pages {
		x.pages[p.ID] = p
	}
	return nil
}

func (x *engine) Remove(_ context.Context, id string, _ *search.Contents) error {
	delete(x.pages, id)
	return nil
}

func (x *engine) Inspect(context.Context, string) (search.Stored, error) {
	return search.Stored{}, fault.New(fault.NotFound, "not asked")
}

// TestD6Index checks that mails can be searched as soon as they are imported, with few writes to the index; and that
// the import continues while the index is down, with the missing mails in the outbox (D6).
func TestD6Index(t *testing.T) {
	for _, down := range []bool{false, true} {
		r := newRig(t, "mem")
		x := &engine{pages: map[string]search.Page{}, down: down}
		r.index = x
		r.process()
		made := r.write("in.mbox", mboxtest.Options{Mails: 400})
		im := r.run(mailimport.Request{Path: "in.mbox"})
		if have := countsOf(im); have != first(made) {
			t.Fatalf("down %v: %+v, want %+v", down, have, first(made))
		}
		want, owed := im.Inserted, 0
		if down {
			want = 0
		}
		if len(x.pages) != want || x.puts > 10 {
			t.Errorf("down %v: %d pages by %d writes, %d inserted", down, len(x.pages), x.puts, im.Inserted)
		}
		for id, e := range r.outbox() {
			if owed++; !down {
				t.Errorf("%s is still owed: %v", id, e)
			}
		}
		if down && owed != im.Inserted {
			t.Errorf("%d owed, %d inserted", owed, im.Inserted)
		}
	}
}

// outbox returns the rows of entries that the index does not have yet.
func (r *rig) outbox() map[string]bool {
	r.Helper()
	out := map[string]bool{}
	for key := range r.all("Entries") {
		if strings.HasPrefix(key, "x|") {
			out[key] = true
		}
	}
	return out
}

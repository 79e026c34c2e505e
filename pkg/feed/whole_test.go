package feed

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/textdiff"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
	"github.com/tidemark/tidemark/pkg/storage/storagetest/mem"
)

// differing returns a change with a difference of that many passages, each of about size bytes that do not compress.
func differing(item string, passages, size int) *Change {
	rng := rand.New(rand.NewPCG(1, 2))
	c := &Change{Kind: Content, ItemID: item, To: "1", Why: "content"}
	for range passages {
		var text strings.Builder
		for text.Len() < size {
			fmt.Fprintf(&text, "%x", rng.Uint64())
		}
		c.Difference = append(c.Difference, Passage{Text: text.String(), Op: Added})
	}
	return c
}

// TestN7WholeDifference checks that everything that differs is read back with one request for a commit, that what is
// too long is cut and says so, also within one passage, and that repeated calls write the same rows.
func TestN7WholeDifference(t *testing.T) {
	clock := newClock()
	var counter storagetest.Counter
	f := Open(storagetest.Counted(mem.New(clock.now), &counter), clock.now)
	must(t, f.Create(t.Context()))
	short, many, one := differing("short", 5, 10), differing("many", 20_000, 10), differing("one", 1, 400_000)
	plain, unread := &Change{Passages: short.Difference[:2], Why: "content"}, &Change{Cut: true, Why: "content"}
	all := []*Change{short, many, one, plain, unread}
	again := *short
	counter.Reset()
	must(t, f.Keep(t.Context(), 1, all))
	if n := counter.Requests.Load(); n != 1 {
		t.Errorf("%d requests", n)
	}
	must(t, f.Keep(t.Context(), 1, all))
	must(t, f.Keep(t.Context(), 1, []*Change{plain, unread}))
	if n := counter.Requests.Load(); n != 1 {
		t.Errorf("%d requests for what is kept", n)
	}
	must(t, f.Keep(t.Context(), 1, []*Change{&again}))
	if again.Whole != short.Whole || again.Whole == "" || plain.Whole != "" || unread.Whole != "" {
		t.Errorf("kept as %q, then as %q; plain as %q, %q", short.Whole, again.Whole, plain.Whole, unread.Whole)
	}
	for _, c := range all {
		cut := c == many || c == one || c == unread
		if want := "content; " + whyCut; cut && c.Why != want || !cut && c.Why != "content" {
			t.Errorf("%s: %q", c.ItemID, c.Why)
		}
	}
	for _, want := range []*Change{short, many, one} {
		c, err := f.WithDifference(t.Context(), Change{Whole: want.Whole})
		must(t, err)
		have, whole := texts(c.Differing()), texts(want.Difference)
		if want == short && have != whole || !strings.HasPrefix(whole, have) || len(have) < min(len(whole), maxWhole/2) {
			t.Errorf("%s: %d of %d bytes", want.ItemID, len(have), len(whole))
		}
		if n := size(differenceRows.Encode(&differenceRow{c.Difference})); n > maxWhole {
			t.Errorf("%s: %d bytes compressed", want.ItemID, n)
		}
	}
	gone, err := f.WithDifference(t.Context(), Change{Whole: "00000007.x", Passages: short.Difference[:1]})
	if must(t, err); len(gone.Differing()) != 1 {
		t.Errorf("a purged difference: %v", gone.Differing())
	}
}

func texts(all []Passage) string {
	var out strings.Builder
	for _, p := range all {
		out.WriteString(p.Text)
	}
	return out.String()
}

// TestN7DifferenceWhateverFails checks that a change in the feed has its difference, whichever request fails, before or
// after it takes effect, and that the difference lasts as long as the change.
func TestN7DifferenceWhateverFails(t *testing.T) {
	for _, after := range []bool{false, true} {
		for n := 1; ; n++ {
			calls := 0
			fail := func(_ context.Context, _ storagetest.Call) error {
				if calls++; calls == n {
					return fault.New(fault.Unavailable, "the process died")
				}
				return nil
			}
			hooks := storagetest.Hooks{OnBefore: fail}
			if after {
				hooks = storagetest.Hooks{OnAfter: func(ctx context.Context, c storagetest.Call, err error) error {
					if err != nil {
						return err
					}
					return fail(ctx, c)
				}}
			}
			under, c := mem.New(time.Now), newClock()
			must(t, Open(under, c.now).Create(t.Context()))
			dies := Open(storagetest.Hooked(under, &hooks), c.now)
			for i := range 4 {
				for commit(t, dies, fmt.Sprint("g", i), differing("harbour", 5, 10)) != nil {
				}
				c.t = c.t.Add(20 * time.Hour)
			}
			for range 4 {
				_, err := Open(under, c.now).Purge(t.Context(), 40*time.Hour)
				must(t, err)
				for have, err := range Open(under, c.now).Oldest(t.Context(), Position{}) {
					must(t, err)
					have, err = Open(under, c.now).WithDifference(t.Context(), have)
					if must(t, err); len(have.Difference) != 5 {
						t.Fatalf("request %d, after %t: %v has a difference of %d passages", n, after, have.Position,
							len(have.Difference))
					}
				}
				c.t = c.t.Add(20 * time.Hour)
				must(t, commit(t, Open(under, c.now), fmt.Sprint(c.t.Unix()), differing("harbour", 5, 10)))
			}
			if calls < n {
				break
			}
		}
	}
}

// commit does what a worker does with a change, up to the first error.
func commit(t *testing.T, f *Feed, id string, c *Change) error {
	c.At = f.now()
	since, err := f.Segment(t.Context())
	if err == nil {
		err = f.Keep(t.Context(), since, []*Change{c})
	}
	if err == nil {
		err = f.Publish(t.Context(), Group{ID: id, Since: since, Changes: []Change{*c}})
	}
	return err
}

// TestN7RefusedDifference checks that a difference that the store refuses does not stop a commit, and that the change
// says so.
func TestN7RefusedDifference(t *testing.T) {
	hooks := storagetest.Hooks{OnBefore: func(_ context.Context, c storagetest.Call) error {
		for _, op := range c.Ops {
			if op.Kind == storage.Upsert {
				return fault.New(fault.TooLarge, "too large")
			}
		}
		return nil
	}}
	f := Open(storagetest.Hooked(mem.New(time.Now), &hooks), newClock().now)
	must(t, f.Create(t.Context()))
	c := differing("harbour", 5, 10)
	if must(t, commit(t, f, "g", c)); c.Whole != "" || !strings.HasSuffix(c.Why, whyCut) {
		t.Errorf("kept as %q, says %q", c.Whole, c.Why)
	}
}

// TestN7SetDifference checks what a change has of a difference: all of it, also far behind and in long paragraphs.
func TestN7SetDifference(t *testing.T) {
	const most = 1000
	long := strings.Repeat("The wall of the old harbour is made of granite.\n", 2*most/48)
	wide := strings.Repeat("The wall of the harbour is made of granite. ", 20)
	for name, tt := range map[string]struct {
		before, now string
		want        string // in what is added
		cut, whole  bool
	}{
		"a line": {"a\nb\n", "a\nc\n", "c", false, false},
		"far behind what is the same": {long + "Fee: 3 EUR\n" + long, long + "Fee: 5 EUR\n" + long, "Fee: 5 EUR",
			false, false},
		"more lines than passages":     {"", "a\nb\nc\nd\ne\nf\n", "abcdef", false, true},
		"a long paragraph":             {"a", "a\n" + wide + "Night fee: 5 EUR.", "granite. Night fee: 5 EUR.", false, true},
		"more than what is compared":   {"", long + "Fee", "The wall", true, true},
		"a cut of what was taken away": {long, "", "", true, true},
	} {
		var c Change
		c.SetDifference(textdiff.Text{Text: tt.before}, textdiff.Text{Text: tt.now}, most, nil)
		added := ""
		for _, p := range c.Differing() {
			if p.Op == Added {
				added += p.Text
			}
		}
		if !strings.Contains(added, tt.want) || c.Cut != tt.cut || (c.Difference != nil) != tt.whole {
			t.Errorf("%s: cut %t, %s", name, c.Cut, cmp.Diff(tt.want, added))
		}
	}
}

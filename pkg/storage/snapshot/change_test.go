package snapshot

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/policy/change"
	"github.com/tidemark/tidemark/pkg/storage"
)

// meaning returns a capture of a body with a change of that kind.
func meaning(body string, kind change.Kind, added int, day int) Capture {
	c := captureOfBody(body)
	c.CapturedAt = noon.Add(time.Duration(day) * 24 * time.Hour)
	c.Words = change.WordsOf(body).Bytes()
	c.Change = ChangeOf(kind, change.Extent{Measured: true, New: 0.5, Gone: 0.25, Added: added, Removed: 1})
	return c
}

// TestH7ChangesAreKept checks that changes are listed newest first, with the body before. A caller that saves again
// because its commit failed gets the change that was recorded, and nothing new is recorded.
func TestH7ChangesAreKept(t *testing.T) {
	onStores(t, func(t *testing.T, empty func() storage.Store) {
		s := open(t, empty())
		a, b := meaning("one", change.New, 1, 0), meaning("two", change.Content, 2, 1)
		had := Had{RawHash: a.RawHash, Verified: a.CapturedAt}
		must(t, save(t, s, a, "one"))
		saved, err := s.Save(t.Context(), b, []byte("two"), had)
		must(t, err)
		again := meaning("two", change.Content, 0, 2)
		again.Change.Measured = false // the words for the comparison are no longer kept
		once, err := s.Save(t.Context(), again, []byte("two"), had)
		must(t, err)
		back := meaning("one", change.Reverted, 3, 3)
		_, err = s.Save(t.Context(), back, []byte("one"), Had{RawHash: b.RawHash, Verified: b.CapturedAt})
		must(t, err)
		have, err := s.Changes(t.Context(), a.ItemID, 1000)
		must(t, err)
		want := []Change{back.Change, b.Change, a.Change}
		for i, c := range []Capture{back, b, a} {
			want[i].At, want[i].RawHash, want[i].Version = c.CapturedAt, c.RawHash, c.NormalizationVersion
		}
		want[0].Before, want[1].Before = b.RawHash, a.RawHash
		if diff := cmp.Diff(want, have); diff != "" {
			t.Errorf("(-want +have):\n%s", diff)
		}
		if diff := cmp.Diff(want[1], once.Change); diff != "" || saved.Change.Added != 2 {
			t.Errorf("told again (-want +have):\n%s", diff)
		}
		if few, err := s.Changes(t.Context(), a.ItemID, 1); err != nil || len(few) != 1 || few[0].Kind != change.Reverted {
			t.Errorf("the newest: %+v, %v", few, err)
		}
	})
}

// TestH7WordsAreThoseOfTheLastCapture checks that the stored words are returned only for the body and the rules to
// which they belong.
func TestH7WordsAreThoseOfTheLastCapture(t *testing.T) {
	onStores(t, func(t *testing.T, empty func() storage.Store) {
		s := open(t, empty())
		a := meaning("one two three", change.New, 3, 0)
		must(t, save(t, s, a, "one two three"))
		last, err := s.Last(t.Context(), a.ItemID, a.NormalizationVersion)
		must(t, err)
		if n := last.Words(a.RawHash, a.NormalizationVersion).Letters(); n != 11 {
			t.Errorf("%d letters", n)
		}
		if last.Words(Hash(nil), a.NormalizationVersion).Letters()+last.Words(a.RawHash, "another").Letters() != 0 {
			t.Error("the words of another text are remembered")
		}
	})
}

// TestH7ChangesGoWithTheirCaptures checks that retention removes changes with their captures, and so does a purge.
func TestH7ChangesGoWithTheirCaptures(t *testing.T) {
	onStores(t, func(t *testing.T, empty func() storage.Store) {
		s := open(t, empty())
		bodies := []string{"one", "two", "three"}
		before := Had{}
		for day, body := range bodies {
			c := meaning(body, change.Content, day, day)
			_, err := s.Save(t.Context(), c, []byte(body), before)
			must(t, err)
			before = Had{RawHash: c.RawHash, Verified: c.CapturedAt}
		}
		id := captureOfBody("").ItemID
		_, err := s.Prune(t.Context(), id, Retention{Count: 2}, noon.Add(72*time.Hour), before.RawHash)
		must(t, err)
		left, err := s.Changes(t.Context(), id, 1000)
		must(t, err)
		if len(left) != 2 || left[1].Added != 1 {
			t.Errorf("after retention: %+v", left)
		}
		must(t, s.Purge(t.Context(), id))
		if left, err = s.Changes(t.Context(), id, 1000); err != nil || len(left) > 0 {
			t.Errorf("after a purge: %+v, %v", left, err)
		}
	})
}

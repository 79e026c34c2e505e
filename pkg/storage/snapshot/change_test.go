package snapshot

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/policy/change"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
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
		have := changesOf(t, s, a.ItemID, 1000)
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
		if few := changesOf(t, s, a.ItemID, 1); len(few) != 1 || few[0].Kind != change.Reverted {
			t.Errorf("the newest: %+v", few)
		}
	})
}

// changesOf lists an item's changes, newest first.
func changesOf(t *testing.T, s *Store, id source.ID, most int) []Change {
	t.Helper()
	captures, err := s.List(t.Context(), id)
	must(t, err)
	all, err := s.Changes(t.Context(), id, captures, most)
	must(t, err)
	return all
}

// TestH7FirstChangeHasNoRow checks that an item's first content is a change without a row of its own, however often
// its save is interrupted. A row of an earlier release is listed as before, and later changes have rows. When the
// item has lost its content, new content is a change without a row, and content that was captured before has one.
func TestH7FirstChangeHasNoRow(t *testing.T) {
	onStores(t, func(t *testing.T, empty func() storage.Store) {
		everyStep(t, func(t *testing.T, f *steps) {
			store := empty()
			s := open(t, store)
			a := meaning("one", change.New, 7, 0)
			interrupted := New(storagetest.Hooked(store, f))
			if _, err := interrupted.Save(t.Context(), a, []byte("one"), Had{}); (f.hit != "") != (err != nil) {
				t.Errorf("%s: %v", f.hit, err)
			}
			must(t, save(t, s, meaning("one", change.New, 7, 1), "one"))
			have := changesOf(t, s, a.ItemID, 1000)
			if len(have) != 1 || have[0].Kind != change.New || have[0].Added != 7 || have[0].RawHash != a.RawHash ||
				have[0].Version != a.NormalizationVersion || rowsOf(t, s, a.ItemID, changeRows, changesEnd) != 0 {
				t.Errorf("%s: %+v", f.hit, have)
			}
		})
		s := open(t, empty())
		a, b := meaning("one", change.New, 1, 0), meaning("two", change.New, 2, 1)
		must(t, save(t, s, a, "one"))
		must(t, save(t, s, b, "two")) // nothing is known of the item, as after it was gone
		must(t, save(t, s, meaning("one", change.New, 3, 2), "one"))
		if have := changesOf(t, s, a.ItemID, 1000); len(have) != 3 || have[0].Added != 3 || have[1].Added != 2 ||
			have[2].Added != 1 || rowsOf(t, s, a.ItemID, changeRows, changesEnd) != 1 {
			t.Errorf("%+v", have)
		}
	})
}

// TestH7FirstChangeOfEarlierReleases checks that the row of an earlier release for a first change is listed once, and
// that another reading of the body has no change.
func TestH7FirstChangeOfEarlierReleases(t *testing.T) {
	onStores(t, func(t *testing.T, empty func() storage.Store) {
		s := open(t, empty())
		a := meaning("one", change.New, 5, 0)
		old := a.Change
		a.Change = Change{}
		must(t, save(t, s, a, "one"))
		old.At, old.RawHash, old.Version = a.CapturedAt, a.RawHash, a.NormalizationVersion
		_, err := s.captures.Transact(t.Context(), storage.Op{Kind: storage.Insert, Entity: storage.Entity{
			Key: changeKey(a.ItemID, old.At, a.RawHash), Props: changeRow.Encode(&old)}})
		must(t, err)
		reading, err := s.First(t.Context(), a.ItemID, a.RawHash)
		must(t, err)
		reading.NormalizationVersion, reading.ReprocessedAt = "http_snapshot_url_v1_text_v2", noon.Add(time.Hour)
		must(t, s.Reprocess(t.Context(), reading))
		if diff := cmp.Diff([]Change{old}, changesOf(t, s, a.ItemID, 1000)); diff != "" {
			t.Errorf("(-want +have):\n%s", diff)
		}
		fresh := meaning("two", change.New, 6, 1)
		fresh.ItemID = itemB
		must(t, save(t, s, fresh, "two"))
		reading, err = s.First(t.Context(), itemB, fresh.RawHash)
		must(t, err)
		reading.NormalizationVersion, reading.ReprocessedAt = "http_snapshot_url_v1_text_v2", noon.Add(48*time.Hour)
		must(t, s.Reprocess(t.Context(), reading))
		if have := changesOf(t, s, itemB, 1000); len(have) != 1 || have[0].Added != 6 {
			t.Errorf("read again: %+v", have)
		}
	})
}

// rowsOf counts the rows of an item's partition in a range.
func rowsOf(t *testing.T, s *Store, id source.ID, from, to string) (n int) {
	t.Helper()
	for _, err := range s.captures.Query(t.Context(), storage.Query{Partition: string(id), RowFrom: from, RowTo: to}) {
		must(t, err)
		n++
	}
	return n
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

// TestK7TypeOfTheLastBody checks that the type of the body with which an item was last found is known without its
// capture, and that of no other body.
func TestK7TypeOfTheLastBody(t *testing.T) {
	onStores(t, func(t *testing.T, empty func() storage.Store) {
		s := open(t, empty())
		a, b := meaning("one", change.New, 3, 0), meaning("two", change.Content, 3, 1)
		b.Header = map[string][]string{"Content-Type": {"text/html; charset=iso-8859-1"}}
		must(t, save(t, s, a, "one"))
		_, err := s.Save(t.Context(), b, []byte("two"), Had{RawHash: a.RawHash})
		must(t, err)
		last, err := s.Last(t.Context(), a.ItemID, a.NormalizationVersion)
		must(t, err)
		if is, was := last.ContentType(b.RawHash), last.ContentType(a.RawHash); is != b.ContentType() || was != "" ||
			(Last{}).ContentType(a.RawHash) != "" {
			t.Errorf("have %q, and %q of the body before", is, was)
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
		left := changesOf(t, s, id, 1000)
		if len(left) != 2 || left[1].Added != 1 {
			t.Errorf("after retention: %+v", left)
		}
		must(t, s.Purge(t.Context(), id))
		if left = changesOf(t, s, id, 1000); len(left) > 0 {
			t.Errorf("after a purge: %+v", left)
		}
	})
}

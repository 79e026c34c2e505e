package registry

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/source"
)

// E14: when a host's word is believed.
func TestE14Truthful(t *testing.T) {
	for _, row := range []struct {
		name         string
		right, wrong int
		want         bool
	}{
		{"nothing known", 0, 0, false},
		{"too few, all right", 19, 0, false},
		{"enough, all right", 20, 0, true},
		{"four in five", 16, 4, true},
		{"less", 15, 5, false},
		{"many, and less", 79, 21, false},
		{"many", 80, 20, true},
	} {
		if have := (LastModRecord{Right: row.right, Wrong: row.wrong}).Truthful(); have != row.want {
			t.Errorf("%s: %v", row.name, have)
		}
	}
}

// E14: the record speaks of what was lately.
func TestE14RecordForgets(t *testing.T) {
	var l LastModRecord
	for range 300 {
		l.add(LastModRecord{Wrong: 1})
	}
	needed := 0
	for ; !l.Truthful(); needed++ {
		l.add(LastModRecord{Right: 1})
	}
	if l.Right+l.Wrong > 100 || needed < 20 || needed > 200 {
		t.Errorf("a liar is believed after %d right predictions: %+v", needed, l)
	}
	before := l
	l.add(LastModRecord{})
	if l != before {
		t.Error("a check without prediction changes the record")
	}
}

// E14: what a check says of a prediction, in the commit that writes its finding.
func TestE14Score(t *testing.T) {
	for _, row := range []struct {
		name   string
		said   bool // there was a prediction
		find   func(f *Finding)
		want   LastModRecord // of a record that begins with one right
		stands bool          // the prediction, after the check
	}{
		{"said and changed", true, func(f *Finding) { f.Changed = true }, LastModRecord{Right: 2}, false},
		{"said and unchanged", true, func(*Finding) {}, LastModRecord{Right: 1, Wrong: 1}, false},
		{"changed unsaid", false, func(f *Finding) { f.Changed = true }, LastModRecord{Right: 1, Unannounced: 1}, false},
		{"unchanged unsaid", false, func(*Finding) {}, LastModRecord{Right: 1}, false},
		{"failed", true, func(f *Finding) { f.Failed, f.Item.Status = true, Error }, LastModRecord{Right: 1}, true},
		{"missing", true, func(f *Finding) { f.Item.MissingChecks = 1 }, LastModRecord{Right: 1}, true},
		{"nobody was asked", true, func(f *Finding) { f.Unasked = true }, LastModRecord{Right: 1}, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			onStores(t, func(t *testing.T, open opener) {
				b := open(t, Options{})
				url := b.checked(t, 1)[0]
				b.record(t, LastModRecord{Right: 1})
				if row.said {
					b.announce(t, 1, 0, Claim{Source: parse(t, url)[0], From: b.now(), To: b.now()})
				}
				b.clock.Advance(25 * time.Hour)
				if _, err := b.Sweep(t.Context()); err != nil {
					t.Fatal(err)
				}
				for _, job := range b.take(t) {
					b.found(t, job, row.find)
				}
				have, err := b.LastModRecord(t.Context(), parse(t, url)[0])
				if d := cmp.Diff(row.want, have); d != "" || err != nil {
					t.Errorf("%v (-want +have)\n%s", err, d)
				}
				it, _, err := b.Lookup(t.Context(), parse(t, url)[0])
				if err != nil || it.PredictedAt.IsZero() == row.stands {
					t.Errorf("predictedAt is %s, %v", it.PredictedAt, err)
				}
				b.check(t)
			})
		})
	}
}

// E14: a truthful host's pages come now, each claim once; of others only 32 are noted, and no schedule
// moves. What is known already, or gone, or in somebody's hands is left alone.
func TestE14Announce(t *testing.T) {
	truthful := LastModRecord{Right: 20}
	for _, row := range []struct {
		name            string
		record          LastModRecord
		claims          int
		from, to        time.Duration // since a few minutes after the check
		noted, hastened int
	}{
		{"truthful", truthful, 3, time.Minute, time.Minute, 3, 3},
		{"truthful, many", truthful, 40, time.Minute, time.Minute, 40, 40},
		{"not known to be", LastModRecord{}, 40, time.Minute, time.Minute, 32, 0},
		{"a liar", LastModRecord{Wrong: 20}, 3, time.Minute, time.Minute, 3, 0},
		{"checked since", truthful, 3, -time.Hour, -time.Hour, 0, 0},
		{"the day of a change that is known", truthful, 3, -12 * time.Hour, 12 * time.Hour, 0, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			onStores(t, func(t *testing.T, open opener) {
				b := open(t, Options{})
				var claims []Claim
				for _, url := range b.checked(t, row.claims) {
					claims = append(claims, Claim{Source: parse(t, url)[0], From: b.now().Add(row.from), To: b.now().Add(row.to)})
				}
				b.record(t, row.record)
				b.clock.Advance(time.Hour)
				b.announce(t, row.noted, row.hastened, claims...)
				due := 0
				for _, c := range claims {
					it, _, err := b.Lookup(t.Context(), c.Source)
					if err != nil {
						t.Fatal(err)
					}
					if !it.NextCrawlAt.After(b.now()) {
						due++
					}
				}
				if due != row.hastened {
					t.Errorf("%d are due, want %d", due, row.hastened)
				}
				b.announce(t, 0, 0, claims[:min(len(claims), row.noted)]...)
				b.check(t)
			})
		})
	}
}

// E14: a push has pages checked now that were to come later, but not again and again.
func TestE14BringForward(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		b := open(t, Options{})
		sources := parse(t, append(b.checked(t, 2), "https://a.example/unknown")...)
		for _, step := range []struct {
			wait  time.Duration
			moved int
		}{{time.Minute, 0}, {time.Hour, 2}, {0, 0}} {
			b.clock.Advance(step.wait)
			known, moved, err := b.BringForward(t.Context(), sources, 32)
			if d := cmp.Diff([]bool{true, true, false}, known); d != "" || moved != step.moved || err != nil {
				t.Errorf("%d moved, want %d; known %v; %v", moved, step.moved, known, err)
			}
		}
		b.check(t)
	})
}

// checked registers pages of a host and has each checked, to come again in a day.
func (b bench) checked(t *testing.T, n int) []string {
	t.Helper()
	urls := pages("a.example", n)
	b.register(t, RegisterOptions{}, urls...)
	for range 4 {
		for _, job := range b.take(t) {
			b.found(t, job, func(f *Finding) { f.Changed = true })
		}
		b.clock.Advance(time.Minute)
		if _, err := b.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	return urls
}

// found checks the items of a job.
func (b bench) found(t *testing.T, job Job, find func(f *Finding)) {
	t.Helper()
	batch := b.begin(t, job)
	var found []Finding
	for _, it := range batch.Items {
		f := Finding{Item: *it}
		f.Item.Status, f.Item.LastChecked = Indexed, b.now()
		f.Item.Bring(b.now().Add(24 * time.Hour))
		if find(&f); f.Changed {
			f.Item.LastChanged = b.now()
		}
		found = append(found, f)
	}
	if err := b.Commit(t.Context(), batch, found, HostFinding{}, true); err != nil {
		t.Fatal(err)
	}
}

// record gives a host a record, as checks would.
func (b bench) record(t *testing.T, l LastModRecord) {
	t.Helper()
	h, err := b.loadHost(t.Context(), "a.example", "a.example")
	if err != nil {
		t.Fatal(err)
	}
	h.LastMod = l
	if _, err := b.items.Transact(t.Context(), h.op()); err != nil {
		t.Fatal(err)
	}
}

func (b bench) announce(t *testing.T, noted, hastened int, claims ...Claim) {
	t.Helper()
	n, h, err := b.Announce(t.Context(), claims)
	if n != noted || h != hastened || err != nil {
		t.Errorf("%d noted and %d hastened, want %d and %d; %v", n, h, noted, hastened, err)
	}
}

// E14: where partitions are schemes, a host's pages of both are brought forward.
func TestE14BringForwardBothSchemes(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		b := open(t, Options{Strategy: source.ByScheme})
		urls := []string{"https://a.example/1", "http://a.example/2"}
		b.register(t, RegisterOptions{}, urls...)
		for _, job := range b.take(t) {
			b.found(t, job, func(f *Finding) { f.Changed = true })
		}
		b.clock.Advance(time.Hour)
		known, moved, err := b.BringForward(t.Context(), parse(t, urls...), 32)
		if d := cmp.Diff([]bool{true, true}, known); d != "" || moved != 2 || err != nil {
			t.Errorf("%d moved; known %v; %v", moved, known, err)
		}
		b.check(t)
	})
}

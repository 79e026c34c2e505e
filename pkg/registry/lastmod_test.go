package registry

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidemark/tidemark/pkg/identity/source"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
)

// E14: a check scores a prediction, in the commit that writes its finding.
func TestE14Score(t *testing.T) {
	for _, row := range []struct {
		name   string
		said   bool // there was a prediction
		find   func(f *Finding)
		want   policy.LastModRecord // starting from a record with one right
		stands bool                 // the prediction stays after the check
	}{
		{"said and changed", true, func(f *Finding) { f.Changed = true }, policy.LastModRecord{Right: 2}, false},
		{"said and unchanged", true, func(*Finding) {}, policy.LastModRecord{Right: 1, Wrong: 1}, false},
		{"changed unsaid", false, func(f *Finding) { f.Changed = true },
			policy.LastModRecord{Right: 1, Unannounced: 1}, false},
		{"unchanged unsaid", false, func(*Finding) {}, policy.LastModRecord{Right: 1}, false},
		{"failed", true, func(f *Finding) { f.Failed, f.Item.Status = true, Error },
			policy.LastModRecord{Right: 1}, true},
		{"missing", true, func(f *Finding) { f.Item.MissingChecks = 1 }, policy.LastModRecord{Right: 1}, true},
		{"nobody was asked", true, func(f *Finding) { f.Unasked = true }, policy.LastModRecord{Right: 1}, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			onStores(t, func(t *testing.T, open opener) {
				b := open(t, Options{})
				url := b.checked(t, 1)[0]
				b.record(t, policy.LastModRecord{Right: 1})
				if row.said {
					b.announce(t, 1, 0, Change{Source: parse(t, url)[0], From: b.s.Now(), To: b.s.Now()})
				}
				b.clock.Advance(25 * time.Hour)
				if _, err := b.Jobs.Sweep(t.Context()); err != nil {
					t.Fatal(err)
				}
				for _, job := range b.take(t) {
					b.found(t, job, row.find)
				}
				have, err := b.Changes.Record(t.Context(), parse(t, url)[0])
				if d := cmp.Diff(row.want, have); d != "" || err != nil {
					t.Errorf("%v (-want +have)\n%s", err, d)
				}
				it, _, err := b.Items.Lookup(t.Context(), parse(t, url)[0])
				if err != nil || it.PredictedAt.IsZero() == row.stands {
					t.Errorf("predictedAt is %s, %v", it.PredictedAt, err)
				}
				b.check(t)
			})
		})
	}
}

// E14: pages of a truthful host become due now, once for each report. For other hosts only 32 are noted, and no
// schedule moves. Known predictions, and pages that are gone or locked, are not changed.
func TestE14Announce(t *testing.T) {
	truthful := policy.LastModRecord{Right: 20}
	for _, row := range []struct {
		name             string
		record           policy.LastModRecord
		claims           int
		from, to         time.Duration // since a few minutes after the check
		noted, expedited int
	}{
		{"truthful", truthful, 3, time.Minute, time.Minute, 3, 3},
		{"truthful, many", truthful, 40, time.Minute, time.Minute, 40, 40},
		{"not known to be", policy.LastModRecord{}, 40, time.Minute, time.Minute, 32, 0},
		{"a liar", policy.LastModRecord{Wrong: 20}, 3, time.Minute, time.Minute, 3, 0},
		{"checked since", truthful, 3, -time.Hour, -time.Hour, 0, 0},
		{"the day of a change that is known", truthful, 3, -12 * time.Hour, 12 * time.Hour, 0, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			onStores(t, func(t *testing.T, open opener) {
				b := open(t, Options{})
				var claims []Change
				for _, url := range b.checked(t, row.claims) {
					claims = append(claims, Change{Source: parse(t, url)[0], From: b.s.Now().Add(row.from), To: b.s.Now().Add(row.to)})
				}
				b.record(t, row.record)
				b.clock.Advance(time.Hour)
				b.announce(t, row.noted, row.expedited, claims...)
				due := 0
				for _, c := range claims {
					it, _, err := b.Items.Lookup(t.Context(), c.Source)
					if err != nil {
						t.Fatal(err)
					}
					if !it.NextCrawlAt.After(b.s.Now()) {
						due++
					}
				}
				if due != row.expedited {
					t.Errorf("%d are due, want %d", due, row.expedited)
				}
				b.announce(t, 0, 0, claims[:min(len(claims), row.noted)]...)
				b.check(t)
			})
		})
	}
}

// E14: a push makes later pages due now, but not repeatedly.
func TestE14BringForward(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		b := open(t, Options{})
		sources := parse(t, append(b.checked(t, 2), "https://a.example/unknown")...)
		for _, step := range []struct {
			wait  time.Duration
			moved int
		}{{time.Minute, 0}, {time.Hour, 2}, {0, 0}} {
			b.clock.Advance(step.wait)
			known, moved, err := b.Changes.BringForward(t.Context(), sources, 32)
			if d := cmp.Diff([]bool{true, true, false}, known); d != "" || moved != step.moved || err != nil {
				t.Errorf("%d moved, want %d; known %v; %v", moved, step.moved, known, err)
			}
		}
		b.check(t)
	})
}

// checked registers pages of a host and checks each, due again in a day.
func (b bench) checked(t *testing.T, n int) []string {
	t.Helper()
	urls := pages("a.example", n)
	b.register(t, RegisterOptions{}, urls...)
	for range 4 {
		for _, job := range b.take(t) {
			b.found(t, job, func(f *Finding) { f.Changed = true })
		}
		b.clock.Advance(time.Minute)
		if _, err := b.Jobs.Sweep(t.Context()); err != nil {
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
		f.Item.Status, f.Item.LastChecked = Indexed, b.s.Now()
		f.Item.CheckAt(b.s.Now().Add(24 * time.Hour))
		if find(&f); f.Changed {
			f.Item.LastChanged = b.s.Now()
		}
		found = append(found, f)
	}
	if err := b.Jobs.Commit(t.Context(), batch, found, HostFinding{}, true); err != nil {
		t.Fatal(err)
	}
}

// record sets the score of a host, as checks would.
func (b bench) record(t *testing.T, l policy.LastModRecord) {
	t.Helper()
	h, err := b.s.LoadHost(t.Context(), "a.example", "a.example")
	if err != nil {
		t.Fatal(err)
	}
	h.LastMod = l
	if _, err := b.s.Items.Transact(t.Context(), h.Op()); err != nil {
		t.Fatal(err)
	}
}

func (b bench) announce(t *testing.T, noted, expedited int, claims ...Change) {
	t.Helper()
	n, h, err := b.Changes.Announce(t.Context(), claims)
	if n != noted || h != expedited || err != nil {
		t.Errorf("%d noted and %d expedited, want %d and %d; %v", n, h, noted, expedited, err)
	}
}

// E14: where partitions are schemes, a host's pages under both schemes are brought forward.
func TestE14BringForwardBothSchemes(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		b := open(t, Options{Strategy: source.ByScheme})
		urls := []string{"https://a.example/1", "http://a.example/2"}
		b.register(t, RegisterOptions{}, urls...)
		for _, job := range b.take(t) {
			b.found(t, job, func(f *Finding) { f.Changed = true })
		}
		b.clock.Advance(time.Hour)
		known, moved, err := b.Changes.BringForward(t.Context(), parse(t, urls...), 32)
		if d := cmp.Diff([]bool{true, true}, known); d != "" || moved != 2 || err != nil {
			t.Errorf("%d moved; known %v; %v", moved, known, err)
		}
		b.check(t)
	})
}

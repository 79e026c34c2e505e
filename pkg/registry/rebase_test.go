package registry

import (
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/policy/options"
)

// What people set and ask for while a worker holds an item.

// underway registers a page, has it checked once, and begins its next check a second after it came due.
func (b bench) underway(t *testing.T) (*Batch, source.ID) {
	t.Helper()
	it := b.register(t, RegisterOptions{}, "https://a.example/x")[0].Item
	b.finish(t, b.begin(t, b.take(t)[0]))
	b.clock.Advance(24*time.Hour + time.Second)
	if _, err := b.Jobs.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	batch := b.begin(t, b.take(t)[0])
	b.clock.Advance(time.Second)
	return batch, it.ID
}

// conclude commits the only item of a batch as checked, as often as once a day, and next at a time.
func (b bench) conclude(t *testing.T, batch *Batch, next time.Time) {
	t.Helper()
	it := *batch.Items[0]
	it.Status, it.LastChecked, it.CrawlIntervalSeconds = Indexed, b.clock.Now(), int64(24*time.Hour/time.Second)
	it.CheckAt(next)
	if err := b.Jobs.Commit(t.Context(), batch, []Finding{{Item: it}}, HostFinding{}, true); err != nil {
		t.Fatal(err)
	}
}

// priorityOf is what the item's only due row says.
func (b bench) priorityOf(t *testing.T) any {
	t.Helper()
	rows := b.dueRows(t)
	if len(rows) != 1 {
		t.Fatalf("%d due rows", len(rows))
	}
	return rows[0].Props["priority"]
}

func (b bench) set(t *testing.T, id source.ID, s Settings) {
	t.Helper()
	if _, err := b.Requests.Set(t.Context(), id, s); err != nil {
		t.Fatal(err)
	}
}

func (b bench) find(t *testing.T, id source.ID) Item {
	t.Helper()
	it, err := b.Items.Find(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return it
}

// W9: a priority that is set during a check stands on the item and on its due row afterwards.
func TestW9PriorityDuringTheCheck(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		b := open(t, Options{})
		batch, id := b.underway(t)
		nine := 9
		b.set(t, id, Settings{Options: options.Edit{Options: options.Options{Priority: &nine}}})
		b.conclude(t, batch, b.clock.Now().Add(24*time.Hour))
		if it := b.find(t, id); it.Level != "9" || it.Options.Priority == nil {
			t.Errorf("priority %q, options %+v", it.Level, it.Options)
		}
		if have := b.priorityOf(t); have != int64(9) {
			t.Errorf("the due row has priority %v", have)
		}
		b.check(t)
	})
}

// W9: a page that is tagged during its check is not fetched once more.
func TestW9TaggedDuringTheCheck(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		b := open(t, Options{})
		batch, id := b.underway(t)
		b.set(t, id, Settings{Add: "news"})
		b.conclude(t, batch, b.clock.Now().Add(24*time.Hour))
		it := b.find(t, id)
		if want := b.clock.Now().Add(24 * time.Hour); !it.NextCrawlAt.Equal(want) || len(it.Tags) != 1 {
			t.Errorf("the next check of a page tagged %q is at %v, want %v", it.Tags, it.NextCrawlAt, want)
		}
		if jobs := b.take(t); len(jobs) != 0 {
			t.Errorf("%d jobs after the commit", len(jobs))
		}
		b.check(t)
	})
}

// W11: an item that is paused during its check rests after it, and one that is resumed does not.
func TestW11PausedDuringTheCheck(t *testing.T) {
	b := openMem(t, Options{})
	batch, id := b.underway(t)
	yes, no := true, false
	b.set(t, id, Settings{Paused: &yes})
	b.conclude(t, batch, b.clock.Now().Add(24*time.Hour))
	if it := b.find(t, id); !it.NextCrawlAt.Equal(Never) {
		t.Errorf("a paused item is checked at %v", it.NextCrawlAt)
	}
	b.check(t)
	if _, err := b.Items.Reindex(t.Context(), b.find(t, id), false); err != nil {
		t.Fatal(err)
	}
	b.clock.Advance(time.Second)
	batch = b.begin(t, b.take(t)[0])
	b.clock.Advance(time.Second)
	b.set(t, id, Settings{Paused: &no})
	b.conclude(t, batch, Never)
	if it := b.find(t, id); it.NextCrawlAt.Equal(Never) || !it.NextCrawlAt.After(b.clock.Now()) {
		t.Errorf("a resumed item is checked at %v", it.NextCrawlAt)
	}
	b.check(t)
}

// W11: who asks for the check of an item that was paused during the check before gets it.
func TestW11AskedAndPausedDuringTheCheck(t *testing.T) {
	b := openMem(t, Options{})
	batch, id := b.underway(t)
	yes := true
	b.set(t, id, Settings{Paused: &yes})
	if _, err := b.Items.Reindex(t.Context(), b.find(t, id), false); err != nil {
		t.Fatal(err)
	}
	b.take(t) // which finds the item locked
	b.conclude(t, batch, b.clock.Now().Add(24*time.Hour))
	if jobs := b.take(t); len(jobs) != 1 || b.begin(t, jobs[0]) == nil {
		t.Errorf("%d jobs after the commit, want one for the check that was asked for", len(jobs))
	}
}

// W9: how often a page is checked that is set during its check holds from that check on.
func TestW9IntervalDuringTheCheck(t *testing.T) {
	b := openMem(t, Options{Jitter: func() float64 { return 0.5 }})
	batch, id := b.underway(t)
	monthly := options.Schedule{Text: "monthly"}
	b.set(t, id, Settings{Options: options.Edit{Options: options.Options{Schedule: &monthly}}})
	b.conclude(t, batch, b.clock.Now().Add(24*time.Hour))
	it := b.find(t, id)
	if it.NextCrawlAt.Day() != 1 || it.NextCrawlAt.Month() != time.April {
		t.Errorf("the next check of a page that is checked monthly is at %v", it.NextCrawlAt)
	}
	if last := it.History[len(it.History)-1]; last.What != "scheduled" {
		t.Errorf("the history ends with %+v", last)
	}
	b.check(t)
}

// A7: who registers a page during its check has it checked again, though a rebuild asks for it, too.
func TestA7RegisterAndRebuildDuringTheCheck(t *testing.T) {
	b := openMem(t, Options{})
	batch, id := b.underway(t)
	batch.Items[0].IndexedHash = "sha256:00"
	b.register(t, RegisterOptions{}, "https://a.example/x")
	asked := b.clock.Now()
	b.clock.Advance(time.Second)
	if _, err := b.Rebuilds.Request(t.Context(), Rebuild{Run: "run", Force: true}, Cursor{}); err != nil {
		t.Fatal(err)
	}
	b.take(t) // which finds the item locked
	b.conclude(t, batch, b.clock.Now().Add(24*time.Hour))
	it := b.find(t, id)
	if it.RebuildRun != "run" || !it.RebuildPending || it.NextCrawlAt.After(asked) {
		t.Errorf("rebuild %q, pending %v, next check at %v", it.RebuildRun, it.RebuildPending, it.NextCrawlAt)
	}
	if it.IndexPending && it.ResumeAt.After(asked) {
		t.Errorf("the site is asked at %v, which was to be at %v", it.ResumeAt, asked)
	}
	if jobs := b.take(t); len(jobs) != 1 {
		t.Errorf("%d jobs after the commit", len(jobs))
	}
	b.check(t)
}

// ours and theirs say whose column stands after a commit that met other writers: the check's, or what is stored.
const ours, theirs = "ours", "theirs"

// planned are the columns of the plan, which a check and others write: whose stands where no check was asked for
// meanwhile. The tests above and of races have the other cases.
var planned = map[string]string{
	"nextCrawlAt": ours, "crawlIntervalSeconds": ours, "crawlAttempts": ours, "unchangedChecks": ours,
	"missingChecks": ours, "predictedAt": ours, "heldSince": ours, "goneSince": ours, "level": theirs,
	"reindexRequested": ours, "processedGeneration": ours, "rebuildPending": ours, "indexPending": ours, "resumeAt": ours,
}

// TestEveryColumnIsRebased: each column of the row is in one of its records, and each record has a rule for what a
// commit keeps of it. A column that is added to the plan needs a line above, and one of another record nothing.
func TestEveryColumnIsRebased(t *testing.T) {
	read, found, stored := filled(1), filled(2), filled(3)
	stored.NextCrawlAt, stored.Tags = read.NextCrawlAt, read.Tags
	stored.ReindexGeneration, stored.RebuildRun = read.ReindexGeneration, read.RebuildRun
	have := found
	meanwhile{read: &read, now: &stored, began: noon}.rebase(&have, noon)
	row := reflect.TypeFor[Item]()
	names := map[string]bool{}
	for i := range row.NumField() {
		record := row.Field(i)
		if !record.Anonymous {
			if record.Tag.Get("col") != "" {
				t.Errorf("the column %s is in no record", record.Name)
			}
			continue
		}
		rules := map[string]string{"Identity": theirs, "Asked": theirs, "Seen": ours, "Lock": ours}
		for j := range record.Type.NumField() {
			field := record.Type.Field(j)
			name, _, _ := strings.Cut(field.Tag.Get("col"), ",")
			if name == "" || names[name] {
				t.Errorf("%s.%s has no column of its own: %q", record.Name, field.Name, name)
			}
			names[name] = true
			whose := rules[record.Name]
			if record.Name == "Plan" {
				whose = planned[name]
			}
			of := func(it Item) any { return reflect.ValueOf(it).Field(i).Field(j).Interface() }
			want := map[string]any{ours: of(found), theirs: of(stored)}[whose]
			switch {
			case whose == "":
				t.Errorf("nothing says whose the column %s of the record %s is", name, record.Name)
			case name == "history": // of both
			case !cmp.Equal(want, of(have)):
				t.Errorf("%s, which is %s, is %v, want %v", name, whose, of(have), want)
			}
		}
	}
}

// filled has a value in every column that tells it from other numbers' columns; a flag only from those of the other
// parity.
func filled(n int) (it Item) {
	fillIn(reflect.ValueOf(&it).Elem(), n)
	return it
}

func fillIn(v reflect.Value, n int) {
	switch {
	case !v.CanSet():
	case v.Type() == reflect.TypeFor[time.Time]():
		v.Set(reflect.ValueOf(noon.Add(-time.Duration(n) * time.Hour)))
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			fillIn(v.Field(i), n)
		}
	case v.Kind() == reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fillIn(v.Index(0), n)
	case v.Kind() == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fillIn(v.Elem(), n)
	case v.Kind() == reflect.String:
		v.SetString(strconv.Itoa(n))
	case v.Kind() == reflect.Bool:
		v.SetBool(n%2 == 1)
	case v.CanInt():
		v.SetInt(int64(n))
	case v.CanUint():
		v.SetUint(uint64(n))
	}
}

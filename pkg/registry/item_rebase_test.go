package registry

import (
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// The values of planned: after a concurrent change the check's value of a column is kept, or the stored one.
const ours, theirs = "ours", "theirs"

// planned lists the columns of the plan, which checks and others write, and whose value is kept when no check was
// requested meanwhile. The tests of pkg/registry have the other cases.
var planned = map[string]string{
	"nextCrawlAt": ours, "crawlIntervalSeconds": ours, "crawlAttempts": ours, "unchangedChecks": ours,
	"missingChecks": ours, "unreachedSince": ours, "pausedSince": ours, "predictedAt": ours,
	"heldSince": ours, "goneSince": ours, "level": theirs,
	"reindexRequested": ours, "processedGeneration": ours, "rebuildPending": ours, "indexPending": ours, "resumeAt": ours,
}

// TestEveryColumnIsRebased checks that each column of the row belongs to a record, and that each record has a rule
// for what a commit keeps of it. A new column of the plan needs a line in planned; a new column of another record
// needs nothing.
func TestEveryColumnIsRebased(t *testing.T) {
	read, found, stored := filled(1), filled(2), filled(3)
	stored.NextCrawlAt, stored.Tags = read.NextCrawlAt, read.Tags
	stored.ReindexGeneration, stored.RebuildRun = read.ReindexGeneration, read.RebuildRun
	stored.Fields.Again = read.Fields.Again
	have := found
	meanwhile{Read: &read, Now: &stored, Began: noon}.rebase(&have, noon)
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
			case name == "history": // merged from both
			case !cmp.Equal(want, of(have)):
				t.Errorf("%s, which is %s, is %v, want %v", name, whose, of(have), want)
			}
		}
	}
}

// filled returns an item with a distinct value in every column for each n. A flag depends only on the parity of n.
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

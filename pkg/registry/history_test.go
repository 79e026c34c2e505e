package registry

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidemark/tidemark/pkg/storage"
)

// linesOf writes a history in short.
func linesOf(h []Decision) (out []string) {
	for _, d := range h {
		line := fmt.Sprintf("%s %s %s", d.At.Format("15"), d.What, d.Why)
		if d.Times > 0 {
			line += fmt.Sprintf(" x%d since %s", d.Times, d.Since.Format("15"))
		}
		out = append(out, line)
	}
	return out
}

// checkedAt records a check that found nothing.
func (it *Item) checkedAt(hour int, why, next string, steady bool) {
	at := noon.Add(time.Duration(hour) * time.Hour)
	it.Record(at, "unchanged", why)
	it.Record(at, "scheduled", next)
	it.History = Folded(it.History, steady)
}

// TestA12ChecksThatFoundNothing checks that checks in a row with the same result share their lines, and that a reason
// that is different stays in the history.
func TestA12ChecksThatFoundNothing(t *testing.T) {
	var it Item
	it.Record(noon, "changed", "new")
	it.Record(noon, "scheduled", "base")
	it.checkedAt(1, "304", "1 of 2 before 1 day", true)
	it.checkedAt(2, "304", "2 of 2: now 2 days", false)
	it.checkedAt(3, "304", "1 of 2 before 2 days", true)
	it.checkedAt(4, "304", "2 of 2 before 2 days", true)
	it.checkedAt(5, "304", "longest", true)
	it.checkedAt(6, "304", "longest", true)
	it.checkedAt(7, "same bytes", "longest", true)
	it.Record(noon.Add(8*time.Hour), "forced", "")
	it.checkedAt(9, "same bytes", "longest", true)
	it.checkedAt(10, "same bytes", "longer", true)
	want := []string{"12 changed new", "12 scheduled base", "13 scheduled 1 of 2 before 1 day",
		"14 scheduled 2 of 2: now 2 days", "16 scheduled 2 of 2 before 2 days x2 since 15", "18 unchanged 304 x6 since 13",
		"18 scheduled longest x2 since 17", "19 unchanged same bytes", "19 scheduled longest", "20 forced ",
		"21 scheduled longest", "22 unchanged same bytes x2 since 21", "22 scheduled longer"}
	if diff := cmp.Diff(want, linesOf(it.History)); diff != "" {
		t.Errorf("(-want +have):\n%s", diff)
	}
	back := itemOf(storage.Entity{Props: it.entity().Props})
	if diff := cmp.Diff(linesOf(it.History), linesOf(back.History)); diff != "" {
		t.Errorf("read back (-want +have):\n%s", diff)
	}
}

// TestA12QuietItemStaysSmall checks that any number of checks that found nothing keeps what was decided before, in
// few bytes.
func TestA12QuietItemStaysSmall(t *testing.T) {
	var it Item
	it.Record(noon, "registered", "by API")
	for i := range 1000 {
		it.checkedAt(i, "304 to If-None-Match", "unchanged: the interval stays at its longest, 14 days", true)
	}
	if n := jsonLen(it.History); len(it.History) != 3 || n > 500 || it.History[1].Times != 1000 {
		t.Errorf("%d lines of %d bytes: %v", len(it.History), n, linesOf(it.History))
	}
}

// TestA12LinesOfTwoWriters checks that a line that a check continues is not doubled by what another writer has read,
// in either order, and that the other writer's lines stay.
func TestA12LinesOfTwoWriters(t *testing.T) {
	var read Item
	read.checkedAt(1, "304", "1 of 3", true)
	read.checkedAt(2, "304", "2 of 3", true)
	ours, theirs := read, read
	theirs.Record(noon.Add(150*time.Minute), "forced", "by Ada")
	ours.checkedAt(3, "304", "3 of 3", true)
	want := []string{"14 forced by Ada", "15 unchanged 304 x3 since 13", "15 scheduled 3 of 3 x3 since 13"}
	for _, have := range [][]Decision{
		mergeHistory(ours.History, theirs.History), mergeHistory(theirs.History, ours.History),
	} {
		if diff := cmp.Diff(want, linesOf(have)); diff != "" {
			t.Errorf("(-want +have):\n%s", diff)
		}
	}
	if lines := linesOf(read.History); strings.Contains(strings.Join(lines, ""), "x3") {
		t.Errorf("what was read has changed: %v", lines)
	}
}

// TestA12SharingCostsNoDecision checks that a check that found nothing drops no decision of a full history, because its
// own are shared with those before.
func TestA12SharingCostsNoDecision(t *testing.T) {
	var it Item
	for i := range maxHistory - 2 {
		it.Record(noon.Add(time.Duration(i)*time.Minute), "old", fmt.Sprint(i))
	}
	it.checkedAt(2, "304", "longest", true)
	it.checkedAt(3, "304", "longest", true)
	if len(it.History) != maxHistory || it.History[0].Why != "0" {
		t.Errorf("%d lines: %v", len(it.History), linesOf(it.History))
	}
}

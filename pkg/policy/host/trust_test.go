package host

import (
	"maps"
	"testing"
)

// TestE14Truthful checks when a host is trusted (E14).
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

// TestE14RecordForgets checks that recent predictions decide (E14).
func TestE14RecordForgets(t *testing.T) {
	var l LastModRecord
	for range 300 {
		l.Add(LastModRecord{Wrong: 1})
	}
	needed := 0
	for ; !l.Truthful(); needed++ {
		l.Add(LastModRecord{Right: 1})
	}
	if l.Right+l.Wrong > 100 || needed < 20 || needed > 200 {
		t.Errorf("a liar is believed after %d right predictions: %+v", needed, l)
	}
	before := l
	l.Add(LastModRecord{})
	if l != before {
		t.Error("a check without prediction changes the record")
	}
}

func TestScoreLastMod(t *testing.T) {
	for _, row := range []struct {
		name                       string
		predicted, changed, stands bool
		want                       LastModRecord
	}{
		{"predicted and changed", true, true, true, LastModRecord{Right: 1}},
		{"predicted and unchanged", true, false, true, LastModRecord{Wrong: 1}},
		{"predicted, and no page to compare", true, false, false, LastModRecord{}},
		{"changed without a word", false, true, true, LastModRecord{Unannounced: 1}},
		{"unchanged without a word", false, false, true, LastModRecord{}},
	} {
		if have := ScoreLastMod(row.predicted, row.changed, row.stands); have != row.want {
			t.Errorf("%s: %+v, want %+v", row.name, have, row.want)
		}
	}
}

func TestFingerprints(t *testing.T) {
	first := Fingerprints(nil).With("https", "a")
	both := first.With("http", "b")
	if !maps.Equal(both, Fingerprints{"https": "a", "http": "b"}) || len(first) != 1 {
		t.Errorf("%v after %v", both, first)
	}
	if left := both.With("https", ""); !maps.Equal(left, Fingerprints{"http": "b"}) {
		t.Errorf("%v", left)
	}
}

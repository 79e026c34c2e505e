package textdiff

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// differences compares texts of which nothing else is known.
func differences(old, text string, most, size int) Difference {
	return Differences(Text{Text: old}, Text{Text: text}, Options{Most: most, Size: size})
}

// unweighed compares passages by all but their weight.
var unweighed = cmpopts.IgnoreFields(Passage{}, "Weight", "Fact")

func join(pieces []Piece) string {
	var b strings.Builder
	for _, p := range pieces {
		b.WriteString(p.Text)
	}
	return b.String()
}

// hits are the parts of a line that are shown as different.
func hits(pieces []Piece) (out []string) {
	for _, p := range pieces {
		if p.Hit && p.Text != "" {
			out = append(out, p.Text)
		}
	}
	return out
}

func TestByWord(t *testing.T) {
	for _, tt := range []struct {
		old, text   string
		gone, comes []string
	}{
		{"a harbour waits six weeks", "a harbour waits seven weeks", []string{"six "}, []string{"seven "}},
		{"one two", "one two three", nil, []string{"three"}},
		{"one two ", "one two three", nil, []string{"three"}},
		{"", "new", []string{}, []string{"new"}},
		{"same", "same", nil, nil},
	} {
		before, after := ByWord(tt.old, tt.text)
		if join(before) != tt.old || join(after) != tt.text {
			t.Errorf("%q → %q: shown as %q → %q", tt.old, tt.text, join(before), join(after))
		}
		if diff := cmp.Diff([2]string{fmt.Sprint(tt.gone), fmt.Sprint(tt.comes)},
			[2]string{fmt.Sprint(hits(before)), fmt.Sprint(hits(after))}); diff != "" {
			t.Errorf("%q → %q: %s", tt.old, tt.text, diff)
		}
	}
}

// TestCompareShowsTheTexts checks that each shown line has the right number, and that every differing line is shown.
func TestCompareShowsTheTexts(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	text := func() string {
		var lines []string
		for range rng.IntN(30) {
			lines = append(lines, strings.TrimSpace(strings.Repeat(string(rune('a'+rng.IntN(3)))+" ", rng.IntN(4))))
		}
		return strings.Join(lines, "\n")
	}
	for range 2000 {
		old, next := text(), text()
		oldLines, newLines := strings.Split(strings.TrimSuffix(old, "\n"), "\n"),
			strings.Split(strings.TrimSuffix(next, "\n"), "\n")
		shownOld, shownNew := map[int]bool{}, map[int]bool{}
		hunks, long := Compare(old, next)
		if long {
			t.Fatalf("%q → %q: said to be longer than is shown", old, next)
		}
		for _, h := range hunks {
			for _, r := range h.Rows {
				if r.OldN > 0 {
					shownOld[r.OldN] = true
					if join(r.Old) != oldLines[r.OldN-1] {
						t.Fatalf("%q → %q: line %d before is shown as %q", old, next, r.OldN, join(r.Old))
					}
				}
				if r.NewN > 0 {
					shownNew[r.NewN] = true
					if join(r.New) != newLines[r.NewN-1] {
						t.Fatalf("%q → %q: line %d after is shown as %q", old, next, r.NewN, join(r.New))
					}
				}
			}
		}
		var restOld, restNew []string // what is not shown must be the same
		for i, l := range oldLines {
			if !shownOld[i+1] {
				restOld = append(restOld, l)
			}
		}
		for i, l := range newLines {
			if !shownNew[i+1] {
				restNew = append(restNew, l)
			}
		}
		if diff := cmp.Diff(restOld, restNew); diff != "" {
			t.Fatalf("%q → %q: what is not shown differs:\n%s", old, next, diff)
		}
	}
}

// TestCompareIsBounded checks that a page of only short lines is compared as far as a browser can show it.
func TestCompareIsBounded(t *testing.T) {
	same := func(n int) string { return strings.Repeat("same\n", n) }
	for name, tt := range map[string]struct {
		old, text string
		rows      int
		long      bool
	}{
		"one change of many lines": {strings.Repeat("a\n", MaxText/2), strings.Repeat("b\n", MaxText/2), maxRows,
			true},
		"just what is shown": {strings.Repeat("a\n", maxRows), strings.Repeat("b\n", maxRows), maxRows, false},
		"one line more":      {strings.Repeat("a\n", maxRows+1), strings.Repeat("b\n", maxRows+1), maxRows, true},
		"cut in what is around": {strings.Repeat("a\n", maxRows-1) + same(2), strings.Repeat("b\n", maxRows-1) + same(2),
			maxRows, true},
		"many changes": {strings.Repeat("a\n"+same(9), maxRows/3), strings.Repeat("b\n"+same(9), maxRows/3),
			maxRows, true},
		"full, and changes after": {strings.Repeat("a\n", maxRows-3) + same(20) + "x\n",
			strings.Repeat("b\n", maxRows-3) + same(20) + "y\n", maxRows, true},
	} {
		hunks, long := Compare(tt.old, tt.text)
		rows := 0
		for _, h := range hunks {
			rows += len(h.Rows)
		}
		if rows != tt.rows || long != tt.long {
			t.Errorf("%s: %d rows, long %v; want %d, %v", name, rows, long, tt.rows, tt.long)
		}
	}
}

// W1: the first passages that differ are returned, from around the first difference.
func TestW1Passages(t *testing.T) {
	long := strings.Repeat("The wall of the old harbour is made of granite. ", 20)
	for _, tt := range []struct {
		name, old, text string
		want            []Passage
	}{
		{"the same", "a\nb", "a\nb", nil},
		{"a line that came", "a\nb", "a\nnew\nb", []Passage{{Text: "new", Added: true}}},
		{"a line that went", "a\nold\nb", "a\nb", []Passage{{Text: "old"}}},
		{"a word", "It costs 5 euros.", "It costs 6 euros.",
			[]Passage{{Text: "It costs 5 euros."}, {Text: "It costs 6 euros.", Added: true}}},
		{"a blank line", "a\nb", "a\n\nb", nil},
		{"more than are told", "", "a\nb\nc\nd\ne",
			[]Passage{{Text: "a", Added: true}, {Text: "b", Added: true}, {Text: "c", Added: true}, {Text: "d", Added: true}}},
		{"a word in a long line", long + "It opens.", long + "It closes.", []Passage{
			{Text: "…of granite. It opens."}, {Text: "…of granite. It closes.", Added: true}}},
		{"a beginning of a long line", "It opens. " + long, "It closes. " + long, []Passage{
			{Text: "It opens. The wall of the old harbour is made of granite. The wall of…"},
			{Text: "It closes. The wall of the old harbour is made of granite. The wall of…", Added: true}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, differences(tt.old, tt.text, 4, 75).Chosen, unweighed); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestW1MostToSay checks which passages of a change are told.
func TestW1MostToSay(t *testing.T) {
	noise := func(n string) string {
		return "Posted " + n + " minutes ago\n\nSeen " + n + " times\n\n" + n + " users online\n"
	}
	long := strings.Repeat("The wall of the old harbour is made of granite. ", 50)
	for _, tt := range []struct {
		name, old, text string
		want            []Passage
	}{
		{"what changes by itself is left out", noise("3") + "Fee: 12 EUR", noise("4") + "Fee: 15 EUR",
			[]Passage{{Text: "Fee: 12 EUR"}, {Text: "Fee: 15 EUR", Added: true}}},
		{"unless it is all", "Posted 3 minutes ago", "Posted 4 minutes ago",
			[]Passage{{Text: "Posted 3 minutes ago"}, {Text: "Posted 4 minutes ago", Added: true}}},
		{"prices first", "a\nb\nc\nd\ne\nPrice: 12 EUR", "A\nB\nC\nD\nE\nPrice: 15 EUR",
			[]Passage{{Text: "Price: 12 EUR"}, {Text: "Price: 15 EUR", Added: true}, {Text: "a"}, {Text: "A", Added: true}}},
		{"numbers before words", "alpha beta gamma\ndelta epsilon\nzeta eta\nroom for 12",
			"one two three\nfour five\nsix seven\nroom for 14",
			[]Passage{{Text: "room for 12"}, {Text: "room for 14", Added: true},
				{Text: "alpha beta gamma"}, {Text: "one two three", Added: true}}},
		{"most to say", "x\n\ny\n\nz", "X\n\nY yes\n\nZ and a longer sentence",
			[]Passage{{Text: "z"}, {Text: "Z and a longer sentence", Added: true}, {Text: "y"}, {Text: "Y yes", Added: true}}},
		{"indentation of code", "if a:\n    b()\nc()", "if a:\n    b()\n    c()", []Passage{{Text: "c()", Added: true}}},
		{"a word in the middle of a long paragraph", long + "You may moor here. " + long,
			long + "You may NOT moor here. " + long,
			[]Passage{{Text: "…granite. You may moor here. The wall of the old harbour is made of…"},
				{Text: "…granite. You may NOT moor here. The wall of the old harbour is made…", Added: true}}},
		{"an item in a list of numbers", "1. one\n2. two\n3. three", "1. one\n2. new\n3. two\n4. three",
			[]Passage{{Text: "2. new", Added: true}}},
		{"the numbers alone", "1. one\n2. two", "3. one\n4. two",
			[]Passage{{Text: "1. one … 2. two"}, {Text: "3. one … 4. two", Added: true}}},
		{"composed letters", "Cafe\u0301 Mole\nFee 12", "Café Mole\nFee 15",
			[]Passage{{Text: "Fee 12"}, {Text: "Fee 15", Added: true}}},
		{"a row of a table", "| Plan | 5 downloads |", "| Plan | 3 downloads |",
			[]Passage{{Text: "| Plan | 5 downloads |"}, {Text: "| Plan | 3 downloads |", Added: true}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, differences(tt.old, tt.text, 4, 75).Chosen, unweighed); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestW1Words checks which words of two lines are shown as different.
func TestW1Words(t *testing.T) {
	long := strings.Repeat("港口每天早上更新潮汐表。", 200)
	for _, tt := range []struct{ name, old, text, gone, comes string }{
		{"Chinese", "港口每天早上更新潮汐表，请注意", "港口每天晚上更新潮汐表，请注意", "[早]", "[晚]"},
		{"Japanese", "港は毎朝開きます", "港は毎晩開きます", "[朝]", "[晩]"},
		{"Thai", "ท่าเรือเปิดทุกเช้า", "ท่าเรือเปิดทุกเย็น", "[เช้า]", "[เย็น]"},
		{"Korean", "항구는 매일 아침 엽니다", "항구는 매일 저녁 엽니다", "[아침 ]", "[저녁 ]"},
		{"two words with a letter in common", "大海上船", "小海下船", "[大海上]", "[小海下]"},
		{"composed letters", "Cafe\u0301 costs 12", "Café costs 15", "[12]", "[15]"},
		{"kinds of spaces", "12\u00a0EUR a day", "12 EUR a week", "[day]", "[week]"},
		{"long Chinese", long + "可以停泊" + long, long + "不可停泊" + long, "[可以]", "[不可]"},
	} {
		before, after := ByWord(tt.old, tt.text)
		if join(before) != tt.old || join(after) != tt.text {
			t.Errorf("%s: shown as %q → %q", tt.name, join(before), join(after))
		}
		if gone, comes := fmt.Sprint(hits(before)), fmt.Sprint(hits(after)); gone != tt.gone || comes != tt.comes {
			t.Errorf("%s: %s → %s, want %s → %s", tt.name, gone, comes, tt.gone, tt.comes)
		}
	}
}

// FuzzWords checks that the pieces of two lines are the lines.
func FuzzWords(f *testing.F) {
	f.Add("a harbour waits", "a  harbour\u00a0waits")
	f.Add("ท่าเรือเปิด", "港口每天。")
	f.Add(strings.Repeat("a b. ", 2000), strings.Repeat("a c. ", 2000))
	f.Fuzz(func(t *testing.T, old, text string) {
		old, text = strings.ReplaceAll(old, "\n", " "), strings.ReplaceAll(text, "\n", " ")
		before, after := ByWord(old, text)
		if join(before) != old || join(after) != text {
			t.Errorf("%q → %q: shown as %q → %q", old, text, join(before), join(after))
		}
	})
}

// W1: passages of any texts stay within their bounds and are valid text.
func FuzzPassages(f *testing.F) {
	f.Add("a b c", "a é c", 20)
	f.Add("\xff\n\n", "\x00 x", 1)
	f.Fuzz(func(t *testing.T, old, text string, size int) {
		size = 16 + max(size, 0)%400
		for _, p := range differences(old, text, 4, size).Chosen {
			if len(p.Text) > size {
				t.Errorf("%d bytes, want at most %d: %q", len(p.Text), size, p.Text)
			}
		}
	})
}

package client

import (
	"errors"
	"io"
	"iter"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func collect(t *testing.T, list iter.Seq2[entry, error]) []entry {
	t.Helper()
	var all []entry
	for e, err := range list {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	return all
}

func TestEntries(t *testing.T) {
	long := strings.Repeat("x", maxLineBytes)
	for _, tt := range []struct {
		name, text string
		want       []entry
	}{
		{"empty", "", nil},
		{"no newline at the end", "a", []entry{{"a", 1, false}}},
		{"lines are counted with those left out", "# c\n\n a \r\nb\n", []entry{{"a", 3, false}, {"b", 4, false}}},
		{"a fragment is no comment", "https://a.example/#b\n", []entry{{"https://a.example/#b", 1, false}}},
		{"a comment after a space", "https://a.example/ # why\n", []entry{{"https://a.example/", 1, false}}},
		{"a byte order mark", "\ufeffa\n", []entry{{"a", 1, false}}},
		{"too long, then goes on", long + long + long + "\nb\n", []entry{{long, 1, true}, {"b", 2, false}}},
		{"too long at the end", "a\n" + long + "x", []entry{{"a", 1, false}, {long, 2, true}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			have := collect(t, entries(strings.NewReader(tt.text)))
			if diff := cmp.Diff(tt.want, have, cmp.AllowUnexported(entry{})); diff != "" {
				t.Errorf("(-want +have):\n%s", diff)
			}
		})
	}
}

// TestBatches checks that batching loses no source and keeps the order and the bound, also when the list ends with an
// error.
func TestBatches(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, size := rapid.IntRange(0, 50).Draw(t, "n"), rapid.IntRange(1, 10).Draw(t, "size")
		broken := rapid.Bool().Draw(t, "broken")
		list := func(yield func(entry, error) bool) {
			for i := range n {
				if !yield(entry{line: i + 1}, nil) {
					return
				}
			}
			if broken {
				yield(entry{}, io.ErrUnexpectedEOF)
			}
		}
		next, failed := 1, false
		for batch, err := range batches(list, size) {
			if err != nil {
				failed = errors.Is(err, io.ErrUnexpectedEOF)
				continue
			}
			if len(batch) == 0 || len(batch) > size {
				t.Fatalf("a batch of %d, bound %d", len(batch), size)
			}
			for _, e := range batch {
				if e.line != next {
					t.Fatalf("entry %d, want %d", e.line, next)
				}
				next++
			}
		}
		if next != n+1 || failed != broken {
			t.Fatalf("%d of %d entries, error %t, want %t", next-1, n, failed, broken)
		}
	})
}

func FuzzEntries(f *testing.F) {
	for _, s := range []string{"", "a\nb", "# c\r\n\ufeffx # y", strings.Repeat("x", maxLineBytes+1), "\x00\xff \t#"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		last := 0
		for e, err := range entries(strings.NewReader(text)) {
			if err != nil {
				t.Fatal(err)
			}
			if e.line <= last || e.source == "" || len(e.source) > maxLineBytes || strings.HasPrefix(e.source, "#") {
				t.Fatalf("entry %+v after line %d", e, last)
			}
			last = e.line
		}
		if last > strings.Count(text, "\n")+1 {
			t.Fatalf("line %d of %d", last, strings.Count(text, "\n")+1)
		}
	})
}

package change

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// reading is the content of a page with a title and a text.
func reading(title, text string) Reading {
	var body State
	copy(body[:], fmt.Sprintf("%08x", len(text))+text)
	w := WordsOf(text)
	for _, b := range w.buckets {
		body[0] ^= byte(b.number * (b.words + 1))
		body[1] ^= byte(b.number >> 8)
	}
	return Reading{Hash: title + "\n" + text, Body: body, Title: title, Words: w}
}

func (r Reading) with(images, metadata string) Reading {
	r.Images, r.Metadata = images, metadata
	return r
}

// prose is a text of n different words.
func prose(from, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "word%d ", from+i)
	}
	return b.String()
}

var (
	full  = reading("T", prose(0, 100))
	empty = reading("T", "")
)

// TestH7Kinds checks the kind of every change (H7).
func TestH7Kinds(t *testing.T) {
	earlier := full.Known()
	earlier.States = States{reading("", "a").Body, full.Body, reading("", "b").Body}
	old := full.Known() // a row from before anything was remembered
	old.States, old.Words, old.Metadata = nil, Words{}, ""
	for _, tt := range []struct {
		name  string
		known Known
		seen  Reading
		want  Kind
	}{
		{"the first content", Known{}, full, New},
		{"the same", full.Known(), full, None},
		{"another body", full.Known(), reading("T", prose(10, 100)), Content},
		{"another body and title", full.Known(), reading("U", prose(10, 100)), Content},
		{"another title", full.Known(), reading("U", prose(0, 100)), Title},
		{"another title and images", full.Known(), reading("U", prose(0, 100)).with("i", ""), Title},
		{"other images", full.Known(), full.with("i", ""), Images},
		{"no images any more", full.with("i", "").Known(), full, Images},
		{"other images and metadata", full.with("i", "m").Known(), full.with("j", "n"), Images},
		{"other metadata", full.with("i", "m").Known(), full.with("i", "n"), Metadata},
		{"metadata that were not read before", full.Known(), full.with("", "m"), None},
		{"H8 an earlier body", earlier, full, Reverted},
		{"H8 an earlier body, another title", earlier, reading("U", prose(0, 100)), Reverted},
		{"an old row, the same", old, full, None},
		{"an old row, nobody can tell a title", old, reading("U", prose(0, 100)), Content},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.known.Hash != "" && strings.HasPrefix(tt.name, "H8") {
				tt.known.Hash = "another"
			}
			d := Decide(tt.known, tt.seen, false, noon)
			if d.Kind != tt.want || d.Waits || (d.Why == "") != (tt.want == None) {
				t.Errorf("have %q (%s, waits %v), want %q", d.Kind, d.Why, d.Waits, tt.want)
			}
			if d.Known.Hash != tt.seen.Hash || !d.Known.States.present(tt.seen.Body) {
				t.Errorf("remembered is %+v", d.Known)
			}
		})
	}
}

// TestN1Zones checks that a change beside the main content has a kind of its own, and so has a change of text that is
// not read (N1, N6).
func TestN1Zones(t *testing.T) {
	with := func(r Reading, main, body byte, hash string) Reading {
		r.Main, r.Body, r.Hash = State{main}, State{body}, hash
		return r
	}
	page := with(full, 1, 2, "a")
	old := page.Known() // a row from before the main content had a hash of its own
	old.Main = State{}
	earlier := page.Known()
	earlier.States = States{{2}, {3}}
	for _, tt := range []struct {
		name  string
		known Known
		seen  Reading
		want  Kind
	}{
		{"beside", page.Known(), with(full, 1, 3, "b"), Beside},
		{"main", page.Known(), with(full, 9, 3, "b"), Content},
		{"beside again as before", earlier, with(full, 1, 3, "b"), Reverted},
		{"nothing is known of the main content", old, with(full, 1, 3, "b"), Content},
		{"beyond", page.Known(), with(full, 1, 2, "b"), Beyond},
		{"bytes", page.Known(), Reading{Hash: "b", Body: State{9}, Unread: true}, Bytes},
		{"bytes as before", earlier, Reading{Hash: "b", Body: State{3}, Unread: true}, Reverted},
		{"title", page.Known(), with(reading("U", prose(0, 100)), 1, 2, "b"), Title},
	} {
		if d := Decide(tt.known, tt.seen, false, noon); d.Kind != tt.want || d.Waits || d.Why == "" ||
			d.Known.Main != tt.seen.Main {
			t.Errorf("%s: have %q (%s), want %q", tt.name, d.Kind, d.Why, tt.want)
		}
	}
	if !Beside.OfContent() || !Beyond.OfContent() || !Bytes.OfContent() {
		t.Error("a change that readers see does not count as one of the content")
	}
}

// TestH7Extent checks the shares and word counts of a change (H7).
func TestH7Extent(t *testing.T) {
	for _, tt := range []struct {
		name, old, now string
		want           Extent
	}{
		{"a word", "aaaa bbbb cccc dddd", "aaaa bbbb cccc eeee", Extent{true, 0.25, 0.25, 1, 1}},
		{"a word more", "aaaa bbbb cccc", "aaaa bbbb cccc dddd", Extent{true, 0.25, 0, 1, 0}},
		{"a word twice", "aaaa", "aaaa aaaa", Extent{true, 0.5, 0, 1, 0}},
		{"letters weigh", "a bbb", "bbb", Extent{true, 0, 0.25, 0, 1}},
		{"moved", "one two three", "three\n\none  two", Extent{Measured: true}},
		{"all gone", "one two", "", Extent{true, 0, 1, 0, 2}},
		{"from nothing", "", "one two", Extent{true, 1, 0, 2, 0}},
		{"signs are words without letters", "a - b", "a b", Extent{true, 0, 0, 0, 1}},
		{"letters of scripts without spaces", "日本語", "日本人", Extent{true, 1. / 3, 1. / 3, 1, 1}},
		{"after such a letter", "日abc", "日 abc", Extent{Measured: true}},
		{"bytes that are no text", "a \xff b", "a b", Extent{true, 0, 0, 0, 1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, Compare(WordsOf(tt.old), WordsOf(tt.now))); diff != "" {
				t.Error(diff)
			}
		})
	}
	if e := Compare(Words{}, WordsOf("a")); e != (Extent{}) {
		t.Errorf("nothing is remembered, but %v", e)
	}
	if have := (Extent{Added: 1, Removed: 1200}).String(); have != "1 word added, 1,200 removed" {
		t.Error(have)
	}
}

// TestX2InCommon checks which share of the shorter text the longer one has, too (X2).
func TestX2InCommon(t *testing.T) {
	for _, tt := range []struct {
		name, a, b string
		want       float64
	}{
		{"the same", "one two", "two one", 1},
		{"a part", "aaaa bbbb", "xxxx aaaa yyyy bbbb zzzz", 1},
		{"half of the shorter", "aaaa cccc", "xxxx aaaa yyyy bbbb zzzz", 0.5},
		{"nothing", "aaaa", "bbbb", 0},
		{"no letters", "- -", "aaaa", 0},
		{"an empty text", "", "aaaa", 0},
	} {
		a, b := WordsOf(tt.a), WordsOf(tt.b)
		if have, back := InCommon(a, b), InCommon(b, a); have != tt.want || back != tt.want {
			t.Errorf("%s: %v and %v, want %v", tt.name, have, back, tt.want)
		}
	}
	if InCommon(Words{}, WordsOf("a")) != 0 {
		t.Error("a text that is not known has something in common")
	}
}

// TestH8EightStates checks that a page that returns to one of its last eight states is reverted, and that a ninth is
// new content (H8).
func TestH8EightStates(t *testing.T) {
	state := func(i int) Reading { return reading("T", prose(3*i, 100)) }
	known := state(0).Known()
	for i := 1; i < 8; i++ {
		d := Decide(known, state(i), false, noon)
		if d.Kind != Content {
			t.Fatalf("state %d is %q", i, d.Kind)
		}
		known = d.Known
	}
	if n := len(known.States.Bytes()); n != 64 {
		t.Errorf("%d bytes are remembered", n)
	}
	if d := Decide(known, state(0), false, noon); d.Kind != Reverted || len(d.Known.States) != 8 {
		t.Errorf("the eighth state back is %q, %d are remembered", d.Kind, len(d.Known.States))
	}
	known = Decide(known, state(8), false, noon).Known
	if d := Decide(known, state(0), false, noon); d.Kind != Content {
		t.Errorf("the ninth state back is %q", d.Kind)
	}
}

// TestStatesAreStored checks that states are read as they were stored, and that damaged bytes give none.
func TestStatesAreStored(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s States
		for _, n := range rapid.SliceOfN(rapid.ByteRange(0, 12), 0, 30).Draw(t, "states") {
			s = s.Push(State{n})
		}
		if diff := cmp.Diff(s, StatesOf(s.Bytes())); diff != "" {
			t.Fatal(diff)
		}
		for i, state := range s {
			if s[i+1:].has(state) {
				t.Fatalf("%v has a state twice", s)
			}
		}
		if b := rapid.SliceOf(rapid.Byte()).Draw(t, "bytes"); len(b)%8 != 0 || len(b) > 64 {
			if s := StatesOf(b); s != nil {
				t.Fatalf("%x is %v", b, s)
			}
		}
	})
}

// TestWordsAreStored checks that words are read as they were stored, and that damaged bytes give none.
func TestWordsAreStored(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := WordsOf(rapid.String().Draw(t, "text"))
		if diff := cmp.Diff(w, ParseWords(w.Bytes()), cmp.AllowUnexported(Words{}, bucket{})); diff != "" {
			t.Fatal(diff)
		}
		b := rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")
		if read := ParseWords(b); read.known && len(read.buckets) > len(b) {
			t.Fatalf("%x is %v", b, read)
		}
		_ = Compare(w, ParseWords(b))
	})
	long := WordsOf(prose(0, 200_000))
	if n := len(long.Bytes()); n > 300_000 || long.words != 200_000 {
		t.Errorf("%d words are stored in %d bytes", long.words, n)
	}
	if Words.Bytes(Words{}) != nil || !ParseWords(WordsOf("").Bytes()).known {
		t.Error("nothing remembered and an empty text are the same")
	}
}

// TestExtentOfAnyTexts checks that shares are within 0 and 1, and that the reverse change has the reverse extent.
func TestExtentOfAnyTexts(t *testing.T) {
	texts := rapid.StringMatching(`([a-e]{1,3} ){0,30}`)
	rapid.Check(t, func(t *rapid.T) {
		a, b := texts.Draw(t, "a"), texts.Draw(t, "b")
		there, back := Compare(WordsOf(a), WordsOf(b)), Compare(WordsOf(b), WordsOf(a))
		if back != (Extent{true, there.Gone, there.New, there.Removed, there.Added}) {
			t.Fatalf("there %+v, back %+v", there, back)
		}
		words := func(s string) int { return len(strings.Fields(s)) }
		if there.New < 0 || there.New > 1 || words(a)+there.Added-there.Removed != words(b) {
			t.Fatalf("%+v", there)
		}
	})
}

package chunk

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestC1Vectors checks names that must never change. They were computed by testdata/reference.
func TestC1Vectors(t *testing.T) {
	text := newText("a😀b\r\nc")
	for _, tc := range []struct{ name, have, want string }{
		{"a text by itself", string(chunkUID("repo", "a", "", newText("abc"), 0, 3, contextUnits)),
			"ck64:v1:repo:a:6c8e522379d85ad1"},
		{"before and behind", string(chunkUID("repo", "a", "", newText("abc"), 1, 2, contextUnits)),
			"ck64:v1:repo:a:206d50be15ea416d:e392c6d11c659c27:572bfaa02c280c44"},
		{"language, virtual path and namespace",
			string(chunkUID("other", "a#seg:segu:v1:0", "go", newText("abc"), 1, 2, contextUnits)),
			"ck64:v1:other:a#seg:segu:v1:0:go:206d50be15ea416d:e392c6d11c659c27:572bfaa02c280c44"},
		{"pairs cut on both sides", string(chunkUID("repo", "a", "", text, 2, 4, contextUnits)),
			"ck64:v1:repo:a:621cb0b55fb65557:a9458a7bcfdb67c5:8c4297aad69c1390"},
		{"a line end cut in two", string(chunkUID("repo", "a", "", text, 0, 5, contextUnits)),
			"ck64:v1:repo:a:d409974452a83551:8c4297aad69c1390"},
		{"nothing", string(chunkUID("repo", "a", "", newText(""), 0, 0, contextUnits)), "ck64:v1:repo:a:7909bc6c7404dcc1"},
		{"segment", segmentUID("code", "go", "a\r\nb\rc"), "segu:v1:5f0745c57856ccf2"},
		{"segment of no known language", segmentUID("table", "", "a\nb\nc"), "segu:v1:630bd7a0364db14d"},
	} {
		if tc.have != tc.want {
			t.Errorf("%s: have %s, want %s", tc.name, tc.have, tc.want)
		}
	}
}

func TestC1NormalizeForUID(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "a\nb": "a\nb", "a\r\nb": "a\nb", "a\rb": "a\nb", "\r\r\n\n": "\n\n\n", " a\t\r": " a\t\n",
		"\u2028": "\u2028",
	} {
		if have := normalizeForUID(text); have != want {
			t.Errorf("%q: have %q, want %q", text, have, want)
		}
	}
}

func TestC3VirtualPath(t *testing.T) {
	if have := virtualPath("docs/a.md", ""); have != "docs/a.md" {
		t.Errorf("have %s", have)
	}
	if have := virtualPath("docs/a.md", "segu:v1:00"); have != "docs/a.md#seg:segu:v1:00" {
		t.Errorf("have %s", have)
	}
}

// TestC1Text checks that positions are those of the UTF-16 form, and that half a pair becomes U+FFFD.
func TestC1Text(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "é", "港", "😀", "\uFFFD", strings.Repeat("x", 255),
			strings.Repeat("😀", 100)}), 0, 20).Draw(t, "s"), "")
		text, units := newText(s), utf16.Encode([]rune(s))
		if text.Len() != len(units) || unitsOf(s) != len(units) {
			t.Fatalf("length %d, want %d", text.Len(), len(units))
		}
		start := rapid.IntRange(0, len(units)).Draw(t, "start")
		end := rapid.IntRange(start, len(units)).Draw(t, "end")
		if want := string(utf16.Decode(units[start:end])); text.Slice(start, end) != want {
			t.Fatalf("%d to %d: have %q, want %q", start, end, text.Slice(start, end), want)
		}
	})
	if have := newText("a\xff\xfeb"); have.Len() != 3 || have.Slice(1, 2) != "\uFFFD" {
		t.Errorf("what is not UTF-8: %+v", have)
	}
}

// TestC1Windows checks that exactly 128 units around a chunk count.
func TestC1Windows(t *testing.T) {
	at := func(before, after string) UID {
		text := before + "span" + after
		return chunkUID(Namespace, "a", "", newText(text), unitsOf(before), unitsOf(before)+4, contextUnits)
	}
	pad := strings.Repeat("x", 127)
	base := at("ab"+pad, pad+"cd")
	for _, tc := range []struct {
		name          string
		before, after string
		same          bool
	}{
		{"129 units before", "?b" + pad, pad + "cd", true},
		{"128 units before", "a?" + pad, pad + "cd", false},
		{"129 units behind", "ab" + pad, pad + "c?", true},
		{"128 units behind", "ab" + pad, pad + "?d", false},
		{"ten lines at the top", strings.Repeat("line\n", 10) + "ab" + pad, pad + "cd", true},
	} {
		if same := at(tc.before, tc.after) == base; same != tc.same {
			t.Errorf("%s: the same %v, want %v", tc.name, same, tc.same)
		}
	}
	if a, b := at("", "c"), at("c", ""); a == b {
		t.Error("before and behind are one")
	}
}

// TestC2Collisions checks how equal chunks are distinguished.
func TestC2Collisions(t *testing.T) {
	fence := strings.Repeat("-", 128)
	same := fence + "span" + fence
	far := strings.Repeat("=", 2000)
	for _, tc := range []struct {
		name     string
		text     string
		suffixes []string // of the names of each "span"
		want     Collisions
	}{
		{"none", "span one span", []string{"", ""}, Collisions{}},
		{"told apart by what is further away", "a" + same + "b" + same + "c", []string{"", ""},
			Collisions{Chunks: 2, ByContext: 2, Largest: 2, Files: []string{"a"}}},
		{"counted", far + same + far + same + far, []string{":ord1", ":ord2"},
			Collisions{Chunks: 2, ByOrdinal: 2, Largest: 2, Files: []string{"a"}}},
		{"one by context, two by counting", "x" + same + far + same + far + same + far, []string{"", ":ord1", ":ord2"},
			Collisions{Chunks: 3, ByContext: 1, ByOrdinal: 2, Largest: 3, Files: []string{"a"}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			uids, have := distinctUIDs(Namespace, map[zoneText]indexedText{{File: "a"}: newText(tc.text)}, spansOf("a",
				tc.text, "span"))
			if diff := cmp.Diff(tc.want, have); diff != "" {
				t.Errorf("-want +have\n%s", diff)
			}
			for i, uid := range uids {
				if _, ordinal, _ := strings.Cut(string(uid), ":ord"); tc.suffixes[i] != "" != (ordinal != "") ||
					!strings.HasSuffix(string(uid), tc.suffixes[i]) {
					t.Errorf("%d: %s, want it to end with %q", i, uid, tc.suffixes[i])
				}
			}
		})
	}
}

// spansOf returns all occurrences of a word in an ASCII text.
func spansOf(file, text, word string) (spans []span) {
	for at := 0; ; at += len(word) {
		n := strings.Index(text[at:], word)
		if n < 0 {
			return spans
		}
		at += n
		spans = append(spans, span{File: file, Start: at, End: at + len(word)})
	}
}

// TestC2CollisionsOfFiles checks that collisions of several files are added up, and that the first files are listed.
func TestC2CollisionsOfFiles(t *testing.T) {
	var all Collisions
	for i, n := range []int{2, 0, 5, 3} {
		all.Add(string(rune('a'+i)), Collisions{Chunks: n, ByOrdinal: n, Largest: n}, 2)
	}
	if want := (Collisions{Chunks: 10, ByOrdinal: 10, Largest: 5, Files: []string{"a", "c"}}); !cmp.Equal(all, want) {
		t.Errorf("have %+v, want %+v", all, want)
	}
}

// TestC2Order checks that ordinals follow the order of spec 002 §5.3, whatever the order of the input.
func TestC2Order(t *testing.T) {
	texts := map[zoneText]indexedText{{File: "a"}: newText(strings.Repeat("x", 10000)), {File: "b"}: newText("")}
	sorted := []span{
		{File: "a", Start: 3000, End: 3001}, {File: "a", Start: 3000, End: 3001, Kind: "k"},
		{File: "a", Start: 3000, End: 3001, Kind: "k", Name: "😀"},
		{File: "a", Start: 3000, End: 3001, Kind: "k", Name: "\uFFFF"},
		{File: "a", Start: 4000, End: 4001},
	}
	rapid.Check(t, func(t *rapid.T) {
		order := rapid.Permutation([]int{0, 1, 2, 3, 4}).Draw(t, "order")
		spans := make([]span, len(sorted))
		for i, o := range order {
			spans[i] = sorted[o]
		}
		uids, _ := distinctUIDs(Namespace, texts, spans)
		for i, o := range order {
			if want := fmt.Sprintf(":ord%d", o+1); !strings.HasSuffix(string(uids[i]), want) {
				t.Fatalf("%+v: %s, want %s", spans[i], uids[i], want)
			}
		}
	})
}

// TestCompareUnits: the order is that of the UTF-16 forms.
func TestCompareUnits(t *testing.T) {
	words := rapid.StringOf(rapid.SampledFrom([]rune("ab\u00e9\ud7ff\ue000\uffff\U00010000😀\U0010ffff")))
	rapid.Check(t, func(t *rapid.T) {
		a, b := words.Draw(t, "a"), words.Draw(t, "b")
		want := 0
		x, y := utf16.Encode([]rune(a)), utf16.Encode([]rune(b))
		for i := 0; want == 0 && i < min(len(x), len(y)); i++ {
			want = int(x[i]) - int(y[i])
		}
		if want == 0 {
			want = len(x) - len(y)
		}
		if have := compareUnits(a, b); (have < 0) != (want < 0) || (have > 0) != (want > 0) {
			t.Fatalf("have %d, want %d", have, want)
		}
	})
}

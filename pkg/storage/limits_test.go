package storage_test

import (
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"pgregory.net/rapid"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage"
)

// storagetest checks the limits themselves, for every adapter. This file checks the arithmetic, and what callers may
// rely on between calls.

func FuzzCheckKey(f *testing.F) {
	for _, seed := range []string{"a", "example.org", "due|2026", "é", "🙂", "", "a/b", `\`, "#", "?", "\x00", "\x7f",
		"\u0085", "\xff"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		err := storage.CheckKey(storage.Key{Partition: "p", Row: s})
		n := len(utf16.Encode([]rune(s)))
		bad := s == "" || n > 512 || strings.ToValidUTF8(s, "") != s || strings.ContainsFunc(s, func(r rune) bool {
			return strings.ContainsRune(`/\#?`, r) || r < 0x20 || r >= 0x7f && r <= 0x9f
		})
		if bad != (err != nil) {
			t.Errorf("key %q of %d units: have %v", s, n, err)
		}
		if err != nil && !fault.Is(err, fault.Invalid) {
			t.Errorf("key %q: have %s, want Invalid", s, fault.KindOf(err))
		}
	})
}

// TestEntitySize checks Azure's published formula against sizes calculated by hand.
func TestEntitySize(t *testing.T) {
	const token = 8 + 2*4 + 2*16 + 4
	for name, c := range map[string]struct {
		props storage.Properties
		want  int
	}{
		"keys alone":  {nil, 0},
		"bool":        {storage.Properties{"AB": true}, 8 + 4 + 1},
		"int32":       {storage.Properties{"AB": int32(1)}, 8 + 4 + 4},
		"int64":       {storage.Properties{"AB": int64(1)}, 8 + 4 + 8},
		"float64":     {storage.Properties{"AB": 1.0}, 8 + 4 + 8},
		"string":      {storage.Properties{"AB": "xyz"}, 8 + 4 + 6 + 4},
		"pair":        {storage.Properties{"AB": "🙂"}, 8 + 4 + 4 + 4},
		"binary":      {storage.Properties{"AB": []byte("xyz")}, 8 + 4 + 3 + 4},
		"two columns": {storage.Properties{"A": true, "B": true}, 2 * (8 + 2 + 1)},
	} {
		e := storage.Entity{Key: storage.Key{Partition: "pp", Row: "r"}, Props: c.props}
		if have, want := storage.EntitySize(e), 4+2*3+token+c.want; have != want {
			t.Errorf("%s: have %d, want %d", name, have, want)
		}
	}
}

// TestWholeSeconds checks that a message is never hidden for less than requested, nor for a second more.
func TestWholeSeconds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := time.Duration(rapid.Int64Range(0, int64(storage.MaxDelay)).Draw(t, "d"))
		have := time.Duration(storage.WholeSeconds(d)) * time.Second
		if have < d || have >= d+time.Second || have > storage.MaxDelay {
			t.Fatalf("%v became %v", d, have)
		}
	})
}

func FuzzCheckBlobName(f *testing.F) {
	for _, seed := range []string{"a", "sha256/ab/cd/ef", "a//b", "../a", "a/..", "a b?", "/", "\x00", "é"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if storage.CheckBlobName(s) != nil {
			return
		}
		for segment := range strings.SplitSeq(s, "/") {
			if segment == "" || segment == "." || segment == ".." {
				t.Errorf("name %q was let through with the segment %q", s, segment)
			}
		}
	})
}

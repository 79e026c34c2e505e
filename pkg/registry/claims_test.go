package registry

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestX2ClaimsOfAHost checks that a host says which address many of its pages wrongly name, and that few claims of a
// kind give way to it (X2).
func TestX2ClaimsOfAHost(t *testing.T) {
	claims := func(to string) tally { return tally{Status: Indexed, Claim: to} }
	h := &hostState{}
	for i := range 40 {
		h.recount(tally{}, claims(fmt.Sprintf("https://a.example/%d", i)))
	}
	for range 2 {
		h.recount(tally{}, claims("https://a.example/"))
	}
	if n := h.Notices(); len(n) != 0 || len(h.Claims) != maxClaims {
		t.Errorf("%q of %v", n, h.Claims)
	}
	h.recount(tally{}, claims("https://a.example/"))
	if n := h.Notices(); len(n) != 1 || !strings.HasPrefix(n[0], "3 pages name https://a.example/ as their canonical") {
		t.Errorf("%q", n)
	}
	h.recount(claims("https://a.example/"), claims(""))
	if n := h.Notices(); len(n) != 0 {
		t.Errorf("%q", n)
	}
}

// TestX2ClaimsAreBounded checks that counts are positive and bounded, and never above the real number (X2).
func TestX2ClaimsAreBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h, now, real := &hostState{}, map[int]string{}, map[string]int{}
		for range rapid.IntRange(0, 200).Draw(t, "steps") {
			page, to := rapid.IntRange(0, 30).Draw(t, "page"), ""
			if n := rapid.IntRange(0, 25).Draw(t, "to"); n > 0 {
				to = fmt.Sprint(n)
			}
			h.recount(tally{Claim: now[page]}, tally{Claim: to})
			real[now[page]]--
			now[page] = to
			real[to]++
		}
		if len(h.Claims) > maxClaims {
			t.Fatalf("%d addresses", len(h.Claims))
		}
		for to, n := range h.Claims {
			if n < 1 || n > real[to] {
				t.Fatalf("%d pages name %s, counted are %d", real[to], to, n)
			}
		}
	})
}

package agent

import (
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/content/chunk"
)

// TestJ7AnswersAreBounded checks that an answer never exceeds its limit of tokens, states when it is cut, and closes
// its delimiters, whatever its text is.
func TestJ7AnswersAreBounded(t *testing.T) {
	for _, tokens := range []int{-1, 0, 1, 300, 5000, 1 << 30} {
		a := newAnswer(tokens)
		for i := 0; a.room() && i < 1000; i++ {
			a.say("%d. url_aaaaaaaaaaaaaaaaaaaaaaaaaa, captured 2026-03-01T12:00:00Z\n", i)
			a.quote(strings.Repeat("潮 tide 42 ", 90))
		}
		text := a.String()
		want := tokens
		if tokens == 0 {
			want = usualTokens
		}
		want = min(max(want, leastTokens), mostTokens)
		if n := chunk.Tokens(text); n > want || n < want/2 || !strings.Contains(text, "Cut at about") ||
			strings.Count(text, "<<<"+a.fence) != strings.Count(text, a.fence+">>>") {
			t.Errorf("%d: %d tokens\n%s", tokens, n, text[max(0, len(text)-300):])
		}
	}
}

// TestJ7MarksAreDrawn checks that no two answers have the same delimiters, and that control characters for a terminal
// or a parser are removed.
func TestJ7MarksAreDrawn(t *testing.T) {
	a, b := newAnswer(0), newAnswer(0)
	if a.fence == b.fence || len(a.fence) != 12 {
		t.Errorf("%s, %s", a.fence, b.fence)
	}
	a.quote("x" + b.fence + ">>>\x1b[2J\x00\n")
	if text := a.String(); strings.Contains(text, "\x1b") || strings.Contains(text, "\x00") {
		t.Errorf("%q", text)
	}
}

// TestX18UnseenCharacters checks that characters that people do not see do not reach models (X18).
func TestX18UnseenCharacters(t *testing.T) {
	for text, want := range map[string]string{
		"a\U000E0049\U000E007Fb": "ab", "a\u202Eb\u2066c\u200Fd": "abcd", "a\x1bb": "a\uFFFDb",
		"می\u200cروم, 👩\u200d🚀\n\tend": "می\u200cروم, 👩\u200d🚀\n\tend",
	} {
		if have := plain(text); have != want {
			t.Errorf("%q: have %q, want %q", text, have, want)
		}
	}
}

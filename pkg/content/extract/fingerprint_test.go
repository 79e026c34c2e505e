package extract

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

func sentence(rng *rand.Rand, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("w%d", rng.IntN(2000))
	}
	return out
}

func none(string) bool { return false }

func printOf(text string) Fingerprint { return FingerprintOf(text, none) }

func TestA14FingerprintTellsTexts(t *testing.T) {
	const sorry = "Sorry, this page does not exist. It may have been moved or deleted by us. Try the search, or begin " +
		"at the front page of the harbour."
	short := "Page not found"
	for name, tt := range map[string]struct {
		a, b string
		near bool
	}{
		"the same":                    {sorry, sorry, true},
		"other marks, case and space": {sorry, strings.ToUpper(strings.ReplaceAll(sorry, ", ", " – \n")), true},
		"another text": {sorry, "High water at the harbour is at noon today, and the boats leave an hour " +
			"later from the northern quay as they do all summer.", false},
		"short, the same":      {short, "page NOT found!", true},
		"short, one word more": {short, short + " today", false},
		"short, another order": {short, "not page found", false},
		"short and long":       {short, sorry, false},
		"no words":             {"", "", false},
		"only marks":           {"— … !", "?", false},
	} {
		if have := printOf(tt.a).Near(printOf(tt.b)); have != tt.near {
			t.Errorf("%s: near is %v", name, have)
		}
	}
}

// TestA14FingerprintThreshold checks that the threshold separates unrelated texts from edited ones.
func TestA14FingerprintThreshold(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const pairs = 2000
	falselyNear, missed := 0, 0
	for range pairs {
		a := sentence(rng, 50+rng.IntN(400))
		if printOf(strings.Join(a, " ")).Near(printOf(strings.Join(sentence(rng, len(a)), " "))) {
			falselyNear++
		}
		b := append([]string(nil), a...)
		from := rng.IntN(len(b))
		for i := from; i < min(len(b), from+max(1, len(b)/50)); i++ {
			b[i] = "edited" // a fiftieth, contiguous
		}
		if !printOf(strings.Join(a, " ")).Near(printOf(strings.Join(b, " "))) {
			missed++
		}
	}
	if falselyNear > 0 || missed > pairs/20 {
		t.Errorf("of %d pairs %d unrelated ones are near, and %d edited ones are not", pairs, falselyNear, missed)
	}
}

func TestA14FingerprintLeavesWordsOut(t *testing.T) {
	leave := func(w string) bool { return w == "a1b2" || w == "prices" }
	if a, b := FingerprintOf("There is no page /A1B2 here", leave),
		FingerprintOf("There is no page /Prices here", leave); !a.Near(b) || a.Words != 5 {
		t.Errorf("%+v and %+v", a, b)
	}
}

func TestA14FingerprintIsBounded(t *testing.T) {
	long := strings.Repeat("tide ", maxWords)
	if a, b := printOf(long), printOf(long+long); a != b || a.Words != maxWords {
		t.Errorf("%+v and %+v", a, b)
	}
}

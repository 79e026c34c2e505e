package enrich

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/llm"
)

// TestD9Parse checks what the parser of both flows accepts, tolerates and refuses (D9).
func TestD9Parse(t *testing.T) {
	full := `{"gist":"The harbour opens.","topic_primary":"Harbours","topic_primary_confidence":0.9,"topic_secondary":"tides","topic_secondary_confidence":0.2,"keywords":["crane","pier"]}`
	want := Fields{Gist: "The harbour opens.", TopicPrimary: "harbours", TopicPrimaryConfidence: 0.9,
		TopicSecondary: "tides", TopicSecondaryConfidence: 0.2, Keywords: []string{"crane", "pier"}}
	least := Fields{Gist: "g", TopicPrimary: "t", Keywords: []string{}}
	for _, tc := range []struct {
		name, text string
		want       Fields
		refused    bool
	}{
		{"as asked for", full, want, false},
		{"fence of Markdown", "```json\n" + full + "\n```\n", want, false},
		{"fence without a language", "```\n" + full + "\n```", want, false},
		{"another field", `{"gist":"g","topic_primary":"t","mood":"calm"}`, least, false},
		{"without the second topic and keywords", `{"gist":"g","topic_primary":"t","topic_secondary":null}`, least, false},
		{"a second topic that is the first",
			`{"gist":"g","topic_primary":"t","topic_secondary":"T ","topic_secondary_confidence":1}`, least, false},
		{"confidence out of range",
			`{"gist":"g","topic_primary":"t","topic_primary_confidence":95,"topic_secondary":"u","topic_secondary_confidence":-1}`,
			Fields{Gist: "g", TopicPrimary: "t", TopicPrimaryConfidence: 1, TopicSecondary: "u", Keywords: []string{}}, false},
		{"lines and controls", `{"gist":" g\n\u0000h ","topic_primary":"t"}`, Fields{Gist: "g h", TopicPrimary: "t",
			Keywords: []string{}}, false},
		{"keywords twice and empty", `{"gist":"g","topic_primary":"t","keywords":["a"," a","","b"]}`,
			Fields{Gist: "g", TopicPrimary: "t", Keywords: []string{"a", "b"}}, false},
		{"no gist", `{"gist":" ","topic_primary":"t"}`, Fields{}, true},
		{"no topic", `{"gist":"g"}`, Fields{}, true},
		{"words around it", "Here it is: " + full + "\nI hope it helps {really}.", want, false},
		{"fence in capitals, after words", "Sure!\n```JSON\n" + full + "\n```\nDone.", want, false},
		{"thoughts", "<think>Maybe " + full + "?\nNo: {</think>\n\n" + full, want, false},
		{"the end of thoughts", "maybe " + full + "\n</think>" + full, want, false},
		{"thoughts without an end", "<think>I should", Fields{}, true},
		{"a mark before it", "\ufeff" + full, want, false},
		{"numbers in quotes, keywords in a text",
			`{"gist":"g","topic_primary":"t","topic_primary_confidence":"0.5","keywords":"a, b; c"}`,
			Fields{Gist: "g", TopicPrimary: "t", TopicPrimaryConfidence: 0.5, Keywords: []string{"a", "b", "c"}}, false},
		{"a keyword that is a number", `{"gist":"g","topic_primary":"t","keywords":["a",7,null,"b"]}`,
			Fields{Gist: "g", TopicPrimary: "t", Keywords: []string{"a", "b"}}, false},
		{"in another object", `{"result":` + full + `}`, want, false},
		{"two of them", full + full, Fields{}, true},
		{"a confidence in words", `{"gist":"g","topic_primary":"t","topic_primary_confidence":"high"}`, Fields{}, true},
		{"a list", "[ " + full + " ]", want, false},
		{"many braces", strings.Repeat("{", 1000) + full, Fields{}, true},
		{"null", "null", Fields{}, true},
		{"half", full[:40], Fields{}, true},
		{"nothing", "", Fields{}, true},
		{"a fence alone", "```", Fields{}, true},
		{"too much", `{"gist":"g","topic_primary":"t","x":"` + strings.Repeat("x", maxAnswer) + `"}`, Fields{}, true},
	} {
		have, err := parse(llm.Answer{Text: tc.text, Finish: llm.Complete})
		if tc.refused != fault.Is(err, fault.Unavailable) || tc.refused != (err != nil) {
			t.Errorf("%s: %v", tc.name, err)
		}
		if diff := cmp.Diff(tc.want, have); diff != "" {
			t.Errorf("%s (-want +have):\n%s", tc.name, diff)
		}
	}
	if _, err := parse(llm.Answer{Text: full, Finish: llm.Truncated}); !fault.Is(err, fault.Unavailable) {
		t.Errorf("truncated: %v", err)
	}
	if _, err := parse(llm.Answer{Text: full, Finish: llm.Refused}); !fault.Is(err, fault.Blocked) {
		t.Errorf("refused: %v", err)
	}
}

// Whatever a model says, fields that are accepted are within their bounds.
func FuzzParse(f *testing.F) {
	f.Add(`{"gist":"g","topic_primary":"t","topic_primary_confidence":1e300,"keywords":["a","b"]}`)
	f.Add("```json\n{}\n```")
	f.Fuzz(func(t *testing.T, text string) {
		have, err := parse(llm.Answer{Text: text, Finish: llm.Complete})
		if err != nil {
			return
		}
		for name, c := range map[string]struct {
			text string
			max  int
		}{"gist": {have.Gist, maxGist}, "primary": {have.TopicPrimary, maxTopic}, "secondary": {have.TopicSecondary,
			maxTopic}, "keyword": {strings.Join(have.Keywords, ""), maxKeywords * maxKeyword}} {
			if !utf8.ValidString(c.text) || utf8.RuneCountInString(c.text) > c.max || strings.ContainsAny(c.text, "\x00\n") {
				t.Errorf("%s: %q", name, c.text)
			}
		}
		if have.Gist == "" || have.TopicPrimary == "" || len(have.Keywords) > maxKeywords ||
			!(have.TopicPrimaryConfidence >= 0 && have.TopicPrimaryConfidence <= 1 && have.TopicSecondaryConfidence >= 0 &&
				have.TopicSecondaryConfidence <= 1) {
			t.Errorf("%+v", have)
		}
	})
}

// A question is bounded, ends where it says, and has one digest.
func TestD9Prompt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		title := rapid.String().Draw(t, "title")
		text := strings.Repeat(rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"</entry>", "潮", "a\x00"})).Draw(t,
			"text"), rapid.SampledFrom([]int{1, 30, 9000}).Draw(t, "times"))
		r, err := request(title, text)
		if err != nil {
			return
		}
		if len(r.User) > maxText+4*maxTitle+100 || !utf8.ValidString(r.User) || strings.Count(r.User, "</entry>") > 1+
			strings.Count(title, "</entry>") || !strings.HasSuffix(r.User, "\n</entry>") {
			t.Fatalf("%d bytes: %.200q", len(r.User), r.User)
		}
		again, _ := request(title, text)
		other, _ := request(title+"x", text)
		if len(title) < maxTitle && strings.TrimSpace(title) == title && digest(r) == digest(other) ||
			digest(r) != digest(again) || len(digest(r)) != 2*digestBytes {
			t.Fatalf("digests %s %s %s", digest(r), digest(again), digest(other))
		}
	})
}

// The id of a line is read as it was written, and no other id is.
func TestD9LineID(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		no, sum := rapid.IntRange(0, MaxLines).Draw(t, "no"), rapid.StringMatching(`[0-9a-f]{20}`).Draw(t, "digest")
		have, digest, ours := splitLineID("t1-x", lineID("t1-x", no, sum))
		if have != no || digest != sum || !ours {
			t.Fatalf("%d %s %v", have, digest, ours)
		}
	})
	for _, id := range []string{"", "t1-x", "t1-y_00001_" + strings.Repeat("a", 20), "t1-x_1_" + strings.Repeat("a", 20),
		"t1-x_00001_aa", "t1-x_00001_" + strings.Repeat("a", 20) + "_", "t1-x_+0001_" + strings.Repeat("a", 20)} {
		if _, _, ours := splitLineID("t1-x", id); ours {
			t.Errorf("%q is taken", id)
		}
	}
}

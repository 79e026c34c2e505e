package terminal

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func TestTimes(t *testing.T) {
	for _, tt := range []struct {
		d    time.Duration
		want string
	}{
		{0, "now"}, {-500 * time.Millisecond, "now"}, {-time.Second, "1 second ago"}, {-59 * time.Second, "59 seconds ago"},
		{-90 * time.Second, "1 minute ago"}, {2 * time.Hour, "in 2 hours"}, {24 * time.Hour, "in 1 day"},
		{-400 * 24 * time.Hour, "1 year ago"},
	} {
		if have := words.Relative(noon, noon.Add(tt.d)); have != tt.want {
			t.Errorf("%s: have %q, want %q", tt.d, have, tt.want)
		}
	}
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1000: "-1,000",
		-100: "-100"} {
		if have := words.Thousands(n); have != want {
			t.Errorf("thousands(%d): have %s, want %s", n, have, want)
		}
	}
}

func TestMarkup(t *testing.T) {
	for _, tt := range []struct {
		name string
		p    api.Passage
		want string // with < and > for the markers
	}{
		{"plain", api.Passage{Text: " a  b\n"}, "a b"},
		{"space around a highlight stays", api.Passage{Text: "a\nb c", Highlights: []api.Range{{From: 2, To: 3}}}, "a <b> c"},
		{"side by side", api.Passage{Text: "ab", Highlights: []api.Range{{From: 0, To: 1}, {From: 1, To: 2}}}, "<a><b>"},
		{"past the end", api.Passage{Text: "ab", Highlights: []api.Range{{From: 1, To: 3}}}, "ab"},
		{"negative", api.Passage{Text: "ab", Highlights: []api.Range{{From: -1, To: 1}}}, "ab"},
		{"backwards", api.Passage{Text: "ab", Highlights: []api.Range{{From: 1, To: 0}}}, "ab"},
		{"overlapping", api.Passage{Text: "abc", Highlights: []api.Range{{From: 0, To: 2}, {From: 1, To: 3}}}, "<ab>c"},
		{"inside a character", api.Passage{Text: "é", Highlights: []api.Range{{From: 1, To: 2}}}, "é"},
		{"marks in the text are no marks", api.Passage{Text: "a\x01b\x1b[0m"}, "a�b�[0m"},
	} {
		have := strings.NewReplacer("\x01", "<", "\x02", ">").Replace(Markup(tt.p))
		if diff := cmp.Diff(tt.want, have); diff != "" {
			t.Errorf("%s (-want +have):\n%s", tt.name, diff)
		}
	}
}

func TestWrap(t *testing.T) {
	for _, tt := range []struct {
		text  string
		width int
		want  []string
	}{
		{"a b c", 0, []string{"a b c"}},
		{"aa bb cc", 5, []string{"aa bb", "cc"}},
		{"aa \x01bb\x02 cc", 5, []string{"aa \x01bb\x02", "cc"}},
		{"longword a", 4, []string{"longword", "a"}},
		{"", 4, []string{""}},
	} {
		if diff := cmp.Diff(tt.want, Wrap(tt.text, tt.width)); diff != "" {
			t.Errorf("%q at %d: %s", tt.text, tt.width, diff)
		}
	}
}

package mail

import (
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/content/extract"
)

// TestY2DamagedHeader checks that a damaged line of a header costs that line alone (Y2).
func TestY2DamagedHeader(t *testing.T) {
	const subject, from, date = "Subject: Berths\n", "From: a@b.example\n", "Date: Mon, 5 Jan 2026 10:00:00 +0000\n"
	for name, tt := range map[string]struct{ header, subject, text string }{
		"a banner": {
			"Microsoft Mail Internet Headers Version 2.0\n" + from + subject + date + "\n", "Berths", ""},
		"no colon":              {from + "X-Junk yes\n" + subject + date + "\n", "Berths", ""},
		"no colon, at the end":  {from + subject + "X-Junk yes\n\n", "Berths", ""},
		"a blank in a name":     {from + subject + "X Junk: yes\n" + date + "\n", "Berths", ""},
		"letters in a name":     {from + subject + "X-Größe: 5\n" + date + "\n", "Berths", ""},
		"no name":               {from + subject + ": yes\n" + date + "\n", "Berths", ""},
		"an address":            {from + subject + "<a@b.example>\n" + date + "\n", "Berths", ""},
		"an address at the end": {from + subject + "<a@b.example>\n\n", "Berths", ""},
		">From": {from +
			">From a@b.example Mon Jan  5 10:00:00 2026\n" + subject + date + "\n", "Berths", ""},
		"From": {from +
			"From a@b.example Mon Jan  5 10:00:00 2026\n" + subject + date + "\n", "Berths", ""},
		"a blank before the colon": {from + "Subject : Berths\n" + date + "\n", "Berths", ""},
		"a tab before the colon":   {from + "Subject\t:\tBerths\n" + date + "\n", "Berths", ""},
		"not indented": {from + "Subject: Berths that\nare closed\n" + date + "\n",
			"Berths that are closed", ""},
		"not indented, at the end":    {from + date + "Subject: Berths that\nare closed\n\n", "Berths that are closed", ""},
		"no blank line":               {from + subject + date + "Dear Anna,\n\n", "Berths", "Dear Anna,\n\n"},
		"no blank line, and no other": {from + date + subject + "The port is closed.\n", "Berths", "The port is closed.\n"},
		"a quoted header": {from + subject + date + "Dear Anna,\nFrom: x@y.example\nSubject: no\n\n", "Berths",
			"Dear Anna,\nFrom: x@y.example\nSubject: no\n\n"},
		"a long field":          {from + "X-Long: " + strings.Repeat("x", 300<<10) + "\n" + subject + "\n", "Berths", ""},
		"a long folded field":   {from + "X-Long: " + strings.Repeat("x\n ", 100<<10) + "\n" + subject + "\n", "Berths", ""},
		"blank lines before it": {"\n\n" + from + subject + "\n", "Berths", ""},
		"a line of blanks":      {from + "  \n" + subject + "\n", "Berths", ""},
		"the end of the mail":   {from + subject, "Berths", ""},
	} {
		for end, newline := range map[string]string{"LF": "\n", "CRLF": "\r\n"} {
			title, text := written(t, strings.ReplaceAll(tt.header+"Of the port.\n", "\n", newline))
			want := strings.TrimSpace(tt.text + "Of the port.")
			if name == "the end of the mail" {
				want = "Of the port."
			}
			if title != tt.subject || text != want {
				t.Errorf("%s, %s: %q, %q, want %q, %q", name, end, title, text, tt.subject, want)
			}
		}
	}
}

// TestY2Bounds checks that repairs are bounded: lines that are not header are not searched without end (Y2).
func TestY2Bounds(t *testing.T) {
	title, text := written(t, "From: a@b.example\n"+strings.Repeat("junk\n", 100)+"Subject: Berths\n\nOf the port.\n")
	if title != "" || !strings.Contains(text, "Subject: Berths") {
		t.Errorf("%q %.100q", title, text)
	}
	doc := read(t, "From: a@b.example\nX-Long: "+strings.Repeat("x", 300<<10)+"\nSubject: Berths\n\nx\n", extract.Limits{})
	if doc.Cut == "" {
		t.Error("no word about a field that was cut")
	}
}

// FuzzMend checks that a repaired header loses no text after its blank line, and that repairing it again
// changes nothing.
func FuzzMend(f *testing.F) {
	for _, body := range []string{"From: a\nSubject : b\n\nc", "x\nSubject: b\nc\n\nd",
		"\n\nSubject: b\n>From c\nDate: d\n\ne",
		"Subject: a\n b\nc d: e\nTo: f\nDear\nTo: g\n\nh", "Subject: a\nlower\n\nbody",
		"A: b\nc\n\nd"} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		once, _ := mend(body)
		text := strings.ReplaceAll(string(body), "\r\n", "\n")
		last := text[strings.LastIndex(text, "\n\n")+1:]
		if strings.HasPrefix(text, "A: b\n") && strings.Contains(text, "\n\n") &&
			!strings.HasSuffix(strings.ReplaceAll(string(once), "\r\n", "\n"), last) {
			t.Errorf("%q became %q", body, once)
		}
		if again, _ := mend(once); string(again) != string(once) {
			t.Errorf("%q became %q, and then %q", body, once, again)
		}
	})
}

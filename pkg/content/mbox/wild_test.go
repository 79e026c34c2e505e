package mbox_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/content/mbox"
)

// split returns the mails of a file.
func split(t *testing.T, file string) []string {
	t.Helper()
	all, err := readAll(mbox.NewReader(strings.NewReader(file), mbox.Options{Keep: 1 << 20, Most: 1 << 20}))
	if err != nil {
		t.Fatalf("%v: %.80q", err, file)
	}
	var out []string
	for _, m := range all {
		out = append(out, string(m.Raw))
	}
	return out
}

const one, two = "From: a@b.example\nSubject: one\n\nThe first.\n", "Subject: two\nX: y\n\nThe second.\n"

// TestY5Separators checks that a mail begins at every separator that programs write, if a header follows it (Y5).
func TestY5Separators(t *testing.T) {
	for _, from := range []string{"From ", "From a@b.example", "From a@b.example 2026-01-05T10:00:00Z", "From 8123456789",
		"From a@b Mo Jan  5 10:00:00 2026", "From a@b 5 Jan 2026 10:00:00", "From a@b Mon Jan  5 10:00:00 2026",
		"From a@b Mon Jan  5 10:00:00 +0100 2026", "From - Mon Jan 05 10:00:00 2026", "From a b@c Mon Jan 5 10:00 2026",
		"From a@b.example Mon, 5 Jan 2026 10:00:00 +0000", "From MAILER-DAEMON Mon Jan  5 10:00:00 CET 2026",
		"From ???@??? Mon Jan 05 10:00:00 2026", "From a!b Mon Jan  5 10:00:00 2026 remote from c"} {
		for _, newline := range []string{"\n", "\r\n"} {
			file := strings.ReplaceAll(from+"\n"+one+"\n"+from+"\n"+two+"\n", "\n", newline)
			want := []string{strings.ReplaceAll(one, "\n", newline), strings.ReplaceAll(two, "\n", newline)}
			if diff := cmp.Diff(want, split(t, file)); diff != "" {
				t.Errorf("%q (-want +have):\n%s", from, diff)
			}
			if diff := cmp.Diff(want, split(t, "\ufeff"+file)); diff != "" {
				t.Errorf("%q after a byte order mark (-want +have):\n%s", from, diff)
			}
		}
	}
}

// TestY5Sentences checks that a sentence in a body does not split a mail (Y5).
func TestY5Sentences(t *testing.T) {
	for _, sentence := range []string{"From Mon 5 Jan 2026 at 10:00 the office is open.", "From ", "From now on:",
		"From Mon Jan  5 10:00:00 2026 until noon", "From here\nto there: by boat", "From a@b.example\n\nSubject: x",
		"From a@b.example\n>From: quoted", "From 10:00 on Monday 2026\nNote: bring boots",
		"From here on " + strings.Repeat("the tide rises and falls ", 100) + "twice a day."} {
		for _, before := range []string{"", "\n"} {
			body := one + before + sentence + "\nMore.\n"
			file := line + body + "\n" + line + two
			if diff := cmp.Diff([]string{body, two}, split(t, file)); diff != "" {
				t.Errorf("%q (-want +have):\n%s", sentence, diff)
			}
		}
	}
}

// TestY5ContentLength checks that the Content-Length of a mail is believed only if a mail begins after it (Y5).
func TestY5ContentLength(t *testing.T) {
	body := "The first.\n\n" + line + "Subject: quoted\n\nEnd.\n"
	for _, newline := range []string{"\n", "\r\n"} {
		text := strings.ReplaceAll(body, "\n", newline)
		header := strings.ReplaceAll("Subject: one\nContent-Length: %d\n\n", "\n", newline)
		for n, want := range map[int]int{len(text): 2, len(text) - 3: 3, 1 << 30: 3, 0: 3} {
			first := fmt.Sprintf(header, n) + text
			all := split(t, line+first+newline+line+two)
			if len(all) != want || want == 2 && all[0] != first {
				t.Errorf("%d of %d: %q", n, len(text), all)
			}
		}
	}
	if all := split(t, line+fmt.Sprintf("Subject: one\nContent-Length: %d\n\n", len(body))+body); len(all) != 1 {
		t.Errorf("the last mail: %q", all)
	}
}

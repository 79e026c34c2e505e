package entry

import "testing"

// TestY4MailsWithoutDate checks which date a mail takes that has none, and that the metadata says when the zone is
// unknown (Y4).
func TestY4MailsWithoutDate(t *testing.T) {
	const received = "Received: from a by b; Tue, 6 Jan 2026 10:00:00 EST\n" +
		"Received: from c; Mon, 5 Jan 2026 09:00:00 EST\n"
	const from = "a@b.example Wed Jan  7 10:00:00 2026"
	for name, tt := range map[string]struct {
		header, envelope, date string
		zone                   any
	}{
		"a date":            {"Date: Mon, 5 Jan 2026 10:00:00 PST\n" + received, from, "Mon, 5 Jan 2026 10:00:00 PST", nil},
		"a date of no zone": {"Date: Mon Jan  5 10:00:00 2026\n", from, "Mon Jan 5 10:00:00 2026", "unknown"},
		"received":          {received, from, "Tue, 6 Jan 2026 10:00:00 EST", nil},
		"no date":           {"Date: soon\n" + received, from, "Tue, 6 Jan 2026 10:00:00 EST", nil},
		"the From line":     {"", from, "Wed Jan  7 10:00:00 2026", "unknown"},
		"nothing":           {"", "a@b.example", "", nil},
	} {
		f, err := NormalizeEmail(Email{RawText: "Subject: s\n" + tt.header + "\nx", Mailbox: true, Envelope: tt.envelope})
		wantField(t, err, "")
		email := f["metadata"].(map[string]any)["email"].(map[string]any)
		if date, _ := email["date"].(string); date != tt.date || email["zone"] != tt.zone {
			t.Errorf("%s: %v", name, email)
		}
	}
}

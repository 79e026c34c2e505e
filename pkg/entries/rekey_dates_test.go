package entries

import (
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/entries/entry"
	"github.com/tidemark/tidemark/pkg/storage"
)

// secondRevision are mails with the subjects and days that the second revision of keys stored.
var secondRevision = []struct {
	mail         entry.Email
	subject, day string
}{
	{entry.Email{RawText: "From: a@b.example\nSubject: =?x-foo?Q?gr=FCn?= =?utf-8?Q?_und?=\n\nx", Mailbox: true},
		"=?x-foo?Q?gr=FCn?= =?utf-8?Q?_und?=", ""},
	{entry.Email{RawText: "From: a@b.example\nSubject: =?GB2312?B?1tDO?= =?GB2312?B?xMTqyrw=?=\n\nx", Mailbox: true},
		"", ""}, // as it was decoded
	{entry.Email{RawText: "From: n@b.example\nSubject: News\nDate: Mon, 5 Jan 2026 02:30:00 EST\n\nunsubscribe",
		Mailbox: true},
		"News", "2026-01-04"},
	{entry.Email{RawText: "From: a@b.example\nSubject: plain\nDate: Mon, 5 Jan 2026 02:30:00 EST\n\nx", Mailbox: true},
		"plain", "2026-01-04"},
}

// asSecond gives a mail the keys of the second revision.
func asSecond(f entry.Fields, subject, day string) entry.Fields {
	email := f["metadata"].(map[string]any)["email"].(map[string]any)
	if subject == "" {
		subject = email["subject_before"].(string)
	}
	delete(email, "subject_before")
	base := strings.ToLower(subject)
	email["subject"], email["subject_base"], f["title"] = subject, base, subject
	if day != "" {
		email["date_bucket"] = day
	}
	if f.Text("idempotency_policy_key") == entry.EmailThread {
		f["idempotency_key_primary"] = entry.Digest(base)
	} else {
		f["idempotency_key_secondary"] = entry.Digest("n@b.example" + base + day)
	}
	return f
}

// TestY4ImportedBefore checks that mails which were stored under keys of the second revision are found again, both
// before their entries are re-keyed and afterwards, and that re-keying reads the stored subjects and dates (Y2, Y4).
func TestY4ImportedBefore(t *testing.T) {
	for _, first := range []bool{false, true} {
		r := newRig(t, openMem)
		for _, m := range secondRevision {
			f, err := entry.NormalizeEmail(m.mail)
			must(t, err)
			s := r.In(Production)
			p, err := s.policies.read(t.Context(), f.Text("idempotency_policy_key"))
			must(t, err)
			_, err = s.insert(t.Context(), p, asSecond(f, m.subject, m.day).Writable(), "", false)
			must(t, err)
		}
		r.second()
		if first {
			if _, changed, _ := r.rekeyAll(false); changed != 2 { // a subject and a day; the other subject is lost
				t.Errorf("%d re-keyed", changed)
			}
		}
		for range 2 {
			for _, m := range secondRevision {
				f, err := entry.NormalizeEmail(m.mail)
				must(t, err)
				if res := r.inserted(f); res.Action == Inserted {
					t.Errorf("re-keyed before it: %v: %q was inserted again", first, m.subject)
				}
			}
		}
		r.rekeyAll(false)
		for _, f := range r.rows() {
			now, changed := entry.Rekeyed(f)
			if changed {
				t.Errorf("%v has keys of an older revision, of %v", f, now)
			}
		}
	}
}

// second gives all rows the second revision.
func (r *rig) second() {
	r.Helper()
	r.age()
	for _, name := range Tables() {
		table := r.under.Table(name)
		for e, err := range table.Query(r.Context(), storage.Query{}) {
			must(r.T, err)
			if e.Props["idempotency_policy_key"] != nil || e.Partition == policyRows {
				e.Props[revisionColumn] = int64(2)
				_, err := table.Transact(r.Context(), storage.Op{Kind: storage.Replace, Entity: e})
				must(r.T, err)
			}
		}
	}
}

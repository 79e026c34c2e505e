package mailimport_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/entries/entry"
	"github.com/tidemark/tidemark/pkg/run/mailimport"
)

// box returns an mbox with the given mails.
func box(mails ...string) string {
	var b strings.Builder
	for i, m := range mails {
		fmt.Fprintf(&b, "From a@port.example Thu Jan %2d 10:00:00 2026\n%s\n\n", i+1, m)
	}
	return b.String()
}

// TestY2MailsWithoutSubject checks that an mbox's mails without a subject are kept, by the root of their thread, and
// that importing them again inserts nothing (Y2).
func TestY2MailsWithoutSubject(t *testing.T) {
	r := newRig(t, "mem")
	r.text("in.mbox", box(
		"From: a@port.example\nMessage-ID: <1@port.example>\n\nThe first.",
		"From: b@port.example\nMessage-ID: <2@port.example>\nReferences: <1@port.example> <0@port.example>\n\nAn answer.",
		"From: b@port.example\nMessage-ID: <3@port.example>\nIn-Reply-To: <1@port.example>\nSubject: Re:\n\nAnother.",
		"From: n@port.example\nMessage-ID: <4@port.example>\nList-Unsubscribe: <https://port.example>\n\nNews.",
		"From: c@port.example\n\nOf nobody.",
	))
	for _, want := range []counts{{Mails: 5, Inserted: 2, Updated: 2, Failed: 1},
		{Mails: 5, Updated: 3, Skipped: 1, Failed: 1}} {
		im := r.run(mailimport.Request{Path: "in.mbox"})
		if diff := cmp.Diff(want, countsOf(im)); diff != "" {
			t.Errorf("(-want +have):\n%s", diff)
		}
		if f := im.Failures[0]; !strings.Contains(f.Reason, "subject is missing, and so are Message-ID") || f.Offset == 0 {
			t.Errorf("%+v", f)
		}
	}
	keys := map[any]any{}
	for _, e := range r.rows("Entries") {
		keys[e.Props["idempotency_key_primary"]] = e.Props["idempotency_key_secondary"]
	}
	want := map[any]any{entry.Digest("message-id:1@port.example"): nil, "4@port.example": nil}
	if diff := cmp.Diff(want, keys); diff != "" {
		t.Errorf("keys (-want +have):\n%s", diff)
	}
}

// TestY2DamagedHeaders checks that mails of an mbox with a damaged header are imported (Y2).
func TestY2DamagedHeaders(t *testing.T) {
	r := newRig(t, "mem")
	r.text("in.mbox", box(
		"Microsoft Mail Internet Headers Version 2.0\nFrom: a@port.example\nSubject: one\n\ntext",
		"Subject : two\nX-Unknown: 1\n\ntext",
		">From b@port.example Mon Jan  5 10:00:00 2026\nSubject: three\nX-Größe: 5\nTo: c@port.example\n\ntext",
		"From: a@port.example\nSubject: four\nThe gate is closed.",
		"X-Long: "+strings.Repeat("x", 300<<10)+"\nSubject: five\n\ntext",
	))
	im := r.run(mailimport.Request{Path: "in.mbox"})
	if im.Inserted != 5 {
		t.Fatalf("%+v %v", countsOf(im), im.Failures)
	}
	titles := map[any]bool{}
	for _, e := range r.rows("Entries") {
		titles[e.Props["title"]] = true
	}
	if !titles["one"] || !titles["two"] || !titles["three"] || !titles["four"] || !titles["five"] {
		t.Errorf("%v", titles)
	}
}

// TestY3FailedSaysWhy checks that an import counts mails whose text was expected and not found, with the reason, and
// leaves the text of their thread (Y3, Y1).
func TestY3FailedSaysWhy(t *testing.T) {
	r := newRig(t, "mem")
	const head = "From: a@port.example\nSubject: Re: erase\nDate: Thu, 8 Jan 2026 10:00:00 +0000\n" +
		"Message-ID: <2@port.example>\n"
	r.text("in.mbox", box(
		"From: a@port.example\nSubject: erase\nDate: Mon, 5 Jan 2026 10:00:00 +0000\n\nBarnacles.",
		head+"Content-Type: application/pkcs7-mime; name=smime.p7m\nContent-Transfer-Encoding: base64\n\nMIIB",
		head+"Content-Type: multipart/encrypted; boundary=b\n\n--b\nContent-Type: application/pgp-encrypted\n\n"+
			"Version: 1\n--b--\n",
		head+"Content-Type: text/calendar; method=REPLY\n\nBEGIN:VCALENDAR\nMETHOD:REPLY\nEND:VCALENDAR",
		head+"\n \n",
		head+"Content-Type: application/pdf; name=a.pdf\n\nPDF",
	))
	im := r.run(mailimport.Request{Path: "in.mbox"})
	if im.Inserted != 1 || im.Failed < 2 || im.Failed+im.Updated != 5 {
		t.Errorf("%+v", countsOf(im))
	}
	for i, want := range []string{"encrypted", "encrypted"} {
		if f := im.Failures[i]; !strings.Contains(f.Reason, want) || f.MessageID != "2@port.example" {
			t.Errorf("%+v", f)
		}
	}
	if text := r.onlyText(); text != "Barnacles." {
		t.Errorf("the thread is at %q", text)
	}
}

// TestY4Undated checks that a mail without a date does not overwrite a dated text, and that dates order in every form
// (Y4).
func TestY4Undated(t *testing.T) {
	mail := func(date, text string) string {
		return "From \nFrom: a@port.example\nSubject: s\n" + date + "\n" + text + "\n\n"
	}
	for name, file := range map[string]string{
		"undated": mail("Date: Mon, 5 Jan 2026 09:00:00 EST\n", "New.") + mail("", "Old."),
		"EST": mail("Date: Mon, 5 Jan 2026 10:00:00 +0000\n", "Old.") +
			mail("Date: 5 Jan 2026 09:00:00 EST\n", "New."),
		"asctime":    mail("Date: Mon Jan  5 10:00:00 2026\n", "New.") + mail("Date: Sun Jan  4 10:00:00 2026\n", "Old."),
		"only dated": mail("", "Old.") + mail("Date: Mon, 5 Jan 2026 10:00:00 +0000\n", "New."),
	} {
		r := newRig(t, "mem")
		r.text("in.mbox", file)
		r.run(mailimport.Request{Path: "in.mbox"})
		if text := r.onlyText(); text != "New." {
			t.Errorf("%s: the thread is at %q", name, text)
		}
	}
}

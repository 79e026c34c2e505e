package mailimport_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/run/mailimport"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
)

// thread is an mbox with mails of one thread, written on the listed days of a month.
func thread(days ...int) string {
	var b strings.Builder
	for _, day := range days {
		fmt.Fprintf(&b, "From a@port.example Sun Mar  1 03:00:00 2026\nFrom: a@port.example\nTo: b@port.example\n"+
			"Date: %d Jan 2026 08:00:00 +0000\nSubject: Berths %d\nMessage-ID: <%d@port.example>\n\nOf day %d.\n\n", day, 1, day,
			day)
	}
	return b.String()
}

// onlyText returns the text of the only entry.
func (r *rig) onlyText() string {
	r.Helper()
	rows := r.rows("Entries")
	if len(rows) != 1 {
		r.Fatalf("%d entries", len(rows))
	}
	for _, e := range rows {
		return e.Props["clean_text"].(string)
	}
	return ""
}

type lateKey struct{}

// TestD6LateWorker checks that a worker that was delayed while another finished the import does not set a thread back
// to the mail that it holds (D6).
func TestD6LateWorker(t *testing.T) {
	r := newRig(t, "mem")
	r.text("in.mbox", thread(1, 2, 3))
	im := r.start(mailimport.Request{Path: "in.mbox", Chunk: 1})
	im, err := r.Advance(t.Context(), im, -1)
	r.Must(err)
	held, release, ended := make(chan bool), make(chan bool), make(chan error)
	waited := false
	r.Hook.Set(storagetest.Hooks{OnBefore: func(ctx context.Context, c storagetest.Call) error {
		if late := ctx.Value(lateKey{}) != nil; late && c.Op == "table.Transact" && !waited {
			waited = true
			held <- true
			<-release
		}
		return nil
	}})
	go func() {
		_, err := r.Advance(context.WithValue(t.Context(), lateKey{}, true), im, -1)
		ended <- err
	}()
	<-held
	if im = r.finish(im.ID); im.Mails != 3 || im.Updated != 2 {
		t.Fatalf("%+v", countsOf(im))
	}
	release <- true
	r.Must(<-ended)
	if text := r.onlyText(); text != "Of day 3." {
		t.Errorf("the thread is at %q", text)
	}
}

// TestD6ThreadIsAtItsNewestMail checks that a thread keeps its newest mail, whatever the order of mails in files and
// of imports (D6).
func TestD6ThreadIsAtItsNewestMail(t *testing.T) {
	r := newRig(t, "embedded")
	r.text("new.mbox", thread(20, 22, 21))
	r.text("old.mbox", thread(1, 3, 2))
	for _, name := range []string{"new.mbox", "old.mbox", "new.mbox"} {
		r.run(mailimport.Request{Path: name})
		if text := r.onlyText(); text != "Of day 22." {
			t.Errorf("after %s the thread is at %q", name, text)
		}
	}
}

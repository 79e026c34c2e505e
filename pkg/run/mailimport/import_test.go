package mailimport_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime/metrics"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/mbox/mboxtest"
	"github.com/tidemark/tidemark/pkg/run"
	"github.com/tidemark/tidemark/pkg/run/mailimport"
	"github.com/tidemark/tidemark/pkg/run/runtest"
)

// counts are an import's counts of its mails.
type counts struct{ Mails, Inserted, Skipped, Updated, Failed int }

func countsOf(im mailimport.Import) counts {
	return counts{im.Mails, im.Inserted, im.Skipped, im.Updated, im.Failed}
}

func first(m mboxtest.Made) counts {
	return counts{Mails: m.Mails, Inserted: m.Newsletter + m.Threads, Skipped: m.Duplicates, Updated: m.Replies,
		Failed: m.Broken}
}

func again(m mboxtest.Made) counts {
	return counts{Mails: m.Mails, Skipped: m.Newsletter + m.Duplicates, Updated: m.Threads + m.Replies, Failed: m.Broken}
}

// TestD6Import checks that an import counts each mail by its kind, that its rows are email-batch, that all but the
// skipped ones are enqueued, and that broken mails, among them one of 69 MiB, are listed and skipped (D6).
func TestD6Import(t *testing.T) {
	r := newRig(t, "embedded")
	made := r.write("in.mbox", mboxtest.Options{Mails: 2500, Attachment: 2 << 20, TooLarge: mailimport.MaxMail + 5<<20})
	im := r.run(mailimport.Request{Path: "in.mbox"})
	if diff := cmp.Diff(first(made), countsOf(im)); diff != "" || im.State != mailimport.Done || im.Offset != made.Bytes {
		t.Fatalf("%s %s, %d of %d bytes (-want +have):\n%s", im.State, im.Message, im.Offset, made.Bytes, diff)
	}
	rows, enqueued := r.rows("Entries"), r.tier1.ids()
	if len(rows) != im.Inserted {
		t.Errorf("%d entries, %d inserted", len(rows), im.Inserted)
	}
	for id, e := range rows {
		if e.Props["source"] != "email-batch" || !enqueued[id] {
			t.Fatalf("%s of %v, enqueued: %v", id, e.Props["source"], enqueued[id])
		}
	}
	if im.Batches != len(r.tier1.batches) || im.Batches < 3 || im.NotEnqueued != 0 || im.EndedAt.IsZero() {
		t.Errorf("%+v", im)
	}
	failures(t, im)
}

// TestD6Again checks that importing a file again inserts nothing, even when two imports do so at the same time, and
// enqueues what was updated (D6).
func TestD6Again(t *testing.T) {
	r := newRig(t, "embedded")
	made := r.write("in.mbox", mboxtest.Options{Mails: 300})
	r.run(mailimport.Request{Path: "in.mbox"})
	twice(t, r, made)
}

// failures fails the test unless the broken mails are listed.
func failures(t *testing.T, im mailimport.Import) {
	t.Helper()
	if len(im.Failures) != min(im.Failed, mailimport.MaxFailures) {
		t.Errorf("%d of %d failures are listed", len(im.Failures), im.Failed)
	}
	for i, want := range []string{"subject is missing", "subject is missing", "empty"} {
		if f := im.Failures[i]; !strings.Contains(f.Reason, want) || f.Offset == 0 {
			t.Errorf("failure %d: %+v", i, f)
		}
	}
}

// twice imports a file that was imported before, two times at once.
func twice(t *testing.T, r *rig, made mboxtest.Made) {
	t.Helper()
	before := len(r.rows("Entries"))
	r.tier1.batches = nil
	one, two := r.start(mailimport.Request{Path: "in.mbox", Chunk: 50}),
		r.start(mailimport.Request{Path: filepath.Join(r.root, "in.mbox"), Chunk: 70})
	for _, im := range []mailimport.Import{r.finish(one.ID), r.finish(two.ID)} {
		if diff := cmp.Diff(again(made), countsOf(im)); diff != "" || im.State != mailimport.Done {
			t.Errorf("again, %s (-want +have):\n%s", im.State, diff)
		}
	}
	if after := len(r.rows("Entries")); after != before {
		t.Errorf("%d entries, %d before", after, before)
	}
	if len(r.tier1.ids()) != made.Threads {
		t.Errorf("%d of %d threads are enqueued", len(r.tier1.ids()), made.Threads)
	}
	for id := range r.tier1.ids() {
		if strings.Contains(id, "newsletter") {
			t.Fatalf("%s was skipped, and is enqueued", id)
		}
	}
}

// TestD6FaultsOfEveryStep checks that an import ends with the same counters, entries and enqueued entries when any
// operation of the store fails, before or after it took effect, and a new process continues after each failure (D6).
func TestD6FaultsOfEveryStep(t *testing.T) {
	var want *outcome
	runtest.EachFault(t, 20, 1, func(t *testing.T, f *runtest.Fault) {
		have := faulty(t, f)
		if want == nil {
			want = &have
		}
		if diff := cmp.Diff(*want, have); diff != "" {
			t.Errorf("(-want +have):\n%s", diff)
		}
	})
}

// outcome is everything that an import leaves.
type outcome struct {
	Counts   counts
	State    mailimport.State
	Failures []mailimport.Failure
	Entries  map[string]any // titles by id
	Enqueued map[string]bool
}

// faulty imports a small file while an operation fails.
func faulty(t *testing.T, f *runtest.Fault) outcome {
	t.Helper()
	r := newRig(t, "mem")
	r.write("in.mbox", mboxtest.Options{Mails: 24})
	im := r.start(mailimport.Request{Path: "in.mbox", Chunk: 5})
	r.Hook.Set(f)
	_, _ = r.Advance(t.Context(), im, -1) // as a request does
	end := r.finish(im.ID)
	r.Hook.Set(nil)
	out := outcome{Counts: countsOf(end), State: end.State, Failures: end.Failures, Entries: map[string]any{},
		Enqueued: r.tier1.ids()}
	for id, e := range r.rows("Entries") {
		out.Entries[id] = e.Props["title"]
	}
	if left := r.Rows(mailimport.Table, run.ActivePrefix); len(left) > 0 {
		t.Errorf("%v are left", left)
	}
	return out
}

// TestD6Messages checks that messages that are doubled, late, lost or missing do no harm (D6).
func TestD6Messages(t *testing.T) {
	r := newRig(t, "mem")
	made := r.write("in.mbox", mboxtest.Options{Mails: 60})
	im := r.start(mailimport.Request{Path: "in.mbox", Chunk: 7})
	q := r.Store.Queue(mailimport.Queue)
	var old [][]byte
	im, err := r.Advance(t.Context(), im, -1)
	r.Must(err)
	for i := 0; !im.Over(); i++ {
		got, err := q.Receive(t.Context(), 1, time.Minute)
		r.Must(err)
		if len(got) == 0 {
			r.Clock.Pass(2 * time.Minute)
			if n, err := r.RequeueStalled(t.Context()); n != 0 || err != nil {
				t.Fatalf("resumed early: %d, %v", n, err)
			}
			r.Clock.Pass(2 * time.Minute)
			n, err := r.RequeueStalled(t.Context())
			if r.Must(err); n != 1 {
				t.Fatalf("%d resumed", n)
			}
			continue
		}
		r.Must(q.Delete(t.Context(), got[0]))
		if i%3 == 2 {
			continue // lost
		}
		old = append(old, got[0].Body)
		for _, body := range old {
			r.Must(r.Step(t.Context(), body))
		}
		im, err = r.Get(t.Context(), im.ID)
		r.Must(err)
	}
	if diff := cmp.Diff(first(made), countsOf(im)); diff != "" {
		t.Errorf("(-want +have):\n%s", diff)
	}
	for _, body := range []string{"", "{}", `{"import":"rebuild-1"}`, `{"import":"mbox-none","turn":1}`} {
		if err := r.Step(t.Context(), []byte(body)); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: %v", body, err)
		}
	}
}

// TestD6Race checks that two workers on one turn count nothing twice (D6).
func TestD6Race(t *testing.T) {
	r := newRig(t, "embedded")
	r.turn = time.Hour
	r.process()
	made := r.write("in.mbox", mboxtest.Options{Mails: 300})
	im := r.start(mailimport.Request{Path: "in.mbox", Chunk: 20})
	ends := make(chan error, 4)
	for range cap(ends) {
		go func() {
			_, err := r.Advance(t.Context(), im, time.Hour)
			ends <- err
		}()
	}
	for range cap(ends) {
		r.Must(<-ends)
	}
	end := r.finish(im.ID)
	if diff := cmp.Diff(first(made), countsOf(end)); diff != "" {
		t.Errorf("(-want +have):\n%s", diff)
	}
}

// TestD6FileChanges checks that an import fails when its file changes: the position of a mail in another file means
// nothing (D6).
func TestD6FileChanges(t *testing.T) {
	for name, change := range map[string]func(r *rig, path string) error{
		"grown": func(r *rig, path string) error { r.write("in.mbox", mboxtest.Options{Mails: 31}); return nil },
		"cut":   func(_ *rig, path string) error { return os.Truncate(path, 100) },
		"touched": func(_ *rig, path string) error {
			return os.Chtimes(path, time.Time{}, time.Now().Add(time.Hour))
		},
		"gone": func(_ *rig, path string) error { return os.Remove(path) },
		"a link out": func(_ *rig, path string) error {
			runtest.Must(t, os.Remove(path))
			return os.Symlink("/etc/passwd", path)
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, "mem")
			r.write("in.mbox", mboxtest.Options{Mails: 30})
			im := r.start(mailimport.Request{Path: "in.mbox", Chunk: 10})
			im, err := r.Advance(t.Context(), im, -1)
			r.Must(err)
			r.Must(change(r, filepath.Join(r.root, "in.mbox")))
			im = r.finish(im.ID)
			if im.State != mailimport.Failed || im.Message == "" || im.Mails != 10 || im.EndedAt.IsZero() ||
				strings.Contains(im.Message, "passwd") {
				t.Errorf("%s %q, %d mails", im.State, im.Message, im.Mails)
			}
			if name == "grown" && !strings.Contains(im.Message, "has changed since the import began") {
				t.Error(im.Message)
			}
		})
	}
}

func TestD6Files(t *testing.T) {
	for _, tt := range []struct {
		name, body string
		want       counts
		failed     string
	}{
		{"empty", "", counts{}, ""},
		{"empty lines", "\n\n\n", counts{}, ""},
		{"no mbox", "PK\x03\x04 and more", counts{}, "not an mbox"},
		{"one mail", "From a Sun Mar  1 03:00:00 2026\nFrom: a@b.example\nSubject: x\n\ntext", counts{Mails: 1, Inserted: 1},
			""},
		{"nothing but a line", "From a Sun Mar  1 03:00:00 2026", counts{Mails: 1, Failed: 1}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, "mem")
			r.text("in.mbox", tt.body)
			im := r.run(mailimport.Request{Path: "in.mbox"})
			if countsOf(im) != tt.want || (im.State == mailimport.Failed) != (tt.failed != "") || !strings.Contains(im.Message,
				tt.failed) {
				t.Errorf("%s %q %+v", im.State, im.Message, countsOf(im))
			}
		})
	}
}

// TestD6Schema checks that the schema is the one of the test mode when the import began (D6).
func TestD6Schema(t *testing.T) {
	r := newRig(t, "mem")
	made := r.write("in.mbox", mboxtest.Options{Mails: 40})
	r.Must(r.kept.SetTestMode(t.Context(), true))
	im := r.start(mailimport.Request{Path: "in.mbox", Chunk: 9})
	r.Must(r.kept.SetTestMode(t.Context(), false))
	im = r.finish(im.ID)
	if n := len(r.rows("EntriesTest")); n != made.Newsletter+made.Threads || im.Schema != "pkm_test" ||
		len(r.rows("Entries")) != 0 {
		t.Errorf("%d entries in %s", n, im.Schema)
	}
}

// TestD6Tier1 checks that an import works without a model, and reports that nothing was enqueued and why; and that it
// waits while too many batches are active (D6).
func TestD6Tier1(t *testing.T) {
	r := newRig(t, "mem")
	r.write("in.mbox", mboxtest.Options{Mails: 200})
	r.tier1.fail = fault.New(fault.Blocked, "enrichment is off here: set T1_BATCH_MODEL")
	im := r.run(mailimport.Request{Path: "in.mbox"})
	if im.State != mailimport.Done || im.Enqueued != 0 || im.NotEnqueued < im.Inserted || !strings.Contains(im.Note,
		"T1_BATCH_MODEL") {
		t.Errorf("%s, %d enqueued, %d not: %s", im.State, im.Enqueued, im.NotEnqueued, im.Note)
	}
	r = newRig(t, "mem")
	r.write("in.mbox", mboxtest.Options{Mails: 1600})
	r.tier1.fail = fault.New(fault.Conflict, "100 batches go on already")
	im = r.start(mailimport.Request{Path: "in.mbox", Chunk: 500})
	im, err := r.Advance(t.Context(), im, time.Hour)
	r.Must(err)
	if im.State != mailimport.Reading || im.Mails >= 1600 || im.Step != 1 {
		t.Fatalf("%s, %d mails, turn %d: it does not wait", im.State, im.Mails, im.Step)
	}
	if n, err := r.Store.Queue(mailimport.Queue).Length(t.Context()); n != 1 || err != nil {
		t.Errorf("%d messages, %v", n, err)
	}
	r.tier1.fail = nil
	if im = r.finish(im.ID); im.State != mailimport.Done || im.Mails != 1600 || len(r.tier1.ids()) != im.Inserted {
		t.Errorf("%s, %d mails, %d enqueued", im.State, im.Mails, len(r.tier1.ids()))
	}
}

// TestD6Refusals checks that paths cannot lead outside the root, and that each refusal names its field (D6).
func TestD6Refusals(t *testing.T) {
	r := newRig(t, "mem")
	r.text("in.mbox", "")
	outside := filepath.Join(t.TempDir(), "secret.mbox")
	r.Must(os.WriteFile(outside, nil, 0o644))
	r.Must(os.Symlink(outside, filepath.Join(r.root, "link.mbox")))
	r.Must(os.Mkdir(filepath.Join(r.root, "folder"), 0o755))
	for _, tt := range []struct {
		q     mailimport.Request
		kind  fault.Kind
		field string
	}{
		{mailimport.Request{}, fault.Invalid, "mbox_path"},
		{mailimport.Request{Path: outside}, fault.Invalid, "mbox_path"},
		{mailimport.Request{Path: "../secret.mbox"}, fault.Invalid, "mbox_path"},
		{mailimport.Request{Path: r.root + "/../x.mbox"}, fault.Invalid, "mbox_path"},
		{mailimport.Request{Path: r.root}, fault.Invalid, "mbox_path"},
		{mailimport.Request{Path: "link.mbox"}, fault.Invalid, "mbox_path"},
		{mailimport.Request{Path: "folder"}, fault.Invalid, "mbox_path"},
		{mailimport.Request{Path: "https://acct.blob.core.windows.net/mail/a.mbox"}, fault.Invalid, "mbox_path"},
		{mailimport.Request{Path: "https://port.example/a.mbox"}, fault.Invalid, "mbox_path"},
		{mailimport.Request{Path: "none.mbox"}, fault.NotFound, ""},
		{mailimport.Request{Path: "in.mbox", Batch: 499}, fault.Invalid, "batch_size"},
		{mailimport.Request{Path: "in.mbox", Batch: 2001}, fault.Invalid, "batch_size"},
		{mailimport.Request{Path: "in.mbox", Chunk: -1}, fault.Invalid, "insert_chunk_size"},
		{mailimport.Request{Path: "in.mbox", Chunk: 501}, fault.Invalid, "insert_chunk_size"},
		{mailimport.Request{Path: "in.mbox", Window: "1h"}, fault.Invalid, "completion_window"},
	} {
		_, err := r.Start(t.Context(), tt.q)
		if fault.KindOf(err) != tt.kind || fault.FieldOf(err) != tt.field {
			t.Errorf("%+v: %v (%s)", tt.q, err, fault.KindOf(err))
		}
		if err != nil && strings.Contains(err.Error(), "FILE_ROOT") {
			t.Errorf("%+v: another setting is named: %v", tt.q, err)
		}
	}
	off := mailimport.New(r.Store, nil, r.kept, &r.tier1, mailimport.Options{})
	if _, err := off.Start(t.Context(), mailimport.Request{Path: "in.mbox"}); !fault.Is(err, fault.Blocked) ||
		!strings.Contains(err.Error(), "EMAIL_IMPORT_ROOT") {
		t.Errorf("without a root: %v", err)
	}
	for range mailimport.MaxActive {
		r.start(mailimport.Request{Path: "in.mbox"})
	}
	if _, err := r.Start(t.Context(), mailimport.Request{Path: "in.mbox"}); !fault.Is(err, fault.Conflict) {
		t.Errorf("one too many: %v", err)
	}
}

var importMails = flag.Int("import.mails", 800, "mails of the file that TestD6FlatMemory imports, of some 32 KiB each")

// TestD6FlatMemory checks that the memory of an import and of its process does not grow with the file (D6).
func TestD6FlatMemory(t *testing.T) {
	small := memory(t, 100)
	large := memory(t, *importMails)
	t.Logf("KiB with 100 mails: %+v; with %d: %+v", small, *importMails, large)
	if large.live > small.live+16<<10 || large.resident > small.resident+128<<10 {
		t.Errorf("KiB with 100 mails: %+v; with %d: %+v", small, *importMails, large)
	}
}

// used is memory in KiB: the largest live heap after a piece, and the peak size of the process so far, garbage
// included (VmHWM of proc(5); 0 on systems without it).
type used struct{ live, resident int }

// memory imports a file of that many mails. The collector runs when it chooses, as in an app.
func memory(t *testing.T, mails int) (most used) {
	r := newRig(t, "embedded")
	r.write("in.mbox", mboxtest.Options{Mails: mails, Attachment: 3 << 20})
	im := r.start(mailimport.Request{Path: "in.mbox"})
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	for !im.Over() {
		var err error
		im, err = r.Advance(t.Context(), im, -1)
		r.Must(err)
		metrics.Read(live)
		most.live = max(most.live, int(live[0].Value.Uint64()>>10))
	}
	if im.State != mailimport.Done || im.Mails != mails {
		t.Fatalf("%s %s after %d of %d mails", im.State, im.Message, im.Mails, mails)
	}
	status, _ := os.ReadFile("/proc/self/status") // Linux only
	if _, rest, ok := strings.Cut(string(status), "VmHWM:"); ok {
		_, err := fmt.Sscan(rest, &most.resident)
		r.Must(err)
	}
	return most
}

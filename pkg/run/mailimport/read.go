package mailimport

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/mbox"
	"github.com/tidemark/tidemark/pkg/entries"
	"github.com/tidemark/tidemark/pkg/entries/entry"
)

const (
	// keepMail is the number of bytes of a mail that are kept: as many as package extract/mail reads.
	keepMail = 5 << 20
	// A piece ends after pieceBytes of the file, or after pieceTime.
	pieceBytes = 64 << 20
	pieceTime  = 10 * time.Second
	// pieceText bounds the total size of the texts in a piece, in bytes.
	pieceText = 16 << 20
)

// mail is one mail that is being imported.
type mail struct {
	at     int64
	id     string // Message-ID, which the list of failures shows
	fields entry.Fields
	failed error // the error that concerns this mail alone
	entry  string
	action entries.Action
	stored entries.Result // result of the insert, until the mail is written to the index
}

// read imports some mails of the file.
func (t *step) read(ctx context.Context) error {
	if t.im.Size == 0 || t.im.Offset >= t.im.Size {
		t.im.State = Enqueueing
		return nil
	}
	if err := t.open(ctx); err != nil {
		return &fileError{err}
	}
	mails, end, err := t.gather(ctx)
	if err != nil {
		return err
	}
	if err := t.unchanged(); err != nil {
		return &fileError{err}
	}
	if err := t.insertAll(ctx, mails); err != nil {
		return err
	}
	t.index(ctx, mails)
	t.count(mails)
	t.im.Offset, t.im.Inside = end.End, end.TooLarge || end.Goes
	if t.im.Offset >= t.im.Size {
		t.im.State = Enqueueing
	}
	return nil
}

// gather reads and normalizes the mails of a piece. It also returns the last mail, because the next piece begins at
// the end of that mail.
func (t *step) gather(ctx context.Context) (mails []*mail, last mbox.Mail, err error) {
	from, until, text := t.im.Offset, t.s.o.Clock().Add(pieceTime), 0
	last.End = from
	for len(mails) < t.im.Chunk && last.End-from < pieceBytes && text < pieceText && t.s.o.Clock().Before(until) {
		if err := ctx.Err(); err != nil {
			return nil, last, fault.New(fault.Unavailable, "reading mails: %w", err)
		}
		raw, err := t.next()
		if err == io.EOF {
			last = mbox.Mail{End: t.im.Size}
			break
		}
		if err != nil {
			return nil, last, err
		}
		if last = raw; raw.Rest {
			continue
		}
		m := t.normalize(ctx, raw)
		text += len(m.fields.Text("extracted_text")) + len(m.fields.Text("clean_text"))
		mails = append(mails, m)
	}
	return mails, last, nil
}

// normalize makes the entry of a mail, or records the error that prevents it.
func (t *step) normalize(ctx context.Context, raw mbox.Mail) (m *mail) {
	m = &mail{at: raw.Start}
	defer func() {
		if p := recover(); p != nil {
			t.s.o.Log.ErrorContext(ctx, "mail panicked", "import", t.im.ID, "offset", m.at, "panic", p)
			m.failed = fault.New(fault.Invalid, "the mail cannot be read")
		}
		if m.failed != nil {
			m.id = messageIDOf(raw.Raw)
		}
	}()
	switch {
	case raw.TooLarge:
		m.failed = fault.New(fault.TooLarge, "the mail is larger than %d MiB", MaxMail>>20)
	case len(bytes.TrimSpace(raw.Raw)) == 0:
		m.failed = fault.New(fault.Invalid, "the mail is empty")
	default:
		m.fields, m.failed = entry.NormalizeEmail(entry.Email{RawText: string(raw.Raw), Mailbox: true,
			Envelope: raw.From})
	}
	if m.failed == nil {
		m.fields["source"] = "email-batch"
		m.id, _ = m.fields["metadata"].(map[string]any)["email"].(map[string]any)["message_id"].(string)
	}
	return m
}

// insertAll inserts the mails: those of one thread in order, others concurrently. If the entries refuse a mail, the
// error is recorded as the failure of that mail.
func (t *step) insertAll(ctx context.Context, mails []*mail) error {
	var sound []*mail
	var items []entries.Item
	for _, m := range mails {
		if m.failed == nil {
			sound = append(sound, m)
			items = append(items, entries.Item{Name: fmt.Sprintf("%s %d", t.im.ID, m.at), Fields: m.fields})
		}
	}
	return t.s.entries.In(entries.Schema(t.im.Schema)).InsertEach(ctx, items, func(i int, res entries.Result,
		err error) error {
		switch m := sound[i]; fault.KindOf(err) {
		case "":
			m.entry, m.action, m.stored = res.Entry.Text("id"), res.Action, res
		case fault.Invalid, fault.Blocked, fault.TooLarge:
			m.failed = err
		default:
			return err
		}
		return nil
	})
}

// indexTime is how long a piece waits for the index.
const indexTime = 20 * time.Second

// index makes the stored mails searchable. If the index fails, the outbox of the entries writes them later, so
// nothing is repeated here.
func (t *step) index(ctx context.Context, mails []*mail) {
	var stored []entries.Result
	for _, m := range mails {
		if m.failed == nil {
			stored = append(stored, m.stored)
			m.stored = entries.Result{}
		}
	}
	ctx, cancel := context.WithTimeout(ctx, indexTime)
	defer cancel()
	if err := t.s.entries.Flush(ctx, stored...); err != nil {
		t.s.o.Log.WarnContext(ctx, "mails enter the index later", "import", t.im.ID, "kind", fault.KindOf(err))
	}
}

// count adds up the results of mails, in the order of the file.
func (t *step) count(mails []*mail) {
	im, waits, pending := t.im, map[string]bool{}, t.im.pending()
	for _, id := range pending {
		waits[id] = true
	}
	for _, m := range mails {
		im.Mails++
		switch {
		case m.failed != nil:
			im.Failed++
			im.note(m)
			continue
		case m.action == entries.Skipped:
			im.Skipped++
			continue
		case m.action == entries.Inserted:
			im.Inserted++
		default:
			im.Updated++
		}
		if !waits[m.entry] {
			waits[m.entry] = true
			pending = append(pending, m.entry)
		}
	}
	im.setPending(pending)
}

// note adds a failure to the list. The texts are cut so that a hundred failures fit into a column.
func (im *Import) note(m *mail) {
	const longID, longReason = 120, 160
	if len(im.Failures) < MaxFailures {
		im.Failures = append(im.Failures, Failure{Offset: m.at, MessageID: printable(m.id, longID),
			Reason: printable(m.failed.Error(), longReason)})
	}
}

// printable turns a text from an unknown sender into one line, and cuts the line to a given number of bytes.
func printable(text string, most int) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "?")), " ")
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == '\u2028' || r == '\u2029' {
			return -1
		}
		return r
	}, text)
	return strings.ToValidUTF8(text[:min(len(text), most)], "")
}

var messageIDLine = regexp.MustCompile(`(?im)^message-id:[ \t]*<?([^\s<>]+)`)

// messageIDOf finds the id of a mail that could not be parsed.
func messageIDOf(raw []byte) string {
	raw = raw[:min(len(raw), 64<<10)]
	for _, blank := range []string{"\r\n\r\n", "\n\n"} {
		if i := bytes.Index(raw, []byte(blank)); i >= 0 {
			raw = raw[:i]
			break
		}
	}
	if m := messageIDLine.FindSubmatch(raw); m != nil {
		return string(m[1])
	}
	return ""
}

// Package mboxtest writes mbox files like those of mail programs, for tests and measurements: newsletters, threads,
// forwarded mails, charsets and encodings, quoted From lines, duplicates, broken mails, large attachments. The same
// options give the same bytes.
package mboxtest

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"io"
	"mime/quotedprintable"
	"strings"
	"time"
)

// Options select what the file contains.
type Options struct {
	Mails      int
	First      int   // number of the first mail; files with different numbers share threads, but no newsletters
	Attachment int64 // size in bytes of the attachment of every hundredth mail
	TooLarge   int64 // size in bytes of one broken mail at the end; 0 for no such mail
}

// Made counts the mails of each kind in a file. An import of the file should have the same counts.
type Made struct {
	Mails      int
	Newsletter int // newsletters, each with an id of its own
	Duplicates int // duplicates of newsletters
	Threads    int // different subjects of correspondence
	Replies    int // mails of correspondence, except the first of each thread
	Broken     int
	Bytes      int64
}

// writer counts what it writes, and keeps the first error.
type writer struct {
	out *bufio.Writer
	Made
	threads map[string]bool
	err     error
}

func (w *writer) printf(format string, args ...any) {
	if w.err == nil {
		n, err := fmt.Fprintf(w.out, format, args...)
		w.Bytes, w.err = w.Bytes+int64(n), err
	}
}

// Write writes a file.
func Write(out io.Writer, o Options) (Made, error) {
	w := &writer{out: bufio.NewWriterSize(out, 1<<20), threads: map[string]bool{}}
	for i := o.First; i < o.First+o.Mails; i++ {
		w.from(i)
		kinds[i%len(kinds)](w, i, o)
		w.printf("\n")
	}
	if o.TooLarge > 0 {
		w.from(o.Mails)
		w.printf("Subject: too large\nMessage-ID: <large@port.example>\nFrom: a@port.example\n\n")
		w.filler(o.TooLarge)
		w.Broken++
		w.printf("\n")
	}
	if w.err == nil {
		w.err = w.out.Flush()
	}
	return w.Made, w.err
}

func when(i int) time.Time {
	return time.Date(2025, 1, 1, 8, 0, 0, 0, time.UTC).Add(time.Duration(i) * time.Hour)
}

func (w *writer) from(i int) {
	w.Mails++
	w.printf("From sender%d@port.example %s\n", i%50, when(i).Format(time.ANSIC))
}

// head writes the header fields that all mails have. It encodes the subject if necessary.
func (w *writer) head(i int, id, subject string) {
	w.printf("Received: from mx.port.example (mx.port.example [192.0.2.1])\n\tby in.port.example; %s\n",
		when(i).Format(time.RFC1123Z))
	w.printf("From: \"Harbour Master %d\" <sender%d@port.example>\nTo: crew@port.example\nDate: %s\n", i%50, i%50,
		when(i).Format(time.RFC1123Z))
	w.printf("Message-ID: <%s@port.example>\nSubject: %s\nMIME-Version: 1.0\n", id, subject)
}

func (w *writer) text(i int) string {
	var b strings.Builder
	for p := range 3 + i%4 {
		fmt.Fprintf(&b, "Paragraph %d of mail %d tells of tides, of berths and of who has the watch on pier %d. "+
			"The crane was greased, the ropes were counted, and nobody has seen the blue dinghy since.\n\n", p+1, i, (i+p)%17)
	}
	return b.String()
}

// thread returns the subject of a correspondence. Every fifth mail begins a new thread.
func (w *writer) thread(i int) (subject string, reply bool) {
	subject = fmt.Sprintf("Berth plan %d", i/5)
	reply = w.threads[subject]
	w.threads[subject] = true
	if reply {
		w.Replies++
	} else {
		w.Threads++
	}
	return subject, reply
}

// kinds are the functions that write mails, one for each kind of mail. They are called in rotation.
var kinds = []func(w *writer, i int, o Options){
	newsletterAlternative, letter, reply, newsletterLatin, quoted, forwarded, windows, newsletterAlternative, attachment,
	duplicate,
	reply, letter, newsletterLatin, broken, japanese, reply, newsletterAlternative, letter, reply, reply,
}

func newsletterAlternative(w *writer, i int, _ Options) {
	w.Newsletter++
	w.newsletter(i)
}

func (w *writer) newsletter(i int) {
	w.head(i, fmt.Sprintf("news-%d", i), fmt.Sprintf("=?UTF-8?Q?Hafen-Nachrichten_=C3=BCber_Ebbe_%d?=", i))
	w.printf("List-Id: <news.port.example>\nList-Unsubscribe: <https://port.example/u>\nContent-Type: "+
		"multipart/alternative; boundary=\"b%d\"\n\n", i)
	w.printf("--b%d\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\n", i)
	w.quotedPrintable("Ebbe und Flut für Pier " + fmt.Sprint(i) + ".\n\n" + w.text(i))
	w.printf("\n--b%d\nContent-Type: text/html; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\n", i)
	w.quotedPrintable("<html><body><h1>Ebbe</h1><p>" + strings.ReplaceAll(w.text(i), "\n\n", "</p><p>") +
		"</p><a href=\"https://port.example/u\">unsubscribe</a></body></html>")
	w.printf("\n--b%d--\n", i)
}

func (w *writer) quotedPrintable(text string) {
	var b strings.Builder
	q := quotedprintable.NewWriter(&b)
	_, _ = q.Write([]byte(text)) // writing to memory never fails
	_ = q.Close()
	w.printf("%s", strings.ReplaceAll(b.String(), "\r\n", "\n"))
}

func newsletterLatin(w *writer, i int, _ Options) {
	w.Newsletter++
	w.head(i, fmt.Sprintf("news-%d", i), fmt.Sprintf("Tide table %d", i))
	w.printf("List-Id: <tables.port.example>\nContent-Type: text/html; charset=iso-8859-1\nContent-Transfer-Encoding: " +
		"base64\n\n")
	w.base64([]byte("<p>Fahrpl\xe4ne f\xfcr " + fmt.Sprint(i) + "</p><p>" + w.text(i) + "</p>"))
}

func (w *writer) base64(body []byte) {
	const raw = 57 // number of bytes that fill a line of 76 characters
	for len(body) > 0 {
		n := min(raw, len(body))
		w.printf("%s\n", base64.StdEncoding.EncodeToString(body[:n]))
		body = body[n:]
	}
}

func letter(w *writer, i int, _ Options) {
	subject, _ := w.thread(i)
	w.head(i, fmt.Sprintf("mail-%d", i), subject)
	w.printf("Content-Type: text/plain; charset=us-ascii\n\n%s", w.text(i))
}

func reply(w *writer, i int, _ Options) {
	subject, _ := w.thread(i)
	w.head(i, fmt.Sprintf("mail-%d", i), "Re: [Crew] "+subject)
	w.printf("In-Reply-To: <mail-%d@port.example>\nReferences: <mail-%d@port.example>\nContent-Type: text/plain; "+
		"charset=utf-8; format=flowed\n\n", i-1, i-1)
	w.printf("%s> what was said before\n> and before that\n", w.text(i))
}

func quoted(w *writer, i int, _ Options) {
	subject, _ := w.thread(i)
	w.head(i, fmt.Sprintf("mail-%d", i), subject)
	w.printf("\n>From the pier one sees the sea %d.\n>>From further away, too.\n\nFrom here on it is quiet.\n", i)
}

func forwarded(w *writer, i int, _ Options) {
	subject, _ := w.thread(i)
	w.head(i, fmt.Sprintf("mail-%d", i), "Fwd: "+subject)
	w.printf("Content-Type: multipart/mixed; boundary=\"f\"\n\n--f\nContent-Type: text/plain\n\nSee below. %s\n--f\n"+
		"Content-Type: message/rfc822\n\n", w.text(i))
	w.printf("From: other@port.example\nSubject: The original %d\nDate: %s\n\nWhat it was about.\n--f--\n", i,
		when(i).Format(time.RFC1123Z))
}

func windows(w *writer, i int, _ Options) {
	subject, _ := w.thread(i)
	w.head(i, fmt.Sprintf("mail-%d", i), subject)
	w.printf("Content-Type: text/plain; charset=windows-1252\nContent-Transfer-Encoding: 8bit\n\nThe \x93big\x94 ship "+
		"%d costs 5 \x80.\n%s", i, w.text(i))
}

func japanese(w *writer, i int, _ Options) {
	subject, _ := w.thread(i)
	w.head(i, fmt.Sprintf("mail-%d", i), subject)
	w.printf("Content-Type: text/plain; charset=iso-2022-jp\n\n\x1b$B9A\x1b(B %d\n%s", i, w.text(i))
}

func attachment(w *writer, i int, o Options) {
	subject, _ := w.thread(i)
	w.head(i, fmt.Sprintf("mail-%d", i), subject)
	w.printf("Content-Type: multipart/mixed; boundary=\"m\"\n\n--m\nContent-Type: text/plain\n\n%s\n--m\n", w.text(i))
	w.printf("Content-Type: application/octet-stream\nContent-Disposition: attachment; filename=\"chart.bin\"\n" +
		"Content-Transfer-Encoding: base64\n\n")
	if i%100 == 8 {
		w.filler(o.Attachment)
	}
	w.printf("--m--\n")
}

// filler writes lines of base64.
func (w *writer) filler(n int64) {
	line := strings.Repeat("QUJD", 19) + "\n"
	for ; n > 0 && w.err == nil; n -= int64(len(line)) {
		w.printf("%s", line)
	}
}

// duplicate repeats the newsletter that was written two mails earlier.
func duplicate(w *writer, i int, _ Options) {
	w.Duplicates++
	w.newsletter(i - 2)
}

// broken writes a mail that has no subject, or no header, or is empty.
func broken(w *writer, i int, _ Options) {
	w.Broken++
	switch i / 20 % 3 {
	case 0:
		w.printf("From: a@port.example\nDate: %s\n\nWho knows what this is about?\n", when(i).Format(time.RFC1123Z))
	case 1:
		w.printf("no header at all %d\n", i)
	}
}

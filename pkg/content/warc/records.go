package warc

import (
	"bytes"
	"io"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// Profiles of revisits (ISO 28500 §6.7).
const (
	identicalPayload  = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
	serverNotModified = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"
)

const httpResponse = "application/http;msgtype=response"

// Info describes the records behind it.
type Info struct {
	// At stands for the whole file. It goes into the record's id, so an export that is to be the
	// same each time takes a time from its contents.
	At time.Time
	// Fields are written in this order, beside "format" and "conformsTo". ISO 28500 §6.2 names
	// some: operator, software, robots, http-header-user-agent; so does Dublin Core: description,
	// isPartOf.
	Fields []Field
}

// Info writes a warcinfo record. It should be a file's first.
func (w *Writer) Info(i Info) error {
	at, err := date(i.At)
	if err != nil {
		return err
	}
	fields := append([]Field{
		{"format", "WARC File Format 1.1"},
		{"conformsTo", "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/"},
	}, i.Fields...)
	if err := checkFields(fields, isText); err != nil {
		return err
	}
	var head bytes.Buffer
	writeFields(&head, fields)
	b := block{head: head.Bytes()}
	_, whole, err := b.digests()
	if err != nil {
		return err
	}
	_, err = w.record([]Field{
		{"WARC-Type", "warcinfo"}, {"WARC-Date", at}, {"Content-Type", "application/warc-fields"},
	}, b, whole)
	return err
}

// Response is one answer of a server.
type Response struct {
	URI    string    // that was asked for: absolute, http or https, without userinfo and fragment
	At     time.Time // when it was asked; written in UTC, to the microsecond
	Status int       // from 200 to 999
	// Header is as received; values may be any bytes that HTTP allows. See the package comment for what
	// is renamed.
	Header map[string][]string
	// Body is as decoded from the wire. It is read twice, each time from its start; nil is empty.
	Body io.ReadSeeker
}

// Record is a response in the file, for revisits to refer to.
type Record struct {
	ID            string // urn:uuid:…
	URI           string // as written
	PayloadDigest string // sha256:<hex> of the body
	date          string
	size          int64 // of the body
}

// Response writes a response record. What the response may not hold is Invalid or TooLarge, with
// the field; errors of the body are returned as they are.
func (w *Writer) Response(r Response) (Record, error) {
	b, err := newBlock(r.Body)
	if err != nil {
		return Record{}, err
	}
	if b.head, err = httpHead(r.Status, r.Header, b.size); err != nil {
		return Record{}, err
	}
	if b.size > 0 && (r.Status == 204 || r.Status == 304) {
		return Record{}, fault.Field("status", "status %d cannot have a body", r.Status) // RFC 9110 §6.4.1
	}
	target, err := targeted(r.URI, r.At)
	if err != nil {
		return Record{}, err
	}
	payload, whole, err := b.digests()
	if err != nil {
		return Record{}, err
	}
	id, err := w.record([]Field{
		{"WARC-Type", "response"}, {"WARC-Date", target.date}, {"WARC-Target-URI", target.uri},
		{"WARC-Payload-Digest", payload}, {"Content-Type", httpResponse},
	}, b, whole)
	return Record{ID: id, URI: target.uri, PayloadDigest: payload, date: target.date, size: b.size}, err
}

// Revisit is a check that found what a response of the same file holds.
type Revisit struct {
	URI string    // that was asked for, as in [Response]; it need not be the response's
	At  time.Time // when it was asked
	// NotModified says that the server claimed it: a 304, or the same validators. Otherwise the
	// same body came again.
	NotModified bool
	// Status and Header are what the server answered this time. When Status is zero, which it must
	// not be with a Header, the record has no block. A status is 304 if and only if NotModified.
	Status int
	Header map[string][]string
	Of     Record
}

// Revisit writes a revisit record. Errors are those of [Writer.Response].
func (w *Writer) Revisit(r Revisit) error {
	if r.Of.ID == "" {
		return fault.Field("of", "a revisit needs the record that it is of")
	}
	target, err := targeted(r.URI, r.At)
	if err != nil {
		return err
	}
	b, err := r.block()
	if err != nil {
		return err
	}
	_, whole, err := b.digests()
	if err != nil {
		return err
	}
	_, err = w.record(r.fields(target, b), b, whole)
	return err
}

func (r Revisit) block() (b block, err error) {
	if r.Status == 0 && len(r.Header) == 0 {
		return b, nil
	}
	if (r.Status == 304) != r.NotModified {
		return b, fault.Field("status", "status %d with not modified = %t", r.Status, r.NotModified)
	}
	b.head, err = httpHead(r.Status, r.Header, r.Of.size)
	return b, err
}

func (r Revisit) fields(t target, b block) []Field {
	profile := identicalPayload
	if r.NotModified {
		profile = serverNotModified
	}
	fields := []Field{
		{"WARC-Type", "revisit"}, {"WARC-Date", t.date}, {"WARC-Target-URI", t.uri},
		{"WARC-Profile", profile}, {"WARC-Payload-Digest", r.Of.PayloadDigest},
		{"WARC-Refers-To", "<" + r.Of.ID + ">"}, {"WARC-Refers-To-Target-URI", r.Of.URI}, {"WARC-Refers-To-Date", r.Of.date},
	}
	if b.length() > 0 {
		fields = append(fields, Field{"Content-Type", httpResponse})
		if !r.NotModified {
			fields = append(fields, Field{"WARC-Truncated", "length"}) // §6.7.2: the body is left out
		}
	}
	return fields
}

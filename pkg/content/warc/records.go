package warc

import (
	"bytes"
	"io"
	"net/url"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/percent"
)

// Profiles of revisits (ISO 28500 §6.7).
const (
	identicalPayload  = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
	serverNotModified = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"
)

const httpResponse = "application/http;msgtype=response"

// Info describes the records that follow it in the file.
type Info struct {
	// At is the time of the whole file. It is part of the record's id, so a reproducible export must derive it from
	// the contents of the file.
	At time.Time
	// Fields are written in this order, after "format" and "conformsTo". ISO 28500 §6.2 defines some names: operator,
	// software, robots, http-header-user-agent. Dublin Core defines others, such as description and isPartOf.
	Fields []Field
}

// Info writes a warcinfo record. It should be the first record of a file.
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

// Response is an answer of a server.
type Response struct {
	URI    string    // as it was requested: absolute, http or https, without userinfo and fragment
	At     time.Time // time of the request; written in UTC, to the microsecond
	Status int       // from 200 to 999
	// Header is the header as it was received. Its values may contain any bytes that HTTP allows. The package comment
	// lists the fields that are renamed.
	Header map[string][]string
	// Body is the body without the encodings of the wire. It is read twice, each time from its start. A nil Body is
	// an empty body.
	Body io.ReadSeeker
}

// Record identifies a response in the file, so that revisits can refer to it.
type Record struct {
	ID            string // urn:uuid:…
	URI           string // the URI that the record contains
	PayloadDigest string // digest of the body, as sha256:<hex>
	date          string
	size          int64 // size of the body in bytes
}

// Response writes a response record. Errors: Invalid or TooLarge, with the field, for values that cannot be written.
// Errors of the body are returned unchanged.
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

// Conversion is another form of the payload of a response in the same file, such as a page with the text that its
// scripts write.
type Conversion struct {
	At   time.Time // time of the request for the response
	Of   Record
	Type string // media type of the body
	Body io.ReadSeeker
}

// Conversion writes a conversion record (ISO 28500 §6.9). It returns the same errors as [Writer.Response].
func (w *Writer) Conversion(c Conversion) error {
	if c.Of.ID == "" {
		return fault.Field("of", "a conversion needs the record that it is of")
	}
	if c.Type == "" || !isText(c.Type) {
		return fault.Field("type", "%.100q is no media type", c.Type)
	}
	b, err := newBlock(c.Body)
	if err != nil {
		return err
	}
	target, err := targeted(c.Of.URI, c.At)
	if err != nil {
		return err
	}
	payload, whole, err := b.digests()
	if err != nil {
		return err
	}
	_, err = w.record([]Field{
		{"WARC-Type", "conversion"}, {"WARC-Date", target.date}, {"WARC-Target-URI", target.uri},
		{"WARC-Payload-Digest", payload}, {"WARC-Refers-To", "<" + c.Of.ID + ">"}, {"Content-Type", c.Type},
	}, b, whole)
	return err
}

// Revisit is a check that found the same content as a response in the same file.
type Revisit struct {
	URI string    // as it was requested, by the rules of [Response]; may differ from the response's URI
	At  time.Time // time of the request
	// NotModified reports that the server declared the content unchanged, by a 304 or by the same validators. If it
	// is false, the server sent the same body again.
	NotModified bool
	// Status and Header are the server's new answer. If Status is zero, the record has no block, and Header must be
	// empty. Status must be 304 if and only if NotModified.
	Status int
	Header map[string][]string
	Of     Record
}

// Revisit writes a revisit record. It returns the same errors as [Writer.Response].
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
			fields = append(fields, Field{"WARC-Truncated", "length"}) // §6.7.2: the body is omitted
		}
	}
	return fields
}

// target is the address and the time of a request, in the form in which records contain them.
type target struct{ uri, date string }

func targeted(uri string, at time.Time) (t target, err error) {
	if t.uri, err = targetURI(uri); err != nil {
		return t, err
	}
	t.date, err = date(at)
	return t, err
}

// date formats a time as W3CDTF, to the microsecond. Readers do not agree on other forms.
func date(at time.Time) (string, error) {
	at = at.UTC().Truncate(time.Microsecond)
	if at.IsZero() || at.Year() < 1 || at.Year() > 9999 {
		return "", fault.Field("at", "%v is not a time that can be written", at)
	}
	return at.Format(time.RFC3339Nano), nil
}

// targetURI returns a URI in the form of RFC 3986.
func targetURI(raw string) (string, error) {
	if len(raw) > maxURI {
		return "", fault.New(fault.TooLarge, "uri of %d bytes: want at most %d", len(raw), maxURI)
	}
	if strings.ContainsFunc(raw, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", fault.Field("uri", "%.100q holds what no URI can", raw)
	}
	scheme, rest, _ := strings.Cut(raw, "://")
	end := strings.IndexAny(rest, "/?")
	if end < 0 {
		end = len(rest)
	}
	authority := rest[:end] // brackets in the authority are those of an IPv6 address
	uri := strings.ToLower(scheme) + "://" + authority + encoded(rest[end:])
	u, err := url.Parse(uri)
	if err != nil || strings.ContainsAny(authority, `"<>\^{|}`+"`") {
		return "", fault.Field("uri", "%.100q is not a URI", raw)
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || strings.Contains(uri, "#") {
		return "", fault.Field("uri", "%.100q: want an absolute http or https URI without userinfo and fragment", raw)
	}
	return uri, nil
}

// encoded is a path and query with percent signs for what may not stand there (RFC 3986 §3.3, §3.4),
// also for a percent sign that begins no encoding. Number signs stay, to be refused.
func encoded(s string) string {
	return percent.Repair(s, func(c byte) bool { return strings.IndexByte("\"<>[\\]^`{|}", c) >= 0 })
}

package entry

import (
	"cmp"
	netmail "net/mail"
	"regexp"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/wallclock"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/mail"
	"github.com/tidemark/tidemark/pkg/content/extract/web"
)

// Email is a mail (spec 001 API: email). RawText is a whole mail (RFC 5322, MIME), or only its text or HTML. Fields
// that are empty are read from the mail's header.
type Email struct {
	RawText     string
	From        string // required for a newsletter without MessageID
	Subject     string // required for correspondence
	ContentType string // newsletter or correspondence_thread; inferred when empty
	MessageID   string
	Date        string // RFC 3339, RFC 5322, or only a day; required for a newsletter without MessageID
	// Envelope is the From line of the mail in its mailbox.
	Envelope string
	// Mailbox states that RawText comes from a mailbox, so it is a whole mail. Such a mail needs no subject, and its
	// text must be readable if it has one.
	Mailbox bool
}

const (
	Newsletter     = "newsletter"
	Correspondence = "correspondence_thread"
)

// NormalizeEmail makes the entry of a mail. Errors: Invalid, with the name of a field.
//
// # Newsletter or correspondence
//
// Unless ContentType is given, the first rule that matches decides:
//
//  1. A mail that continues another (In-Reply-To, References, or a subject with the prefix of a reply
//     or a forwarded mail) is correspondence: one person wrote it to another.
//  2. A mail of a list that accepts answers (List-Post other than NO, RFC 2369) is correspondence.
//  3. A mail sent in bulk is a newsletter: List-Unsubscribe, List-Id, Feedback-ID, or Precedence
//     bulk or list.
//  4. A mail that offers in its first or last 1,500 bytes to unsubscribe, or to be read in a browser, is a
//     newsletter.
//  5. Everything else is correspondence.
func NormalizeEmail(e Email) (Fields, error) {
	text, former, header, err := e.read()
	if err != nil {
		return nil, err
	}
	root := ""
	if e.Mailbox {
		root = rootOf(header)
	}
	if fieldOf(e.Subject) != "" {
		former = ""
	}
	e.From, e.Subject = cmp.Or(fieldOf(e.From), header("From")), cmp.Or(fieldOf(e.Subject), header("Subject"))
	e.MessageID, e.Date = messageID(cmp.Or(e.MessageID, header("Message-ID"))), cmp.Or(fieldOf(e.Date), header("Date"))
	if _, ok := timeOf(e.Date); !ok && e.Mailbox {
		e.Date = cmp.Or(sentBefore(header("Received"), e.Envelope), e.Date)
	} else if e.Date == "" {
		e.Date = sentBefore(header("Received"), "")
	}
	if e.ContentType == "" {
		e.ContentType = kindOfMail(e.Subject, text, header)
	}
	keys, err := e.keys(root)
	if err != nil {
		return nil, err
	}
	extracted := words.Clip(text, maxLong)
	cleaned := words.Clip(clean(extracted), maxLong)
	out := Fields{
		"source": "email", "content_type": e.ContentType, "extracted_text": extracted, "clean_text": cleaned,
		"title": words.Clip(e.Subject, maxTitle), "author": words.Clip(e.From, maxName),
	}
	if out.add(retrieval(extracted, cleaned, "")); cleaned == "" {
		out[skippedField] = true
	}
	meta := e.metadata(header, len(text) > maxLong)
	if former != "" && subjectBase(former) != subjectBase(e.Subject) {
		meta[formerSubject] = words.Clip(former, maxName)
	}
	out.merge("email", meta)
	out.setKeys(keys)
	return out, out.Check()
}

// fieldOf returns a field in the form of a mail header: one line, cut to the maximum length of such a field.
func fieldOf(text string) string {
	const longest = 2000
	return oneLine(words.Clip(text, longest))
}

// read returns the mail's text, its subject as earlier versions decoded it, and a function that looks up fields of its
// header.
func (e Email) read() (text, former string, header func(name string) string, err error) {
	none := func(string) string { return "" }
	raw := strings.TrimLeft(e.RawText, "\ufeff\r\n")
	if e.Mailbox {
		raw = e.RawText
	}
	if strings.TrimSpace(raw) == "" {
		return "", "", nil, fault.Field("raw_text", "raw_text is missing: give the mail, or its text")
	}
	if whole, ok := wholeMail(raw); ok || e.Mailbox {
		m, err := mail.Read([]byte(whole), mailBase, extract.Limits{})
		if err != nil {
			return "", "", nil, fault.Field("raw_text", "%w", err)
		}
		if e.Mailbox && m.Missing != "" {
			return "", "", nil, fault.Field("raw_text", "the text of the mail cannot be read: %s", m.Missing)
		}
		return m.Document.Text, m.FormerHeader("Subject"), m.Header, nil
	}
	if looksLikeHTML(raw) {
		doc, err := web.Letter([]byte(raw), "text/html; charset=utf-8", mailBase, extract.Limits{})
		if err != nil {
			return "", "", nil, fault.Field("raw_text", "%w", err)
		}
		return doc.Text, "", none, nil
	}
	return raw, "", none, nil
}

// mailBase is the base URL of relative addresses in mails. Its host does not exist.
const mailBase = "https://mail.invalid/"

// headerLine matches the beginning of a header field (RFC 5322 §2.2).
var headerLine = regexp.MustCompile(`^([!-9;-~]+)[ \t]*:`)

// knownHeaders are header fields that occur in mails. Every mail has some of them. A text that begins with "Note: …"
// has none, so it does not count as a mail.
var knownHeaders = map[string]bool{
	"from": true, "to": true, "subject": true, "date": true, "message-id": true, "mime-version": true,
	"content-type": true,
	"received":     true, "return-path": true, "delivered-to": true, "dkim-signature": true, "reply-to": true,
	"sender": true,
}

// wholeMail reports whether a text is a mail with its header. It is if the lines before the first blank line are
// header fields, and two of them are in knownHeaders. A damaged header has more of these fields than lines that are no
// header. The returned mail has no mbox separator line at the beginning.
func wholeMail(raw string) (mail string, ok bool) {
	if line, rest, found := strings.Cut(raw, "\n"); found && strings.HasPrefix(line, "From ") {
		raw = rest
	}
	known, damaged := map[string]bool{}, 0
	for line := range strings.SplitSeq(raw, "\n") {
		line = strings.TrimRight(line, "\r")
		if line == "" {
			break
		}
		if line[0] == ' ' || line[0] == '\t' {
			continue
		}
		m := headerLine.FindStringSubmatch(line)
		if m == nil {
			damaged++
			continue
		}
		if name := strings.ToLower(m[1]); knownHeaders[name] {
			known[name] = true
		}
	}
	return raw, len(known) >= 2 && damaged < len(known) && (damaged == 0 || known["from"] && known["subject"])
}

var tagLike = regexp.MustCompile(`(?i)^\s*<(?:!doctype|html|head|body|div|p|table|meta|span|style|!--)\b`)

func looksLikeHTML(raw string) bool { return tagLike.MatchString(raw) }

// bulk matches offers that occur only in mails to many recipients.
var bulk = regexp.MustCompile(`(?i)\bunsubscribe\b|\bopt[- ]?out\b|` +
	`view (?:this (?:e-?mail|message|newsletter) )?(?:in|on) (?:your |a |the )?(?:web )?browser|` +
	`(?:manage|update) (?:your )?(?:e-?mail )?(?:preferences|subscription)|` +
	`newsletter abbestellen|\babmelden\b|im browser (?:ansehen|anzeigen|öffnen)|` +
	`se désabonner|désinscri|cancelar (?:la |a )?(?:suscripción|inscrição)|` +
	`darse de baja|disiscriviti|uitschrijven|afmelden`)

func kindOfMail(subject, text string, header func(string) string) string {
	post := strings.ToUpper(header("List-Post"))
	precedence := strings.ToLower(header("Precedence"))
	const edge = 1500
	switch {
	case header("In-Reply-To") != "" || header("References") != "" || isReply(subject):
		return Correspondence
	case post != "" && !strings.HasPrefix(post, "NO"):
		return Correspondence
	case header("List-Unsubscribe") != "" || header("List-Id") != "" || header("Feedback-ID") != "" ||
		precedence == "bulk" || precedence == "list":
		return Newsletter
	case bulk.MatchString(words.Clip(text, edge)) || bulk.MatchString(text[max(0, len(text)-edge):]):
		return Newsletter
	}
	return Correspondence
}

// rootOf returns the id of the mail that began a thread.
func rootOf(header func(name string) string) string {
	for _, name := range []string{"References", "In-Reply-To", "Message-ID"} {
		if id := messageID(header(name)); id != "" {
			return id
		}
	}
	return ""
}

// keys returns the keys of a mail under the policy for its kind. A mail of a mailbox without subject is known by the
// root of its thread.
func (e Email) keys(root string) (Keys, error) {
	base := subjectBase(e.Subject)
	switch e.ContentType {
	case Correspondence:
		switch {
		case base != "":
		case root != "":
			return Keys{Policy: EmailThread, Primary: Digest("message-id:" + root)}, nil
		case e.Mailbox:
			return Keys{}, fault.Field("subject", "subject is missing, and so are Message-ID and References: "+
				"the mails of a thread are known by one of them")
		default:
			return Keys{}, fault.Field("subject", "subject is missing: the mails of a thread are known by it")
		}
		return Keys{Policy: EmailThread, Primary: Digest(base)}, nil
	case Newsletter:
		return e.newsletterKeys(base)
	}
	return Keys{}, fault.Field("content_type", "content_type must be %s or %s, not %.50q", Newsletter, Correspondence,
		e.ContentType)
}

func (e Email) newsletterKeys(base string) (Keys, error) {
	k := Keys{Policy: EmailNewsletter, Primary: e.MessageID}
	from, day := fromAddress(e.From), ""
	if e.Date != "" {
		var ok bool
		if day, ok = dayBucket(e.Date); !ok && e.MessageID == "" {
			return Keys{}, fault.Field("source.date",
				"source.date %.50q is no date like 2026-03-01T08:00:00Z, Sun, 1 Mar 2026 08:00:00 +0000 or 2026-03-01", e.Date)
		}
	}
	switch {
	case from != "" && day != "" && base != "":
		k.Secondary = Digest(from + base + day)
	case e.MessageID != "":
	case from == "":
		return Keys{}, fault.Field("from",
			"from is missing: a newsletter without source.message_id is known by its sender, subject and day")
	case base == "":
		return Keys{}, fault.Field("subject",
			"subject is missing: a newsletter without source.message_id is known by its sender, subject and day")
	default:
		return Keys{}, fault.Field("source.date",
			"source.date is missing: a newsletter without source.message_id is known by its sender, subject and day")
	}
	return k, nil
}

var addressLike = regexp.MustCompile(`[^\s<>"'(),;:]+@[^\s<>"'(),;:]+`)

// fromAddress returns a sender's address, in lower case and without the sender's name.
func fromAddress(from string) string {
	if a, err := netmail.ParseAddress(from); err == nil {
		return strings.ToLower(a.Address)
	}
	return strings.ToLower(addressLike.FindString(from))
}

// messageID returns the id of a mail without its brackets.
func messageID(raw string) string {
	id := fieldOf(raw)
	if strings.HasPrefix(id, "<") && strings.Contains(id, ">") {
		id, _, _ = strings.Cut(id[1:], ">")
	}
	return strings.TrimSpace(id)
}

func (e Email) metadata(header func(string) string, cut bool) map[string]any {
	meta := map[string]any{"subject_base": subjectBase(e.Subject)}
	for name, value := range map[string]string{
		"message_id": e.MessageID, "date": e.Date, "from": e.From, "subject": e.Subject,
		"to": header("To"), "list_id": header("List-Id"), "in_reply_to": messageID(header("In-Reply-To")),
	} {
		if value != "" {
			meta[name] = words.Clip(value, maxName)
		}
	}
	if t, zone, ok := wallclock.ParseDate(e.Date); ok {
		day := dayOf(t, zone)
		if meta["date_bucket"] = day; !zone && day != strings.TrimSpace(e.Date) {
			meta["zone"] = "unknown"
		}
	}
	if cut {
		meta["truncated"] = true
	}
	return meta
}

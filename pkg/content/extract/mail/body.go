package mail

import (
	"bytes"
	"mime"
	"slices"
	"strings"

	"github.com/jhillyerd/enmime/v2"
)

// bodyTexts says which texts of a mail are its body.
type bodyTexts int

const (
	unnamed bodyTexts = iota // texts without a name
	named                    // texts with a name, because there are no others
	sole                     // the only part, although it was sent as an attachment
)

// bodyOf returns which texts of a mail are its body: those that readers of mail show.
func bodyOf(root *enmime.Part) bodyTexts {
	parts, at := 0, sole
	root.DepthMatchAll(func(p *enmime.Part) bool {
		switch {
		case isMultipart(p) || isDecoration(p):
			return false
		case isWritten(p) && p.Disposition != "attachment" && len(bytes.TrimSpace(p.Content)) > 0:
			if at = min(at, named); p.FileName == "" && !isBeside(p) {
				at = unnamed
			}
		}
		parts++
		return false
	})
	if at == sole && parts > 1 {
		return named
	}
	return at
}

// isText reports whether p is a text of the mail itself, given which texts are its body.
func isText(p *enmime.Part, at bodyTexts) bool {
	switch {
	case !isWritten(p):
		return false
	case at == unnamed:
		return p.Disposition != "attachment" && p.FileName == "" && !isBeside(p)
	case at == named:
		return p.Disposition != "attachment"
	}
	return true
}

// isWritten reports whether p is a text. A part that declares no type is plain text (RFC 2045 §5.2), and so is a text
// of an unknown type (RFC 2046 §4.1.4).
func isWritten(p *enmime.Part) bool {
	return p.ContentType == "" || strings.HasPrefix(p.ContentType, "text/") && !isAnswer(p)
}

// isBeside reports whether p is a text that mails have beside their body.
func isBeside(p *enmime.Part) bool {
	switch strings.TrimPrefix(p.ContentType, "text/") {
	case "calendar", "directory", "vcard", "x-vcard", "css", "javascript", "rfc822-headers", "x-amp-html", "watch-html":
		return true
	}
	return false
}

// isAnswer reports whether p is the answer to an invitation. Programs write it, not people.
func isAnswer(p *enmime.Part) bool {
	const most = 4000
	return p.ContentType == "text/calendar" && (strings.EqualFold(p.ContentTypeParams["method"], "reply") ||
		bytes.Contains(bytes.ToUpper(p.Content[:min(len(p.Content), most)]), []byte("METHOD:REPLY")))
}

func isHTML(p *enmime.Part) bool {
	return strings.HasPrefix(p.ContentType, "text/") && strings.HasSuffix(p.ContentType, "html")
}

func isPlain(p *enmime.Part) bool { return p.ContentType == "" || p.ContentType == "text/plain" }

// readAs returns the content of a text and the type to read it as. A charset that package web does not know is
// decoded here. A declared charset of ASCII counts as none, because programs often declare ASCII when they do not know
// the charset.
func readAs(p *enmime.Part) (content []byte, contentType string) {
	content, kind, name := sound(p), p.ContentType, p.Charset
	switch {
	case isHTML(p):
		kind = "text/html"
	case kind == "text/rfc822-headers" || !isBeside(p):
		kind = "text/plain"
	}
	if strings.EqualFold(p.ContentTypeParams["delsp"], "yes") {
		content = withoutBreaks(content)
	}
	if name == "us-ascii" || name == "ascii" || name == "" {
		if name = ""; isJapanese(content) {
			name = "iso-2022-jp"
		}
	}
	if name != "" && !onWeb(name) {
		if name == "utf-7" || rare(name) != nil {
			return []byte(toUTF8(content, name)), kind + "; charset=utf-8"
		}
		name = ""
	}
	if full := mime.FormatMediaType(kind, map[string]string{"charset": name}); full != "" && name != "" {
		return content, full
	}
	return content, kind
}

// withoutBreaks joins the lines of a text that end in a blank, without the blank (RFC 3676, delsp=yes).
func withoutBreaks(content []byte) []byte {
	out := make([]byte, 0, len(content))
	for line := range bytes.SplitAfterSeq(content, []byte("\n")) {
		bare := bytes.TrimRight(line, "\r\n")
		if soft := len(bare) < len(line) && bytes.HasSuffix(bare, []byte(" ")) && string(bare) != "-- "; soft {
			line = bare[:len(bare)-1]
		}
		out = append(out, line...)
	}
	return out
}

// sound returns the content of a text without control bytes. Damaged mailboxes are full of control bytes, and a
// single one would make the text look like binary data. In UTF-16 and UTF-32, sound keeps these bytes, because they
// are parts of letters.
func sound(p *enmime.Part) []byte {
	if wide := strings.ToLower(p.Charset); strings.Contains(wide, "16") || strings.Contains(wide, "32") ||
		strings.Contains(wide, "ucs") {
		return p.Content
	}
	return slices.DeleteFunc(p.Content,
		func(b byte) bool { return b < ' ' && !strings.ContainsRune("\t\n\f\r\x1b", rune(b)) })
}

package web

import (
	"bytes"
	"mime"
	"path"
	"strings"
)

// octets is the media type of content whose real type is unknown.
const octets = "application/octet-stream"

// DeclaredType returns the media type of a Content-Type header, in lower case and without parameters.
func DeclaredType(contentType string) string {
	declared, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		// A broken parameter does not make the type unknown.
		declared, _, _ = strings.Cut(contentType, ";")
	}
	return strings.ToLower(strings.TrimSpace(declared))
}

// mediaType returns the declared type. When the declaration is missing, or is one that servers send by default, the
// address and the body decide. A declared text/plain is kept even if the text looks like HTML, because a page that
// shows HTML source is not HTML; but it is not kept if the body is not text at all.
func mediaType(contentType string, body []byte, urlPath string) string {
	declared := DeclaredType(contentType)
	switch declared {
	case "", octets, "unknown/unknown", "application/unknown", "*/*":
		if looksLikeHTML(body) {
			return "text/html"
		}
		declared = octets
	case "text/plain":
	default:
		return declared
	}
	if isBinary(body) {
		return octets
	}
	return typeByName(urlPath, declared)
}

// typeByName returns the kind of a text by the extension of its name, because hosts of source code serve all kinds
// with one type. If the extension is unknown, typeByName returns the argument otherwise.
func typeByName(urlPath, otherwise string) string {
	switch strings.ToLower(path.Ext(urlPath)) {
	case ".md", ".markdown":
		return "text/markdown"
	case ".csv":
		return "text/csv"
	case ".tsv":
		return "text/tab-separated-values"
	case ".txt":
		return "text/plain"
	}
	return otherwise
}

// isBinary reports whether body has bytes that no text contains, by the rule for mislabelled text of the WHATWG MIME
// Sniffing standard §7.2. UTF-16 may contain zero bytes.
func isBinary(body []byte) bool {
	head := body[:min(len(body), 1445)]
	if bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff")) || utf16Name(head) != "" {
		return false
	}
	return bytes.ContainsFunc(head, func(r rune) bool {
		return r <= 0x08 || r == 0x0b || r >= 0x0e && r <= 0x1a || r >= 0x1c && r <= 0x1f
	})
}

// looksLikeHTML reports whether a body begins with one of the tags with which whole pages begin. It follows the HTML
// rows of the WHATWG MIME Sniffing standard §7.1.
func looksLikeHTML(body []byte) bool {
	head := strings.TrimPrefix(string(body[:min(len(body), 512)]), "\ufeff")
	head = strings.ToLower(strings.TrimLeft(head, "\t\n\f\r "))
	for _, tag := range []string{"<!doctype html", "<html", "<head", "<title", "<body", "<!--", "<main", "<article", "<h1",
		"<p", "<div"} {
		rest, found := strings.CutPrefix(head, tag)
		if found && (tag == "<!--" || rest == "" || strings.ContainsAny(rest[:1], " >\t\n\f\r")) {
			return true
		}
	}
	return false
}

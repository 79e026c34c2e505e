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

// mediaType returns the declared type. When the declaration is missing, unknown, or one that servers send by default,
// the address and the body decide. A declared text/plain is kept even if the text looks like HTML, because a page that
// shows HTML source is not HTML; but it is not kept if the body is not text at all.
func mediaType(contentType string, body []byte, urlPath string) string {
	declared := DeclaredType(contentType)
	switch {
	case declared == "text/plain":
	case SaysNothing(declared):
		declared = octets
		if looksLikeHTML(body) {
			return "text/html"
		}
	case readers[declared] != nil, strings.HasSuffix(declared, "+json"), strings.HasSuffix(declared, "+xml"),
		codeOf(declared) != "", isMedia(declared):
		return declared
	case looksLikeHTML(body):
		return "text/html" // "html", "application/html"
	}
	if IsBinary(body) {
		if declared == "text/plain" {
			return octets
		}
		return declared
	}
	if t := typeByName(urlPath); t != "" {
		return t
	}
	if declared == octets && len(body) > 0 {
		return "text/plain"
	}
	return declared
}

// SaysNothing reports whether a declared type gives no information. Servers send such types when they do not know the
// real type, or to force a download.
func SaysNothing(declared string) bool {
	switch declared {
	case "", octets, "binary/octet-stream", "unknown/unknown", "application/unknown", "*/*",
		"application/x-download", "application/download", "application/force-download":
		return true
	}
	return false
}

// isMedia reports whether documents of a type are no text, whatever their bytes look like: pictures, sound and packed
// files.
func isMedia(mimeType string) bool {
	switch mimeType {
	case "application/pdf", "application/zip", "application/gzip":
		return true
	}
	top, _, _ := strings.Cut(mimeType, "/")
	return top == "image" || top == "audio" || top == "video" || top == "font" || top == "model"
}

// typeByName returns the type of a text by the extension of its name, because hosts of source code serve all kinds
// with one type. It returns "" if the extension is unknown, or is that of code.
func typeByName(urlPath string) string {
	switch strings.ToLower(path.Ext(urlPath)) {
	case ".md", ".markdown":
		return "text/markdown"
	case ".csv":
		return "text/csv"
	case ".tsv", ".tab":
		return "text/tab-separated-values"
	case ".txt":
		return "text/plain"
	case ".json", ".geojson", ".topojson", ".webmanifest", ".ipynb", ".har":
		return "application/json"
	case ".jsonl", ".ndjson", ".jsonlines":
		return "application/x-ndjson"
	case ".xml", ".rss", ".atom", ".rdf", ".xsd", ".xsl", ".opml", ".kml", ".gpx", ".wsdl":
		return "application/xml"
	case ".ics", ".ical":
		return "text/calendar"
	case ".vcf":
		return "text/vcard"
	}
	return ""
}

// IsBinary reports whether body has bytes that no text contains, by the rule for mislabelled text of the WHATWG MIME
// Sniffing standard §7.2, or zero bytes behind them. UTF-16 may contain zero bytes.
func IsBinary(body []byte) bool {
	const far = 64 << 10
	head := body[:min(len(body), 1445)]
	if bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff")) ||
		len(head) >= 4 && utf16Name(head) != "" {
		return false
	}
	return bytes.HasPrefix(head, []byte("%PDF-")) ||
		bytes.IndexByte(body[:min(len(body), far)], 0) >= 0 ||
		bytes.ContainsFunc(head, func(r rune) bool {
			return r <= 0x08 || r == 0x0b || r >= 0x0e && r <= 0x1a || r == 0x1c || r == 0x1d || r == 0x1f
		})
}

// looksLikeHTML reports whether a body begins with one of the tags that begin whole pages. It follows the HTML rows
// of the WHATWG MIME Sniffing standard §7.1.
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

package web

import (
	"bytes"
	"mime"
	"path"
	"regexp"
	"strings"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/blocks"
)

// octets is the media type of content whose real type is unknown.
const octets = "application/octet-stream"

// DeclaredType returns the media type of a Content-Type header, in lower case and without parameters. A value that is
// no media type declares none: html, none, "text/html" in quotes, text/*, and text/html,charset=utf-8.
func DeclaredType(contentType string) string {
	declared, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		// A broken parameter does not make the type unknown.
		declared, _, _ = strings.Cut(contentType, ";")
	}
	declared = strings.ToLower(strings.TrimSpace(declared))
	top, sub, _ := strings.Cut(declared, "/")
	if !isToken(top) || !isToken(sub) {
		return ""
	}
	return declared
}

// isToken reports whether a text is a name of a media type: a token (RFC 9110 §5.6.2), without the asterisk of Accept.
func isToken(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(c rune) bool {
		return c <= ' ' || c > '~' || strings.ContainsRune(`"(),/:;<=>?@[\]{}*`, c)
	})
}

// mediaType returns the declared type. When the declaration is missing, unknown, or one that servers send by default,
// the address and the body decide. They also decide when the declaration cannot be true, as that of JSON for a whole
// page. A declared text/plain is kept even if the text looks like HTML, because a page that shows HTML source is not
// HTML; but it is not kept if the body is not text at all.
func mediaType(contentType string, body []byte, urlPath string) string {
	declared := DeclaredType(contentType)
	switch {
	case IsHTML(declared) && isPacked(body):
		return octets
	case declared == "text/plain":
	case SaysNothing(declared):
		declared = octets
		if wholePage.Match(pageHead(body)) || looksLikeHTML(body) && !isNamed(urlPath, body) {
			return "text/html"
		}
	case isPage(declared, body):
		return "text/html"
	case readers[declared] != nil, strings.HasSuffix(declared, "+json"), strings.HasSuffix(declared, "+xml"),
		codeOf(declared) != "", isMedia(declared):
		return declared
	case looksLikeHTML(body):
		return "text/html" // application/html
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
	case "", octets, "binary/octet-stream", "unknown/unknown", "application/unknown",
		"application/x-download", "application/download", "application/force-download":
		return true
	}
	return false
}

// IsText reports whether documents of a type are text.
func IsText(mimeType string) bool {
	top, _, _ := strings.Cut(mimeType, "/")
	return !isMedia(mimeType) && (top == "text" || readers[mimeType] != nil || codeOf(mimeType) != "" ||
		strings.HasSuffix(mimeType, "+json") || strings.HasSuffix(mimeType, "+xml"))
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
// with one type. It returns "" if the extension is unknown, or is that of code. The list texts of package
// fetch/file follows it.
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
		bytes.ContainsFunc(head, func(r rune) bool { return r != 0x1e && isControl(r) }) // JSON sequences have 0x1e
}

// signatures begin files that are no text.
var signatures = []string{"\x1f\x8b", "PK\x03\x04", "%PDF-", "\x28\xb5\x2f\xfd", "BZh", "\xfd7zXZ", "7z\xbc\xaf",
	"\x89PNG", "\xff\xd8\xff", "GIF8", "RIFF", "\x00\x00\x01\x00", "OggS", "ID3", "wOF", "\x00asm"}

// isPacked reports whether a body that is declared as HTML is something else: a picture, an archive, or a page that is
// still compressed. Pages may hold a few bytes that no text contains, and browsers show them; so such bytes alone prove
// nothing.
func isPacked(body []byte) bool {
	const rare = 50 // one byte of so many
	if !IsBinary(body) || looksLikeHTML(body) {
		return false
	}
	head := body[:min(len(body), 1445)]
	for _, begin := range signatures {
		if bytes.HasPrefix(head, []byte(begin)) {
			return true
		}
	}
	n := 0
	for _, c := range head {
		if isControl(rune(c)) {
			n++
		}
	}
	return n*rare > len(head)
}

// isControl reports whether no text contains a byte (WHATWG MIME Sniffing standard, "binary data byte").
func isControl(r rune) bool {
	return r <= 0x08 || r == 0x0b || r >= 0x0e && r <= 0x1a || r >= 0x1c && r <= 0x1f
}

// isPage reports whether a body is a web page although it is declared as another type that is read. A page in XML stays
// with the reader of XML, which knows it, and the source of a program that makes pages stays a listing. The output of
// such a program may be declared as the program.
func isPage(declared string, body []byte) bool {
	switch {
	case IsHTML(declared) || isXML(declared):
		return false
	case codeOf(declared) == "":
		return wholePage.Match(pageHead(body))
	case programTag.Match(body):
		return false
	}
	return wholePage.Match(pageHead(body)) || codeOf(declared) == "php" && looksLikeHTML(body)
}

// isNamed reports whether the name of a file gives the kind of its text, so that tags alone do not make it a page: a
// file of Markdown may begin with one. The output of a program has the name of the program, and no program begins with
// the head of a page.
func isNamed(urlPath string, body []byte) bool {
	switch languageByName(urlPath) {
	case "", "php":
		return typeByName(urlPath) != ""
	case "perl", "python", "ruby", "lua", "sh":
		return !pageBegin.Match(pageHead(body))
	}
	return true
}

var (
	// wholePage matches the beginning of a page. No other text begins so.
	wholePage = regexp.MustCompile(`(?is)^(?:\s|<\?xml.*?\?>|<!--.*?-->)*<(?:!doctype\s+html|html)(?:[\s>]|$)`)
	// pageBegin matches the beginning of a page without its first tag.
	pageBegin  = regexp.MustCompile(`(?is)^(?:\s|<!--.*?-->)*<(?:head|title|body)(?:[\s>]|$)`)
	programTag = regexp.MustCompile(`(?i)<\?(?:php|=)`)
)

// pageHead returns the beginning of a body without what UTF-16 and byte order marks add to ASCII.
func pageHead(body []byte) []byte {
	const longest = 2000
	head := body[:min(len(body), longest)]
	for _, mark := range []string{"\ufeff", "\xff\xfe", "\xfe\xff"} {
		head = bytes.TrimPrefix(head, []byte(mark))
	}
	return bytes.ReplaceAll(head, []byte{0}, nil)
}

// isXML reports whether documents of a type are read as XML.
func isXML(mimeType string) bool {
	switch mimeType {
	case "application/xml", "text/xml", "application/rss", "application/atom":
		return true
	}
	return strings.HasSuffix(mimeType, "+xml") && !isMedia(mimeType)
}

// looksLikeHTML reports whether a body begins with one of the tags that begin whole pages. It follows the HTML rows
// of the WHATWG MIME Sniffing standard §7.1.
func looksLikeHTML(body []byte) bool {
	if wholePage.Match(pageHead(body)) {
		return true
	}
	head := strings.TrimPrefix(string(body[:min(len(body), 512)]), "\ufeff")
	head = strings.ToLower(strings.TrimLeft(head, "\t\n\f\r "))
	for _, tag := range []string{"<!doctype html", "<html", "<head", "<title", "<body", "<!--", "<main", "<article", "<h1",
		"<p", "<div", "<meta", "<link", "<table", "<br", "<font", "<iframe", "<script", "<style", "<a", "<b", "<h2",
		"<section", "<header", "<nav", "<ul", "<ol", "<span", "<center"} {
		rest, found := strings.CutPrefix(head, tag)
		if found && (tag == "<!--" || rest == "" || strings.ContainsAny(rest[:1], " >\t\n\f\r")) {
			return true
		}
	}
	return false
}

// codeByName are the languages of code and of configuration, by the extension of a file's name.
var codeByName = map[string]string{
	".go": "go", ".py": "python", ".rb": "ruby", ".rs": "rust", ".java": "java", ".kt": "kotlin", ".scala": "scala",
	".c": "c", ".h": "c", ".cc": "c++", ".cpp": "c++", ".hpp": "c++", ".cs": "c#", ".swift": "swift", ".m": "objective-c",
	".js": "javascript", ".mjs": "javascript", ".cjs": "javascript", ".jsx": "jsx", ".ts": "typescript", ".tsx": "tsx",
	".php": "php", ".pl": "perl", ".pm": "perl", ".r": "r", ".lua": "lua", ".jl": "julia", ".ex": "elixir",
	".exs": "elixir", ".erl": "erlang", ".hs": "haskell", ".ml": "ocaml", ".clj": "clojure", ".lisp": "lisp",
	".el": "lisp", ".dart": "dart", ".sh": "sh", ".bash": "sh", ".zsh": "sh", ".ps1": "powershell", ".bat": "batch",
	".sql": "sql", ".css": "css", ".scss": "scss", ".less": "less", ".vue": "vue", ".tf": "terraform",
	".bicep": "bicep", ".proto": "protobuf", ".graphql": "graphql", ".yaml": "yaml", ".yml": "yaml", ".toml": "toml",
	".ini": "ini", ".cfg": "ini", ".conf": "ini", ".properties": "properties", ".env": "sh", ".dockerfile": "dockerfile",
	".mk": "make", ".cmake": "cmake", ".gradle": "groovy", ".tex": "latex", ".bib": "bibtex", ".diff": "diff",
	".patch": "diff", ".asm": "asm", ".s": "asm", ".zig": "zig", ".nix": "nix", ".jsonc": "json", ".json5": "json",
}

// codeTypes are media types of code, without "text/", "application/" and "x-", where they differ from the name of the
// language.
var codeTypes = map[string]string{
	"ecmascript": "javascript", "c++src": "c++", "csrc": "c", "chdr": "c", "java-source": "java", "shellscript": "sh",
	"python-script": "python", "script.python": "python", "httpd-php": "php", "yml": "yaml", "patch": "diff",
	"csh": "sh", "rustsrc": "rust", "gosrc": "go", "tex": "latex",
}

// codeOf returns the language of a media type of code, or "". Parameter declared is in lower case.
func codeOf(declared string) string {
	top, name, _ := strings.Cut(declared, "/")
	if top != "text" && top != "application" {
		return ""
	}
	name = strings.TrimPrefix(strings.TrimPrefix(name, "x-"), "vnd.")
	if language := codeTypes[name]; language != "" {
		return language
	}
	for _, language := range codeByName {
		if language == name {
			return name
		}
	}
	return ""
}

// languageByName returns the language of a file with this name, or "".
func languageByName(urlPath string) string {
	if base := path.Base(urlPath); base == "Dockerfile" || base == "Makefile" {
		return strings.ToLower(strings.TrimSuffix(base, "file"))
	}
	return codeByName[strings.ToLower(path.Ext(urlPath))]
}

// readCode returns the reader of a text that is kept as it is written: all of it is one listing, and white space at
// the beginning of a line counts.
func readCode(language string) func(page) extract.Document {
	return func(p page) extract.Document {
		text, charset := decode(p.body, p.contentType, false)
		return listing(string(text), language, charset)
	}
}

func listing(text, language, charset string) extract.Document {
	doc := extract.Document{Charset: charset, Exact: true}
	if text = blocks.TrimCode(newlines.Replace(text)); strings.TrimSpace(text) != "" {
		doc.Blocks = []extract.Block{{Kind: extract.Code, Language: language, Text: text}}
	}
	doc.Text = extract.Join(doc.Blocks)
	doc.VisibleText = joinLines(doc.Blocks)
	return doc
}

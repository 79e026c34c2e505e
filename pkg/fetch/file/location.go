package file

import (
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/percent"
	"github.com/tidemark/tidemark/pkg/identity/source"
)

// Kind is the kind of store that holds a file. It is also the scheme of [Location.Source].
type Kind string

// The kinds of A3.
const (
	Local Kind = "file"
	Blob  Kind = "blob"
	Share Kind = "share"
)

// Location is the location of a file: on this machine, in a blob container or in a file share. Callers must make
// Locations with [Parse], and may compare them with ==. Two locations are the same source exactly if their
// [Location.Normalized] is equal.
type Location struct {
	kind    Kind
	windows bool
	// service is the address of the blob or file service, "https://acct.blob.core.windows.net" or
	// "http://127.0.0.1:10000/devstoreaccount1". account is the name of the account.
	service, account string
	container        string // the container, or the share
	// name is what to open: the path with forward slashes, or the name in the container.
	name string
}

// Parse reads a path, or the address of a blob or of a file in a share (A3). Paths must be absolute; Windows paths
// begin with a drive. The text alone shows which kind of path it is, on every machine. The address of a whole
// container is a location for [Client.List]. The error is Invalid, with the field "path". It repeats neither query
// nor userinfo.
//
//	/data//docs/a.pdf/                        /data/docs/a.pdf
//	C:\Docs\A.pdf                             c:/docs/a.pdf
//	http://ACCT.blob.core.windows.net/c/a b?sv=…&sig=…   https://acct.blob.core.windows.net/c/a%20b
//	http://127.0.0.1:10000/devstoreaccount1/c/a   unchanged
//
// Dot segments are refused, because programs resolve them in different ways.
func Parse(raw string) (Location, error) {
	switch {
	case len(raw) > source.MaxRaw:
		return Location{}, invalid("%d bytes: want at most %d", len(raw), source.MaxRaw)
	case !utf8.ValidString(raw):
		return Location{}, invalid("the path is not UTF-8, so it cannot be stored")
	case strings.ContainsFunc(raw, unicode.IsControl):
		return Location{}, invalid("the path holds control characters")
	}
	p, err := parse(raw)
	if err == nil && len(p.Normalized()) > source.MaxNormalized {
		err = invalid("the path is longer than %d bytes", source.MaxNormalized)
	}
	if err != nil {
		return Location{}, err
	}
	return p, nil
}

func invalid(format string, args ...any) error { return fault.Field("path", format, args...) }

func parse(raw string) (Location, error) {
	switch {
	case hasPrefixFold(raw, "http://"), hasPrefixFold(raw, "https://"):
		return parseAddress(raw)
	case strings.HasPrefix(raw, "/"):
		return parsePOSIX(raw)
	case len(raw) >= 3 && isLetter(raw[0]) && raw[1] == ':' && (raw[2] == '\\' || raw[2] == '/'):
		return parseWindows(raw)
	case strings.HasPrefix(raw, `\\`):
		return Location{}, invalid("network and device paths cannot be read: name a share by its https address")
	}
	return Location{}, invalid("want an absolute path, or the https address of a blob or of a file in a share")
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// segments returns the parts of a path between slashes, without empty ones. A path means the same file without its
// empty segments. Without its dot segments it might mean another file, so dot segments are an error.
func segments(path string) ([]string, error) {
	out := strings.FieldsFunc(path, func(c rune) bool { return c == '/' })
	for _, s := range out {
		if s == "." || s == ".." {
			return nil, invalid("the path has a . or .. segment")
		}
	}
	return out, nil
}

func parsePOSIX(raw string) (Location, error) {
	parts, err := segments(raw)
	if err == nil && len(parts) == 0 {
		err = invalid("the path names a folder")
	}
	return Location{kind: Local, name: "/" + strings.Join(parts, "/")}, err
}

// Sources returns the one or two sources that a text may refer to. The address of a blob is also the address of a
// page. In that case the source for the page comes first. If the text refers to no source, the error is that of
// parsing the text as a URL.
func Sources(raw string, rules source.Rules) ([]source.Source, error) {
	var out []source.Source
	page, err := rules.ParseURL(raw)
	if err == nil {
		out = append(out, page)
	}
	if place, notFile := Parse(raw); notFile == nil {
		return append(out, place.Source()), nil
	}
	return out, err
}

// Kind returns the kind of store.
func (p Location) Kind() Kind { return p.kind }

// Whole reports whether the location is a whole container.
func (p Location) Whole() bool { return p.kind == Blob && p.name == "" }

// String returns the location in a form that [Parse] reads back exactly. Files that have the same identity may be
// distinct in their store, so String keeps what Normalized drops: repeated slashes in the name of a blob, and the
// case of a Windows path.
func (p Location) String() string { return p.text(p.name, escape) }

// Normalized returns the identity (A3), of at most source.MaxNormalized bytes.
func (p Location) Normalized() string {
	switch {
	case p.windows:
		return strings.ToLower(p.name)
	case p.kind == Blob:
		return p.text(p.posix(), escape)
	}
	return p.String()
}

// posix returns the POSIX path of the location below its container, share or machine, without a slash at either end.
// The path is a part of the result of Normalized. For a whole container it is empty.
func (p Location) posix() string {
	path := strings.Join(strings.FieldsFunc(p.name, func(c rune) bool { return c == '/' }), "/")
	if p.windows {
		path = strings.ToLower(path)
	}
	return path
}

// Name returns the name of the file for the names of its chunks (spec 002 §2, §4.1): the namespace, and the POSIX path
// in it. A container or share is a namespace of its own, "blob:account:container". A local file has no namespace
// (""). Its path begins below the given folder, or at the root of the machine if the file is elsewhere.
func (p Location) Name(folder string) (namespace, path string) {
	if p.kind != Local {
		return p.namespace(), p.posix()
	}
	path = p.name
	if folder != "" {
		if rest, ok := below(rootPath(folder), path, p.windows); ok {
			path = rest
		}
	}
	if p.windows {
		path = strings.ToLower(path)
	}
	return "", path
}

// texts are the endings of the names of texts. They follow typeByName of package web, which tells the kinds of texts
// apart; here, the most common ones are enough.
var texts = []string{".htm", ".html", ".xhtml", ".xml", ".txt", ".text", ".log", ".md", ".markdown", ".rst", ".adoc",
	".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".yaml", ".yml", ".tex", ".ics", ".eml", ".srt", ".vtt"}

// typeOf returns the type of the file: the declared one or, if none is declared, a text if the name is that of a text.
// Stores declare application/octet-stream for files that were uploaded without a type.
func (p Location) typeOf(i Info) string {
	kind, _, _ := strings.Cut(strings.ToLower(i.ContentType), ";")
	if kind = strings.TrimSpace(kind); kind != "" && kind != "application/octet-stream" {
		return kind
	}
	if slices.Contains(texts, strings.ToLower(path.Ext(p.name))) {
		return "text/plain"
	}
	return ""
}

// namespace returns the name of the container, with the address of the service if that is not the usual one of the
// account. The names of accounts and containers have no colon, so no two containers have the same namespace.
func (p Location) namespace() string {
	account := p.account
	if p.service != "https://"+account+"."+serviceOf[p.kind]+"."+clouds[0] {
		account += "@" + strings.ReplaceAll(strings.TrimPrefix(p.service, "https://"), ":", "+")
	}
	return string(p.kind) + ":" + account + ":" + p.container
}

// text builds the text of a location with the given name.
func (p Location) text(name string, escape func(string) string) string {
	switch {
	case p.kind == Local:
		return name
	case p.Whole():
		return p.service + "/" + p.container
	}
	return p.service + "/" + p.container + "/" + escape(name)
}

// IsHost reports whether a source with the given host is a file rather than a page.
func IsHost(host string) bool {
	kind, _, _ := strings.Cut(host, ":")
	switch Kind(kind) {
	case Local, Blob, Share:
		return strings.Count(host, ":") == 2 || host == localHost
	}
	return false
}

const localHost = string(Local) + ":local"

// Source returns the location as a source for the registry. Its Host, and therefore its partition, is the container
// or share. No URL has such a host.
func (p Location) Source() source.Source {
	host := localHost
	if p.kind != Local {
		host = string(p.kind) + ":" + p.account + ":" + p.container
	}
	return source.Source{
		Type: source.File, Normalized: p.Normalized(), Display: p.text(p.name, readable),
		Host: host, Scheme: string(p.kind),
	}
}

// url returns the address of a blob or file, for checks that need a URL.
func (p Location) url() *url.URL {
	u, _ := url.Parse(p.String()) // cannot fail: Parse has accepted the address
	return u
}

// escape writes a name for use in an address. It keeps the characters that RFC 3986 §3.3 allows in a path, and writes
// all others as upper-case escapes.
func escape(name string) string { return escapeBut(name, func(rune) bool { return false }) }

// readable is like [escape], but keeps letters and signs of all languages, for display.
func readable(name string) string {
	return escapeBut(name, func(r rune) bool { return r >= utf8.RuneSelf && unicode.IsPrint(r) })
}

func escapeBut(name string, keep func(rune) bool) string {
	var b strings.Builder
	for i, r := range name {
		if keep(r) || r < utf8.RuneSelf && strings.ContainsRune(percent.Unreserved+"!$&'()*+,;=:@/", r) {
			b.WriteRune(r)
			continue
		}
		for _, c := range []byte(name[i : i+utf8.RuneLen(r)]) {
			percent.Write(&b, c)
		}
	}
	return b.String()
}

// parseWindows reads a path with a drive. On Windows, some names that look like paths open something other than a
// file, or a file with another name. Such names are refused on every machine ("Naming Files, Paths, and Namespaces",
// Microsoft).
func parseWindows(raw string) (Location, error) {
	parts, err := segments(strings.ReplaceAll(raw[2:], `\`, "/"))
	if err != nil {
		return Location{}, err
	}
	if len(parts) == 0 {
		return Location{}, invalid("the path names a drive")
	}
	for _, s := range parts {
		switch {
		case strings.ContainsAny(s, `<>:"|?*`):
			return Location{}, invalid(`the path holds one of < > : " | ? *, which no name in Windows has`)
		case strings.HasSuffix(s, ".") || strings.HasSuffix(s, " "):
			return Location{}, invalid("a segment of the path ends in a dot or a space, which Windows passes over")
		case isDevice(s):
			return Location{}, invalid("the path names a device")
		}
	}
	return Location{kind: Local, windows: true, name: strings.ToUpper(raw[:1]) + ":/" + strings.Join(parts, "/")}, nil
}

// isDevice reports whether a name is a device in every folder, whatever its extension.
func isDevice(segment string) bool {
	base, _, _ := strings.Cut(strings.ToUpper(strings.ToLower(segment)), ".")
	base = strings.TrimRight(base, " ")
	if slices.Contains([]string{"CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$", "CLOCK$"}, base) {
		return true
	}
	number, ok := strings.CutPrefix(base, "COM")
	if !ok {
		number, ok = strings.CutPrefix(base, "LPT")
	}
	return ok && slices.Contains([]string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "¹", "²", "³"}, number)
}

package source

import (
	neturl "net/url"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/nlnwa/whatwg-url/errors"
	"github.com/nlnwa/whatwg-url/url"
	"golang.org/x/net/idna"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/percent"
)

// The limits on input, in bytes.
const (
	// MaxRaw bounds the length of a URL as it was typed or found, and of a [FetchForm]. It leaves room for trackers
	// and signatures that are dropped later.
	MaxRaw = 8192
	// MaxNormalized bounds the length of [Source.Normalized]. Longer URLs are refused, because few pages need them,
	// but crawler traps use them. The bound keeps an item's row within Azure's limits.
	MaxNormalized = 2048
	// maxAuthority bounds the total length of host and credentials, if there are credentials. The time to parse them
	// grows with the square of their length.
	maxAuthority = 1024
	// maxHost is the length of the longest name that is possible in DNS, plus a dot after it (RFC 1035 §2.3.4).
	maxHost = 254
)

// edge is the only parser for text from outside. It follows the WHATWG URL standard, because authors test their links
// with browsers.
var edge = url.NewParser(url.WithPreParseHostFunc(screenHost))

// parse parses an http or https URL. For an absolute URL, the argument base is empty.
func parse(base, raw string) (p parts, err error) {
	if len(base) > MaxRaw || len(raw) > MaxRaw {
		return p, tooLong(MaxRaw)
	}
	if longAuthority(base) || longAuthority(raw) {
		return p, refuse("too long: host and credentials are more than %d bytes", maxAuthority)
	}
	p, ok := plain(base, raw)
	if !ok {
		p, err = parseByStandard(base, raw)
	}
	if err == nil {
		err = check(p)
	}
	return p, err
}

// parseByStandard is parse for any address within the limits.
func parseByStandard(base, raw string) (p parts, err error) {
	var u *url.Url
	if base == "" {
		u, err = edge.Parse(asText(raw))
	} else {
		u, err = edge.ParseRef(asText(base), asText(raw))
	}
	if err != nil {
		return p, refusal(err)
	}
	u.SetHostname(withoutRoot(u.Hostname()))
	return parts{u.Scheme(), u.Hostname(), u.Port(), u.Pathname(), u.Query()}, nil
}

// withoutRoot removes the dot that ends a fully qualified DNS name. "localhost." and "localhost" are the same host,
// and servers and certificates use the name without the dot. A valid name cannot end in two dots, so two dots are
// kept.
func withoutRoot(host string) string {
	name, rooted := strings.CutSuffix(host, ".")
	if !rooted || name == "" || strings.HasSuffix(name, ".") {
		return host
	}
	return name
}

// longAuthority reports whether the URL has credentials and the authority is longer than [maxAuthority]. It splits
// the text at the delimiters. The credentials can only be in the first or second piece, such as "https:" and
// "user:password@host".
func longAuthority(raw string) bool {
	if len(raw) <= maxAuthority {
		return false
	}
	stretches := 0
	for text := range strings.FieldsFuncSeq(raw, func(r rune) bool { return strings.ContainsRune(`/\?#`, r) }) {
		if len(text) > maxAuthority && strings.Contains(text, "@") {
			return true
		}
		if stretches++; stretches == 2 {
			break
		}
	}
	return false
}

// check returns an error for a URL that can be parsed but not crawled.
func check(p parts) error {
	host := p.hostname
	switch {
	case p.scheme != "http" && p.scheme != "https":
		return refuse("scheme is neither http nor https")
	case host == "":
		return noHost() // Unreachable today: the parser requires a host for these schemes.
	case len(host) > maxHost:
		return refuse("host is too long: more than %d bytes", maxHost)
	case strings.Trim(host, sendable) != "":
		return refuse("host has a character that cannot be requested")
	}
	return nil
}

// sendable contains the bytes that net/url and net/http accept in a host. The URL standard allows a few more, such as
// braces, and DNS allows far fewer.
const sendable = "abcdefghijklmnopqrstuvwxyz0123456789-._~!$&'()*+,;=[]:"

// asText escapes bytes that are not UTF-8. Location headers and old pages contain Latin-1. If each of its bytes were
// read as U+FFFD, different URLs would be merged. In a host such bytes are refused.
func asText(raw string) string {
	if utf8.ValidString(raw) {
		return raw
	}
	var b strings.Builder
	for i := 0; i < len(raw); {
		r, size := utf8.DecodeRuneInString(raw[i:])
		if r == utf8.RuneError && size == 1 {
			percent.Write(&b, raw[i])
		} else {
			b.WriteString(raw[i : i+size])
		}
		i += size
	}
	return b.String()
}

// number matches a host whose last label is an IPv4 number, with or without a sign. The standard does not accept a
// number with a sign.
var number = regexp.MustCompile(`(^|\.)(0?[+-]?[0-9]+|0x[+-]?[0-9a-f]*)\.?$`)

// mapping converts a host to the form in which the parser reads it: UTS #46 without the checks.
var mapping = idna.New(idna.MapForLookup(), idna.StrictDomainName(false), idna.CheckHyphens(false))

// unparsable is a host that every parser refuses.
const unparsable = "%"

// screenHost replaces two kinds of host by unparsable. The parser accepts both in violation of the standard:
// addresses with a sign (the parser reads "0+1" as 0.0.0.1), and hosts in doubled brackets, which the parser trims.
func screenHost(_ *url.Url, host string) string {
	if strings.HasPrefix(host, "[[") || strings.HasSuffix(host, "]]") {
		return unparsable
	}
	plain, _ := neturl.PathUnescape(host)
	plain, _ = mapping.ToASCII(plain)
	if strings.ContainsAny(plain, "+-") && number.MatchString(plain) {
		return unparsable
	}
	return host
}

// refusal turns the parser's error into a reason for the user. The parser's own text must not be passed on, because
// it repeats the URL, with any secrets in it.
func refusal(err error) error {
	switch kind := errors.Type(err); kind {
	case errors.HostMissing:
		return noHost()
	case errors.MissingSchemeNonRelativeURL:
		return refuse("no scheme: it must begin with http:// or https://")
	case errors.PortInvalid, errors.PortOutOfRange:
		return refuse("port is not a number from 0 to 65535")
	case errors.InvalidCredentials:
		return refuse("no host after the credentials")
	default:
		return refuse("unparsable host: %s", strings.ToLower(string(kind)))
	}
}

func noHost() error { return refuse("no host") }

func tooLong(limit int) error { return refuse("too long: more than %d bytes", limit) }

// refuse returns the error for a refused URL. The error never quotes the URL.
func refuse(format string, args ...any) error {
	return fault.Field("url", "url: "+format, args...)
}

// Package warc writes captures as WARC 1.1 (ISO 28500:2017) that public readers accept. Its output is reproducible
// byte for byte, and its memory does not grow with the bodies.
//
//	warcinfo   what wrote the file, and why        [Writer.Info]
//	response   a capture with its body             [Writer.Response]
//	revisit    a check that found it unchanged     [Writer.Revisit]
//
// # What a record says
//
// Bodies are given as decoded from the wire, so a reader must not decode them again. Content-Encoding and
// Transfer-Encoding therefore keep their values under names that begin with X-Archive-Orig-, as replay tools expect.
// So does Content-Length, in addition to a correct one. The status line says HTTP/1.1 regardless of the protocol,
// because no reader knows a later one as text.
//
// Digests are sha256 in lower-case hexadecimal, the spelling that the community's annotations to §5.8 ask for. So a
// payload digest is the same text that identifies the capture here.
//
// A record's id is a UUID of version 8 (RFC 9562 §5.8) made from the rest of its header, digests included: records
// with the same id have the same bytes.
//
// Values that cannot be written safely are refused before the first byte of their record, so the file stays whole and
// the caller may continue with the next record. Line breaks and control characters in a URI, a name or a value are
// Invalid; a value that exceeds a bound below is TooLarge. Printable characters of a URI that RFC 3986 does not
// allow, which browsers send unchanged, are percent-encoded.
//
// # Alternatives considered
//
// Older crawlers write SHA-1 in base32. But the bodies come from unknown hosts, replay finds a revisit's payload by
// its digest, and it is possible to make two bodies with the same SHA-1. Every reader that was tried accepts SHA-256.
//
// Without the headers of the wire form, the records would be just as readable. Renamed, they still show what the site
// sent.
//
// WARC-Warcinfo-ID is omitted: with it, the same capture would have other bytes in another file.
//
// Libraries that write WARC depend on an HTTP client or hundreds of modules.
package warc

// Bounds on input from unknown hosts. Bodies were bounded when they were fetched.
const (
	// MaxURI is in bytes, before encoding.
	MaxURI = 8 << 10
	// MaxHeader is in bytes: of all names and values of a response, or of a warcinfo record.
	MaxHeader = 256 << 10
)

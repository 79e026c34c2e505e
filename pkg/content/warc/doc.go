// Package warc writes captures as WARC 1.1 (ISO 28500:2017) that public readers accept, byte for
// byte the same each time, in memory that does not grow with the bodies.
//
//	warcinfo   what wrote the file, and why        [Writer.Info]
//	response   a capture with its body             [Writer.Response]
//	revisit    a check that found it unchanged     [Writer.Revisit]
//
// # What a record says
//
// Bodies are given as decoded from the wire, so a reader must not be told to decode them again:
// Content-Encoding and Transfer-Encoding keep their values under names that begin with
// X-Archive-Orig-, as replay tools have it, and so does Content-Length, beside one that is right.
// The status line says HTTP/1.1 whatever was spoken, since no reader knows a later form as text.
//
// Digests are sha256 in lower-case hexadecimal, the spelling that the community's annotations to
// §5.8 ask for. A payload digest is thus the text by which a capture is known here.
//
// A record's id is a UUID of version 8 (RFC 9562 §5.8) made from all else that its header says,
// digests included: records with the same id have the same bytes.
//
// What cannot be written safely is refused before the first byte of its record, so the file stays
// whole and the caller may go on with the next: line breaks and control characters in a URI, a
// name or a value are Invalid, and what exceeds a bound below is TooLarge. Printable characters of a URI
// that RFC 3986 does not know, which browsers send as they are, are percent-encoded.
//
// # Alternatives considered
//
// SHA-1 in base32 is what older crawlers write. The bodies come from unknown hosts, replay finds a
// revisit's payload by its digest, and two bodies with one SHA-1 can be made; every reader that was
// tried takes SHA-256.
//
// Dropping the headers of the wire form would read as well. Renamed, they still tell what the
// site sent.
//
// WARC-Warcinfo-ID is left out: with it, the same capture would be other bytes in another file.
//
// Libraries that write WARC bring an HTTP client or hundreds of modules with them.
package warc

// Bounds on what unknown hosts choose. Bodies were bounded when they were fetched.
const (
	// MaxURI is in bytes, before encoding.
	MaxURI = 8 << 10
	// MaxHeader is in bytes: of all names and values of a response, or of a warcinfo record.
	MaxHeader = 256 << 10
)

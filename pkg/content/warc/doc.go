// Package warc writes captures as WARC 1.1 (ISO 28500:2017) that public readers accept. Its output is reproducible
// byte for byte. Its use of memory does not grow with the bodies.
//
//	warcinfo   what wrote the file, and why              [Writer.Info]
//	response   a capture with its body                   [Writer.Response]
//	conversion a page as a browser showed it             [Writer.Conversion]
//	revisit    a check that found the content unchanged  [Writer.Revisit]
//
// # Contents of a record
//
// A body is written without the encodings of the wire, so a reader must not decode it again. Therefore the values of
// Content-Encoding and Transfer-Encoding are written under names that begin with X-Archive-Orig-, as replay tools
// expect. The original Content-Length is written in the same way, in addition to a correct one. The status line says
// HTTP/1.1 for every protocol, because later versions have no text form that readers know.
//
// Digests are sha256 in lower-case hexadecimal, the spelling that the community's annotations to §5.8 ask for. So a
// payload digest is the same text that identifies the capture in Tidemark.
//
// A record's id is a UUID of version 8 (RFC 9562 §5.8). It is made from the rest of the record's header, including
// the digests, so records with the same id have the same bytes.
//
// Values that cannot be written safely are refused before the first byte of their record. The file then stays whole,
// and the caller may continue with the next record. Line breaks and control characters in a URI, a name or a value
// are Invalid. A value that exceeds a bound below is TooLarge. Some printable characters are not allowed in a URI by
// RFC 3986, but browsers send them unchanged. They are percent-encoded.
//
// # Alternatives considered
//
// Older crawlers write SHA-1 in base32. But the bodies come from unknown hosts, replay finds a revisit's payload by
// its digest, and it is possible to make two bodies with the same SHA-1. Every reader that was tried accepts SHA-256.
//
// The records would be just as readable without the original values of the renamed headers. They are kept because
// they show what the site sent.
//
// WARC-Warcinfo-ID is omitted. With this field, the bytes of a capture would differ from file to file.
//
// Libraries that write WARC depend on an HTTP client or hundreds of modules.
package warc

// Bounds on input from unknown hosts. Bodies need no bound here, because they were bounded when they were fetched.
const (
	// maxURI is the largest length of a URI before percent-encoding, in bytes.
	maxURI = 8 << 10
	// maxHeader is the largest size of all names and values of a response, or of a warcinfo record, in bytes.
	maxHeader = 256 << 10
)

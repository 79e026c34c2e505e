package fetch

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// decoders contains a decoder for each content coding (RFC 9110 §8.4.1, RFC 7932, RFC 8878).
var decoders = map[string]func([]byte, limit) ([]byte, error){
	"gzip":    gunzip,
	"x-gzip":  gunzip,
	"deflate": inflate,
	"br":      unbrotli,
	"zstd":    unzstd,

	"brotli": unbrotli, "x-br": unbrotli, "zlib": inflate, "x-deflate": inflate, "x-zstd": unzstd, // no names, but sent
}

// Unpack removes the content codings of a file in a store, as those of a web answer are removed. The encoding is the
// declared one, and the type is that of the content. The limit in bytes applies to the result of each coding. If the
// bytes have a coding that is not known, Unpack returns them as they are, with the names of the codings. Errors:
// TooLarge; Unavailable for a broken body.
func Unpack(body []byte, encoding, contentType string, most int64) (plain []byte, left string, err error) {
	return unpack(body, []string{encoding}, contentType, limit{bytes: most})
}

// unpack removes the declared codings, and the gzip coding of a text that is not declared.
func unpack(body []byte, encodings []string, contentType string, l limit) (plain []byte, left string, err error) {
	plain, left, err = decode(body, encodings, l)
	if err == nil && claimsText(contentType) {
		plain, left, err = unforgotten(plain, left, l)
	}
	return plain, left, err
}

// decode removes the content codings that a response declares, the last one first. Servers declare codings that nobody
// knows, or that they have not applied. So an unknown coding is ignored where the body without it is plain ([isPlain]),
// as browsers do. Otherwise decode returns the body as received, and the names of the codings. The limit applies to the
// result of each coding.
func decode(body []byte, header []string, l limit) (decoded []byte, encoding string, err error) {
	var names, known []string
	for name := range strings.SplitSeq(strings.ToLower(strings.Join(header, ",")), ",") {
		name, _, _ = strings.Cut(name, ";") // a coding has no parameters (RFC 9110 §8.4.1); Accept-Encoding has
		for name := range strings.FieldsSeq(name) {
			if name = strings.Trim(name, `"'`); name == "" || name == "identity" {
				continue
			}
			names = append(names, name)
			if decoders[name] != nil {
				known = append(known, name)
			}
		}
	}
	if len(known) > maxLayers {
		return nil, "", fault.New(fault.TooLarge, "%d layers of content encoding: want at most %d", len(known), maxLayers)
	}
	decoded = body
	for _, name := range slices.Backward(known) {
		if len(decoded) == 0 {
			break
		}
		if decoded, err = undo(name, decoded, l); err != nil {
			return nil, "", err
		}
	}
	if len(known) < len(names) && !isPlain(decoded) {
		return body, strings.Join(names, ", "), nil
	}
	return decoded, "", nil
}

// undo decodes one content coding. A body that begins as another coding is decoded as that one, and a body that is
// plain is returned as it is. A missing end of the stream is an error unless the fetcher itself cut the body.
func undo(name string, body []byte, l limit) ([]byte, error) {
	switch {
	case isGzip(body):
		name = "gzip"
	case isZstd(body):
		name = "zstd"
	}
	out, err := decoders[name](body, l)
	switch {
	case err == nil || l.short && len(out) > 0:
		return out, nil
	case fault.Is(err, fault.TooLarge), errors.Is(err, zstd.ErrDecoderSizeExceeded),
		errors.Is(err, zstd.ErrWindowSizeExceeded):
		return nil, fault.New(fault.TooLarge, "%s: %w", name, err)
	case fault.Is(err, fault.Unavailable): // an error of Request.Large
		return nil, err
	case isPlain(body):
		return body, nil
	default:
		return nil, fault.New(fault.Unavailable, "broken %s body: %w", name, err)
	}
}

// claimsText reports whether a Content-Type, however misspelt, is that of a text.
func claimsText(contentType string) bool {
	contentType = strings.ToLower(contentType)
	return slices.ContainsFunc([]string{"text", "html", "xml", "json", "javascript"}, func(name string) bool {
		return strings.Contains(contentType, name)
	})
}

// unforgotten decodes the gzip coding of a text that a server sends without declaring it, or as a coding that is not
// known. If the body is no gzip, if it is no text or broken, or if the result is larger than the limit, unforgotten
// returns the body and the codings that are left. The only errors are those of Request.Large.
func unforgotten(body []byte, left string, l limit) ([]byte, string, error) {
	if !isGzip(body) {
		return body, left, nil
	}
	out, err := gunzip(body, l)
	switch {
	case fault.Is(err, fault.Unavailable):
		return nil, "", err
	case err != nil && !(l.short && len(out) > 0), !isPlain(out):
		return body, left, nil
	}
	return out, "", nil
}

// isPlain reports whether a body is text, or a file whose first bytes name a type, so that no coding was applied to it.
// Short text counts only if it is ASCII, because the beginning of a compressed body may look like text.
func isPlain(body []byte) bool {
	const short = 64
	kind := http.DetectContentType(body)
	if kind == "application/octet-stream" || kind == "application/x-gzip" {
		return false
	}
	if strings.HasPrefix(kind, "text/plain") && len(body) < short {
		return len(body) >= 8 && !slices.ContainsFunc(body, func(c byte) bool { return c >= 0x80 })
	}
	return true
}

// gunzip decodes all members of a stream. Like browsers, it ignores data after the last member.
func gunzip(body []byte, l limit) ([]byte, error) {
	in := bytes.NewReader(body)
	r, err := gzip.NewReader(in)
	if err != nil {
		return nil, err
	}
	return l.read(&members{in: in, rest: body, r: r}, 0)
}

const gzipMagic = "\x1f\x8b"

func isGzip(b []byte) bool { return bytes.HasPrefix(b, []byte(gzipMagic)) }

// members reads the members of a gzip stream in sequence.
type members struct {
	in   *bytes.Reader // a ByteReader, so that gzip reads no byte beyond the end of a member
	rest []byte        // the whole stream
	r    *gzip.Reader
	open bool // whether r stops at the end of its member
}

func (m *members) Read(p []byte) (int, error) {
	if !m.open {
		m.r.Multistream(false)
		m.open = true
	}
	n, err := m.r.Read(p)
	if err == io.EOF && isGzip(m.rest[len(m.rest)-m.in.Len():]) {
		m.open = false
		err = m.r.Reset(m.in)
	}
	return n, err
}

// inflate decodes "deflate" in both of its forms: zlib, as the standard requires, and raw deflate, as some servers
// send it.
func inflate(body []byte, l limit) ([]byte, error) {
	if r, err := zlib.NewReader(bytes.NewReader(body)); err == nil {
		out, err := l.read(r, 0)
		if err == nil || len(out) > 0 || fault.Is(err, fault.TooLarge) {
			return out, err
		}
	}
	return l.read(flate.NewReader(bytes.NewReader(body)), 0)
}

func unbrotli(body []byte, l limit) ([]byte, error) {
	return l.read(brotli.NewReader(bytes.NewReader(body)), 0)
}

// maxWindow is the largest window that RFC 9659 §3 allows for a zstd content coding.
const maxWindow = 8 << 20

// unzstd decodes all frames.
func unzstd(body []byte, l limit) ([]byte, error) {
	// One goroutine needs no more memory than the window and the limit.
	r, err := zstd.NewReader(bytes.NewReader(body), zstd.WithDecoderConcurrency(1),
		zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return l.read(r, 0)
}

const zstdMagic = "\x28\xB5\x2F\xFD"

// isZstd reports whether b begins with the magic number of a frame or a skippable frame (RFC 8878 §3.1).
func isZstd(b []byte) bool {
	return len(b) >= 4 && (bytes.HasPrefix(b, []byte(zstdMagic)) ||
		b[0]&0xF0 == 0x50 && bytes.Equal(b[1:4], []byte{0x2A, 0x4D, 0x18}))
}

package warc

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"slices"
	"strconv"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// Writer writes records one after the other. It is not safe for concurrent use. If the output fails, or if a body
// changed between the two times that it is read, the file ends in an incomplete record, and all later calls fail.
// Other errors leave the file unchanged.
type Writer struct {
	out io.Writer
	zip *gzip.Writer // nil if the records are not compressed
	err error
}

// NewWriter returns a writer to the output, which the caller must flush and close. Each record is complete when the
// call that writes it returns.
//
// If zip is true, each record is a gzip member of its own (Annex D.2), so that a reader can start at any record. In
// that case, the same records give the same bytes only in programs of the same Go release.
func NewWriter(out io.Writer, zip bool) *Writer {
	w := &Writer{out: out}
	if zip {
		w.zip = gzip.NewWriter(out)
	}
	return w
}

// block is the part of a record after its header: a head in memory, then a body.
type block struct {
	head []byte
	body io.ReadSeeker // nil if there is no body
	size int64         // size of the body, in bytes
}

// newBlock returns a block with this body and without a head. It measures the size of the body.
func newBlock(body io.ReadSeeker) (block, error) {
	if body == nil {
		return block{}, nil
	}
	size, err := body.Seek(0, io.SeekEnd)
	return block{body: body, size: size}, err
}

func (b block) length() int64 { return int64(len(b.head)) + b.size }

// copyBody copies the body from its start, up to the measured size.
func (b block) copyBody(to io.Writer) error {
	if b.body == nil {
		return nil
	}
	if _, err := b.body.Seek(0, io.SeekStart); err != nil {
		return err
	}
	n, err := io.CopyN(to, b.body, b.size)
	if err == io.EOF {
		return fault.New(fault.Internal, "body of %d bytes ended after %d", b.size, n)
	}
	return err
}

// digests returns the digests of the body and of the whole block.
func (b block) digests() (payload, whole string, err error) {
	p, w := sha256.New(), sha256.New()
	w.Write(b.head)
	if err := b.copyBody(io.MultiWriter(p, w)); err != nil {
		return "", "", err
	}
	return digest(p.Sum(nil)), digest(w.Sum(nil)), nil
}

func digest(sum []byte) string { return "sha256:" + hex.EncodeToString(sum) }

// record writes a record with the given header fields and block, and returns the record's id. The digest whole is
// that of the block. record adds the fields that every record needs.
func (w *Writer) record(fields []Field, b block, whole string) (id string, err error) {
	if b.length() > 0 {
		fields = append(fields, Field{"WARC-Block-Digest", whole})
	}
	fields = append(fields, Field{"Content-Length", strconv.FormatInt(b.length(), 10)})
	id = recordID(fields)
	fields = slices.Insert(fields, 1, Field{"WARC-Record-ID", "<" + id + ">"})
	if w.err == nil {
		w.err = w.emit(fields, b, whole)
	}
	return id, w.err
}

func (w *Writer) emit(fields []Field, b block, whole string) error {
	out := w.out
	if w.zip != nil {
		w.zip.Reset(w.out)
		out = w.zip
	}
	var header bytes.Buffer
	header.WriteString("WARC/1.1\r\n")
	writeFields(&header, fields)
	header.WriteString("\r\n")
	if _, err := out.Write(header.Bytes()); err != nil {
		return err
	}
	if err := b.copyChecked(out, whole); err != nil {
		return err
	}
	if _, err := io.WriteString(out, "\r\n\r\n"); err != nil {
		return err
	}
	if w.zip != nil {
		return w.zip.Close()
	}
	return nil
}

// copyChecked writes the block and verifies the digest of the written bytes against whole, the digest in the header.
// The two may differ, because the body is read a second time.
func (b block) copyChecked(out io.Writer, whole string) error {
	sum := sha256.New()
	to := io.MultiWriter(out, sum)
	if _, err := to.Write(b.head); err != nil {
		return err
	}
	if err := b.copyBody(to); err != nil {
		return err
	}
	if digest(sum.Sum(nil)) != whole {
		return fault.New(fault.Internal, "body changed while it was written")
	}
	return nil
}

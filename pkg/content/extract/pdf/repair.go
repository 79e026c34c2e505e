package pdf

import (
	"bytes"
	"errors"
	"regexp"
	"slices"

	pdferrors "github.com/klippa-app/go-pdfium/errors"
)

var (
	object  = regexp.MustCompile(`(?:^|[\r\n])(\d{1,9} \d{1,5}) obj\b`)
	catalog = regexp.MustCompile(`/Type\s*/Catalog\b`)
)

// withTrailer returns a file that could not be opened, because it has lost its end, with a trailer that names the
// catalog. Then PDFium rebuilds the table of objects. It returns nil if no catalog is found, and for an encrypted file.
func withTrailer(body []byte, err error) []byte {
	if err == nil || errors.Is(err, pdferrors.ErrPassword) || errors.Is(err, pdferrors.ErrSecurity) ||
		bytes.Contains(body, []byte("/Encrypt")) {
		return nil
	}
	at := catalog.FindIndex(body)
	if at == nil {
		return nil
	}
	before := object.FindAllSubmatch(body[max(0, at[0]-longestCatalog):at[0]], -1)
	if before == nil {
		return nil
	}
	root := before[len(before)-1][1]
	return slices.Concat(bytes.TrimRight(body, "\x00"), []byte("\ntrailer\n<< /Root "), root,
		[]byte(" R >>\nstartxref\n0\n%%EOF\n"))
}

// longestCatalog is the number of bytes before the type of a catalog in which its object begins.
const longestCatalog = 4 << 10

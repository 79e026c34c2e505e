package warc

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"net/textproto"
	"slices"
	"strconv"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// wireHeaders are the headers that describe the bytes on the wire. The bytes that are written here differ from these.
var wireHeaders = []string{"Content-Encoding", "Content-Length", "Transfer-Encoding"}

const renamed = "X-Archive-Orig-"

// httpHead returns the head of a response with a body of this length. The head always contains a field. If it were
// empty, some readers would search for its end in the next record.
func httpHead(status int, header map[string][]string, length int64) ([]byte, error) {
	if status < 200 || status > 999 {
		return nil, fault.Field("status", "status %d is not that of an answer", status)
	}
	var fields []Field
	for _, name := range slices.Sorted(maps.Keys(header)) {
		key := textproto.CanonicalMIMEHeaderKey(name)
		for _, value := range header[name] {
			if slices.Contains(wireHeaders, key) {
				fields = append(fields, Field{renamed + key, value})
			} else {
				fields = append(fields, Field{name, value})
			}
		}
	}
	fields = append(fields, Field{"Content-Length", strconv.FormatInt(length, 10)})
	if err := checkFields(fields, isHTTPValue); err != nil {
		return nil, err
	}
	var head bytes.Buffer
	fmt.Fprintf(&head, "HTTP/1.1 %d %s\r\n", status, http.StatusText(status))
	writeFields(&head, fields)
	head.WriteString("\r\n")
	return head.Bytes(), nil
}

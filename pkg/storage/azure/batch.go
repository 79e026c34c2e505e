package azure

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/tidemark/tidemark/pkg/storage"
)

// A batch is a multipart document with one part, the changeset. The changeset is a multipart document of HTTP
// requests; it is an entity group transaction. The answer has the same structure, with one response for each request,
// or with a single response for the request that failed.
// https://learn.microsoft.com/rest/api/storageservices/performing-entity-group-transactions

// batchBody encodes the ops of a transaction. The endpoint is the address of the batch itself, …/$batch.
func batchBody(endpoint, table string, ops []storage.Op, token string) (body []byte, contentType string) {
	base := strings.TrimSuffix(strings.TrimSuffix(endpoint, "$batch"), "%24batch") + table
	batch, changeset := "batch_"+rand.Text(), "changeset_"+rand.Text()
	b := make([]byte, 0, 1024*len(ops))
	b = fmt.Appendf(b, "--%s\r\nContent-Type: multipart/mixed; boundary=%s\r\n\r\n", batch, changeset)
	for _, op := range ops {
		b = append(b, "--"+changeset+"\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n"...)
		b = appendRequest(b, base, op, token)
	}
	b = fmt.Appendf(b, "--%s--\r\n--%s--\r\n", changeset, batch)
	return b, "multipart/mixed; boundary=" + batch
}

func appendRequest(b []byte, base string, op storage.Op, token string) []byte {
	method, address := methods[op.Kind], base
	if op.Kind != storage.Insert {
		address = fmt.Sprintf("%s(PartitionKey='%s',RowKey='%s')", base, pathKey(op.Entity.Partition), pathKey(op.Entity.Row))
	}
	b = fmt.Appendf(b, "%s %s HTTP/1.1\r\nAccept: application/json;odata=minimalmetadata\r\nDataServiceVersion: 3.0\r\n",
		method, address)
	switch op.Kind {
	case storage.Insert:
		b = append(b, "Prefer: return-no-content\r\n"...)
	case storage.Replace, storage.Merge, storage.Delete:
		b = append(b, "If-Match: "+string(op.Entity.ETag)+"\r\n"...)
	}
	if op.Kind == storage.Delete {
		return append(b, "\r\n\r\n"...)
	}
	b = append(b, "Content-Type: application/json\r\n\r\n"...)
	b = append(b, encode(op.Entity, token)...)
	return append(b, "\r\n"...)
}

var methods = map[storage.OpKind]string{
	storage.Insert:  http.MethodPost,
	storage.Replace: http.MethodPut,
	storage.Merge:   http.MethodPatch,
	storage.Upsert:  http.MethodPut,
	storage.Delete:  http.MethodDelete,
}

// pathKey encodes a key for an address: quotes are doubled, as OData requires, and then percent-encoded.
func pathKey(key string) string { return url.PathEscape(strings.ReplaceAll(key, "'", "''")) }

// part is a response within the answer to a batch.
type part struct {
	status int
	etag   storage.ETag
	code   string // the error code
	index  int    // index of the op that failed, or -1
}

var errBatch = errors.New("malformed answer to a batch")

// parseBatch parses the responses of a batch. The answer's header may name another boundary than the body uses, so
// parseBatch gets the boundary from the first line of the body.
func parseBatch(body []byte) ([]part, error) {
	changeset, err := multipartOf(body).NextPart()
	if err != nil {
		return nil, errBatch
	}
	inner, err := io.ReadAll(changeset)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, errBatch
	}
	var parts []part
	for responses := multipartOf(inner); ; {
		p, err := responses.NextPart()
		if err == io.EOF || err != nil && len(parts) > 0 {
			// Azurite does not terminate every document. Callers notice by the number of parts that a response is
			// missing.
			return parts, nil
		}
		if err != nil || len(parts) == storage.MaxOps {
			return nil, errBatch
		}
		one, err := parsePart(p)
		if err != nil {
			return nil, err
		}
		parts = append(parts, one)
	}
}

func multipartOf(body []byte) *multipart.Reader {
	body = bytes.TrimLeft(body, "\r\n")
	line, _, _ := bytes.Cut(body, []byte("\n"))
	boundary := strings.TrimPrefix(strings.TrimSpace(string(line)), "--")
	return multipart.NewReader(bytes.NewReader(body), boundary)
}

func parsePart(r io.Reader) (part, error) {
	resp, err := http.ReadResponse(bufio.NewReader(r), nil)
	if err != nil {
		return part{}, errBatch
	}
	defer resp.Body.Close()
	p := part{status: resp.StatusCode, etag: storage.ETag(resp.Header.Get("ETag")), index: -1}
	if p.status < 400 {
		return p, nil
	}
	// The error is ignored, because a truncated body still has a valid status.
	body, _ := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	p.code, p.index = failedOp(body)
	return p, nil
}

// failedOp parses {"odata.error":{"code":"…","message":{"value":"3:…"}}}, where 3 is the op's index.
func failedOp(body []byte) (code string, index int) {
	var doc struct {
		Error struct {
			Code    string `json:"code"`
			Message struct {
				Value string `json:"value"`
			} `json:"message"`
		} `json:"odata.error"`
	}
	if unmarshal(body, &doc) != nil {
		return "", -1
	}
	number, _, ok := strings.Cut(doc.Error.Message.Value, ":")
	n, err := strconv.Atoi(number)
	if !ok || err != nil || n < 0 || n >= storage.MaxOps {
		n = -1
	}
	return doc.Error.Code, n
}

const (
	// tryTimeout limits the time until the answer to a try begins. A try that is never answered must leave time for
	// other tries within [callTimeout].
	tryTimeout = 8 * time.Second
	// slowest is the lowest rate, in bytes per second, at which a body may be sent. The time for sending a body at
	// this rate is added to tryTimeout.
	slowest = 256 << 10
)

// attemptPolicy is applied to each attempt to send a request.
type attemptPolicy struct{ timeout time.Duration }

// Do implements [policy.Policy]. When it returns an error, the SDK retries the request if that makes sense.
func (p attemptPolicy) Do(req *policy.Request) (*http.Response, error) {
	c := callOf(req.Raw().Context())
	if c != nil {
		c.attempts.Add(1)
	}
	resp, err := inTime(req, p.allowed(req.Raw().ContentLength))
	if err == nil && c != nil && c.batch {
		showRefusal(resp)
	}
	return resp, err
}

// allowed returns the time that a try may take with a body of the given size.
func (p attemptPolicy) allowed(bytes int64) time.Duration {
	return p.timeout + time.Duration(max(bytes, 0))*time.Second/slowest
}

var errNoAnswer = errors.New("no answer in time")

// inTime sends a request and gives up if no answer arrives within the limit. If the SDK itself reads the body of the
// answer, the limit includes the reading. The body of a blob is read later and may take longer. This is why the SDK's
// own limit for a try is not used.
func inTime(req *policy.Request, limit time.Duration) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(req.Raw().Context())
	timer := time.AfterFunc(limit, func() { cancel(errNoAnswer) })
	resp, err := req.Clone(ctx).Next()
	if timer.Stop() || err == nil {
		return resp, err
	}
	return nil, errNoAnswer
}

// showRefusal changes an answer with status 202 whose body says that the service is busy or has failed. The answer
// gets the status of the failure. So the SDK retries the request as after any other failure, and the final error is
// the same.
func showRefusal(resp *http.Response) {
	body, err := runtime.Payload(resp)
	if err != nil || resp.StatusCode >= 400 {
		return
	}
	parts, _ := parseBatch(body) // unreadable parts are reported later
	for _, p := range parts {
		if p.status >= 500 || p.status == http.StatusTooManyRequests || p.status == http.StatusRequestTimeout {
			resp.StatusCode, resp.Status = p.status, http.StatusText(p.status)
			resp.Header.Set("x-ms-error-code", p.code)
			return
		}
	}
}

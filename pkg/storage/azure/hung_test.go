package azure_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/local/azurite/azuritetest"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/azure"
)

// front is a proxy for one service of Azurite that corrupts some of the answers.
type front struct {
	mu    sync.Mutex
	spoil []func(forward http.Handler, w http.ResponseWriter, r *http.Request) // handlers for the next requests
	seen  int
	base  http.Handler
}

func (f *front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	f.seen++
	var do func(http.Handler, http.ResponseWriter, *http.Request)
	if len(f.spoil) > 0 {
		do, f.spoil = f.spoil[0], f.spoil[1:]
	}
	f.mu.Unlock()
	if do == nil {
		f.base.ServeHTTP(w, r)
		return
	}
	do(f.base, w, r)
}

// spoiled sets the handlers of the next requests and drops those set before.
func (f *front) spoiled(how ...func(http.Handler, http.ResponseWriter, *http.Request)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.spoil, f.seen = how, 0
}

func (f *front) requests() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.seen
}

// shortTries makes the waits short. The number of tries is that of production.
var shortTries = policy.RetryOptions{TryTimeout: time.Second, RetryDelay: time.Millisecond,
	MaxRetryDelay: 10 * time.Millisecond}

// openBehind opens Azurite with a front for its tables and one for its blobs.
func openBehind(t *testing.T, o azure.Options) (s storage.Store, tables, blobs *front) {
	t.Helper()
	connection := azuritetest.Start(t).ConnectionString()
	replaced := func(service string) *front {
		_, rest, _ := strings.Cut(connection, service+"Endpoint=")
		endpoint, _, _ := strings.Cut(rest, ";")
		u, err := url.Parse(endpoint)
		if err != nil {
			t.Fatal(err)
		}
		f := &front{base: httputil.NewSingleHostReverseProxy(&url.URL{Scheme: u.Scheme, Host: u.Host})}
		server := httptest.NewServer(f)
		t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
		connection = strings.Replace(connection, u.Scheme+"://"+u.Host, server.URL, 1)
		return f
	}
	tables, blobs = replaced("Table"), replaced("Blob")
	s, err := azure.Open(settings(map[string]string{"AzureWebJobsStorage": connection}), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s, tables, blobs
}

// hangs never answers and does not execute the request.
func hangs(_ http.Handler, _ http.ResponseWriter, r *http.Request) {
	io.Copy(io.Discard, r.Body) // only then does the server notice that the client has disconnected
	<-r.Context().Done()
}

// hangsAfter executes the request and never answers.
func hangsAfter(forward http.Handler, w http.ResponseWriter, r *http.Request) {
	forward.ServeHTTP(httptest.NewRecorder(), r.Clone(context.WithoutCancel(r.Context())))
	<-r.Context().Done()
}

// TestS7HungTry checks that a try that is never answered leaves time for the others, whether or not it was executed.
func TestS7HungTry(t *testing.T) {
	t.Parallel() // this test waits
	s, tables, blobs := openBehind(t, azure.Options{Retry: shortTries})
	table, c := s.Table("hungtry"), s.Container("hung-try")
	for _, create := range []func(context.Context) error{table.Create, c.Create} {
		if err := create(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	for name, hang := range map[string]func(http.Handler, http.ResponseWriter, *http.Request){"before": hangs,
		"after": hangsAfter} {
		tables.spoiled(hang)
		if _, err := table.Transact(ctx, op(storage.Insert, name, "")); err != nil {
			t.Errorf("hung %s: %v", name, err)
		}
		tables.spoiled(hang)
		if _, err := table.Transact(ctx, op(storage.Insert, name+"1", ""), op(storage.Insert, name+"2", "")); err != nil {
			t.Errorf("batch, hung %s: %v", name, err)
		}
		blobs.spoiled(hang)
		if created, err := c.Put(ctx, name, storage.Blob{Body: []byte("x")}); err != nil || !created {
			t.Errorf("put, hung %s: %v, %v", name, created, err)
		}
		tables.spoiled(hang)
		for _, row := range []string{name, name + "1", name + "2"} {
			wantValue(t, table, row, "mine")
		}
	}
	tables.spoiled(hangs, hangs, hangs, hangs)
	_, err := table.Get(ctx, storage.Key{Partition: "p", Row: "before"})
	if wantKind(t, err, fault.Unavailable); !strings.Contains(err.Error(), "no answer") || tables.requests() != 4 {
		t.Errorf("%d tries: %v", tables.requests(), err)
	}
}

// TestS7SlowBlob checks that a blob that arrives slowly is read to its end, and requested once.
func TestS7SlowBlob(t *testing.T) {
	t.Parallel() // this test waits
	s, _, blobs := openBehind(t, azure.Options{Retry: shortTries})
	c := s.Container("slow-blob")
	body := bytes.Repeat([]byte("tide "), 20_000)
	if err := c.Create(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Put(t.Context(), "a", storage.Blob{Body: body}); err != nil {
		t.Fatal(err)
	}
	blobs.spoiled(func(forward http.Handler, w http.ResponseWriter, r *http.Request) {
		whole := httptest.NewRecorder()
		forward.ServeHTTP(whole, r)
		for name, values := range whole.Header() {
			w.Header()[name] = values
		}
		w.WriteHeader(whole.Code)
		w.Write(whole.Body.Next(len(body) / 2))
		w.(http.Flusher).Flush()
		time.Sleep(2 * shortTries.TryTimeout)
		w.Write(whole.Body.Bytes())
	})
	b, err := c.Get(t.Context(), "a")
	if err != nil || !bytes.Equal(b.Body, body) || blobs.requests() != 1 {
		t.Errorf("%d bytes of %d in %d requests, %v", len(b.Body), len(body), blobs.requests(), err)
	}
}

// inner answers a batch with 202 and a refusal inside the body, as the service does.
func inner(status int, code string, executed bool) func(http.Handler, http.ResponseWriter, *http.Request) {
	return func(forward http.Handler, w http.ResponseWriter, r *http.Request) {
		if executed {
			forward.ServeHTTP(httptest.NewRecorder(), r)
		}
		io.Copy(io.Discard, r.Body)
		detail := fmt.Sprintf(`{"odata.error":{"code":%q,"message":{"lang":"en-US","value":"0:not now"}}}`, code)
		w.Header().Set("Content-Type", "multipart/mixed; boundary=batchresponse_1")
		w.WriteHeader(http.StatusAccepted)
		fmt.Fprintf(w, "--batchresponse_1\r\nContent-Type: multipart/mixed; boundary=changesetresponse_1\r\n\r\n"+
			"--changesetresponse_1\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n"+
			"HTTP/1.1 %d %s\r\nContent-Type: application/json\r\n\r\n%s\r\n--changesetresponse_1--\r\n--batchresponse_1--\r\n",
			status, http.StatusText(status), detail)
	}
}

// TestS7BatchRefusedWithin checks the answer 202 with a refusal inside the body, when the service is busy or has
// failed. Such a batch is retried as often as one refused by its status, and an earlier attempt of the same call is
// no conflict.
func TestS7BatchRefusedWithin(t *testing.T) {
	s, tables, _ := openBehind(t, azure.Options{Retry: shortTries})
	table := s.Table("refusedwithin")
	if err := table.Create(t.Context()); err != nil {
		t.Fatal(err)
	}
	batch := func(rows ...string) error {
		var ops []storage.Op
		for _, row := range rows {
			ops = append(ops, op(storage.Insert, row, ""))
		}
		tags, err := table.Transact(t.Context(), ops...)
		for i, tag := range tags { // the next write can use a returned revision
			if _, err := table.Transact(t.Context(), op(storage.Replace, rows[i], tag)); err != nil {
				t.Errorf("row %s: %v", rows[i], err)
			}
		}
		return err
	}
	busy, failed := inner(503, "ServerBusy", false), inner(500, "InternalError", true)
	tables.spoiled(busy, busy)
	if err := batch("a", "b"); err != nil {
		t.Errorf("busy twice: %v", err)
	}
	tables.spoiled(failed)
	if err := batch("c", "d"); err != nil {
		t.Errorf("executed, and answered as failed: %v", err)
	}
	tables.spoiled(failed)
	wantKind(t, batch("e", "a"), fault.Conflict)
	if _, err := table.Get(t.Context(), storage.Key{Partition: "p", Row: "e"}); !fault.Is(err, fault.NotFound) {
		t.Errorf("half a batch: %v", err)
	}
	tables.spoiled(busy, busy, busy, busy)
	err := batch("f", "g")
	if wantKind(t, err, fault.Throttled); !strings.Contains(err.Error(), "503 ServerBusy") || tables.requests() != 4 {
		t.Errorf("%d tries: %v", tables.requests(), err)
	}
	tables.spoiled(inner(412, "UpdateConditionNotSatisfied", false))
	if wantKind(t, batch("h", "i"), fault.Conflict); tables.requests() != 1 {
		t.Errorf("a refusal for good was tried %d times", tables.requests())
	}
}

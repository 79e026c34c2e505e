package file_test

import (
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/fetch/file"
)

// share imitates a share as the REST API of Azure Files documents it, for reading: Get File Properties, Get File, the
// headers that both require, authorization of each kind, and errors. It follows the documentation and does not prove
// how the service behaves.
type share struct {
	t     *testing.T
	files map[string]*shared // by decoded path
	// asked lists the requests so far. before is called ahead of each.
	asked  []string
	before func(n int, r *http.Request)
}

// shared is one file of a share.
type shared struct {
	body     string
	version  int
	modified time.Time
}

func (s *share) put(path, body string) {
	f := s.files[path]
	if f == nil {
		f = &shared{}
		s.files[path] = f
	}
	f.body, f.version, f.modified = body, f.version+1, time.Date(2026, 11, 21, 10, 0, f.version, 0, time.UTC)
}

func (s *share) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.asked = append(s.asked, r.Method+" "+r.URL.Path)
	if s.before != nil {
		s.before(len(s.asked), r)
	}
	f := s.files[strings.TrimPrefix(r.URL.Path, "/team/")]
	switch {
	case r.Host != "acct.file.core.windows.net" || r.TLS == nil:
		s.refuse(w, 400, "InvalidUri")
	case r.Header.Get("x-ms-version") < "2021-12-02": // tokens, and dots at the end of names, need that version
		s.refuse(w, 400, "InvalidHeaderValue")
	case r.Header.Get("x-ms-allow-trailing-dot") != "true":
		s.refuse(w, 400, "MissingRequiredHeader")
	case !s.allowed(r):
		s.refuse(w, 403, "AuthenticationFailed")
	case r.Method != http.MethodGet && r.Method != http.MethodHead || r.URL.Query().Has("comp"):
		s.refuse(w, 405, "UnsupportedHttpVerb")
	case f == nil:
		s.refuse(w, 404, "ResourceNotFound")
	default:
		s.answer(w, r, f)
	}
}

// allowed checks the authorization of a request: a signed query, a signed request that includes the date, or a token
// for the right audience together with the intent that the service requires.
func (s *share) allowed(r *http.Request) bool {
	auth := r.Header.Get("Authorization")
	switch {
	case r.URL.Query().Get("sig") != "":
		return r.URL.Query().Get("sig") == "HUSHHUSH/" && auth == ""
	case strings.HasPrefix(auth, "SharedKey acct:"):
		return r.Header.Get("x-ms-date") != ""
	}
	return auth == "Bearer TOKEN-https://storage.azure.com/.default" &&
		r.Header.Get("x-ms-file-request-intent") == "backup"
}

func (s *share) refuse(w http.ResponseWriter, status int, code string) {
	w.Header().Set("x-ms-error-code", code)
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(status)
	fmt.Fprint(w, xml.Header)
	_ = xml.NewEncoder(w).Encode(struct {
		XMLName xml.Name `xml:"Error"`
		Code    string
		Message string
	}{Code: code, Message: "HUSHHUSH"})
}

func (s *share) answer(w http.ResponseWriter, r *http.Request, f *shared) {
	h := w.Header()
	h.Set("ETag", fmt.Sprintf(`"0x8DD%d"`, f.version))
	h.Set("Last-Modified", f.modified.Format(http.TimeFormat))
	h.Set("Content-Type", "application/pdf")
	body, status := f.body, http.StatusOK
	var from int
	if n, _ := fmt.Sscanf(r.Header.Get("x-ms-range"), "bytes=%d-", &from); n == 1 && from < len(body) {
		h.Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, len(body)-1, len(body)))
		body, status = body[from:], http.StatusPartialContent
	}
	h.Set("Content-Length", fmt.Sprint(len(body)))
	h.Set("x-ms-type", "File")
	h.Set("x-ms-server-encrypted", "true")
	h.Set("x-ms-file-last-write-time", f.modified.Format("2006-01-02T15:04:05.0000000Z"))
	w.WriteHeader(status)
	if r.Method == http.MethodGet {
		_, _ = io.WriteString(w, body)
	}
}

func newShare(t *testing.T) (*share, *file.Client) {
	s, tokens := &share{t: t, files: map[string]*shared{}}, new(atomic.Int32)
	return s, newClient(t, file.Config{
		Transport: serve(t, s.ServeHTTP), Setting: setting, Retry: soon,
		Identity: func(string) (azcore.TokenCredential, error) { return token{tokens}, nil },
	})
}

const team = "https://acct.file.core.windows.net/team/"

func TestA9UnchangedFileInAShareIsNotRead(t *testing.T) {
	s, c := newShare(t)
	s.put("Plans/é a.pdf", "first")
	r := file.Request{Location: place(t, team+"Plans//é a.pdf?sv=1&sig=old"), Credential: "SHARESAS"}
	first, err := c.Get(context.Background(), r)
	must(t, err)
	want := file.Response{
		Info: file.Info{ETag: "0x8DD1", LastModified: s.files["Plans/é a.pdf"].modified, Length: 5,
			ContentType: "application/pdf"},
		Body: []byte("first"), WireBytes: 5, RawHash: rawHash("first"),
	}
	if diff := cmp.Diff(want, first); diff != "" {
		t.Fatal(diff)
	}
	if diff := cmp.Diff([]string{"HEAD /team/Plans/é a.pdf", "GET /team/Plans/é a.pdf", "HEAD /team/Plans/é a.pdf"},
		s.asked); diff != "" {
		t.Error(diff)
	}
	s.asked, r.Known = nil, first.Info
	again, err := c.Get(context.Background(), r)
	if err != nil || !again.Unchanged || again.Body != nil || len(s.asked) != 1 || s.asked[0][:4] != "HEAD" {
		t.Errorf("have %+v, %v after %v", again, err, s.asked)
	}
	s.put("Plans/é a.pdf", "second")
	if got, err := c.Get(context.Background(), r); err != nil || string(got.Body) != "second" || got.ETag != "0x8DD2" {
		t.Errorf("have %+v, %v", got, err)
	}
}

func TestA24CredentialsOfShares(t *testing.T) {
	s, c := newShare(t)
	s.put("a.", "dot") // a name that the service would trim
	for credential, kind := range map[string]fault.Kind{
		"SHARESAS": "", "SHAREKEY": "", "SHAREID": "", "": fault.Blocked, "SAS": fault.Blocked,
	} {
		got, err := c.Get(context.Background(), file.Request{Location: place(t, team+"a."), Credential: credential})
		if fault.KindOf(err) != kind || err == nil && string(got.Body) != "dot" {
			t.Errorf("%q: have %q, %v; want kind %q", credential, got.Body, err, kind)
		}
	}
}

func TestFileInAShareThatIsMissing(t *testing.T) {
	_, c := newShare(t)
	_, err := c.Get(context.Background(), file.Request{Location: place(t, team+"a"), Credential: "SHARESAS"})
	if !fault.Is(err, fault.NotFound) || strings.Contains(err.Error(), "HUSHHUSH") {
		t.Errorf("have %v", err)
	}
}

func TestFileInAShareThatChangesWhileItIsRead(t *testing.T) {
	for name, tc := range map[string]struct {
		writeBefore []int // numbers of the requests
		want        string
		kind        fault.Kind
	}{
		"between properties and bytes": {[]int{2}, "v2", ""},
		"while the bytes are read":     {[]int{3}, "v2", ""},
		"before each request":          {[]int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, "", fault.Conflict},
	} {
		t.Run(name, func(t *testing.T) {
			s, c := newShare(t)
			s.put("a", "v1")
			s.before = func(n int, _ *http.Request) {
				for _, at := range tc.writeBefore {
					if at == n {
						s.put("a", fmt.Sprint("v", s.files["a"].version+1))
					}
				}
			}
			got, err := c.Get(context.Background(), file.Request{Location: place(t, team+"a"), Credential: "SHARESAS"})
			if string(got.Body) != tc.want || fault.KindOf(err) != tc.kind {
				t.Errorf("have %q, %v after %v", got.Body, err, s.asked)
			}
		})
	}
}

// TestFileInAShareWhoseConnectionBreaks checks that reading resumes after a broken connection, and never joins parts
// of two files.
func TestFileInAShareWhoseConnectionBreaks(t *testing.T) {
	old, fresh := strings.Repeat("o", 1000), strings.Repeat("n", 1000)
	for name, meanwhile := range map[string]string{"nothing happens": old, "it is written": fresh} {
		t.Run(name, func(t *testing.T) {
			s, _ := newShare(t)
			s.put("a", old)
			way, broken := serve(t, s.ServeHTTP), 0
			c := newClient(t, file.Config{Setting: setting, Retry: soon,
				Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
					resp, err := way.RoundTrip(r)
					if broken == 0 && err == nil && r.Method == http.MethodGet {
						resp.Body = &breaking{resp.Body, 500, func() {
							if broken++; meanwhile != old {
								s.put("a", meanwhile)
							}
						}}
					}
					return resp, err
				})})
			got, err := c.Get(context.Background(), file.Request{Location: place(t, team+"a"), Credential: "SHARESAS"})
			if err != nil || string(got.Body) != meanwhile || broken != 1 {
				t.Errorf("have %.20q… of %d bytes, %v, broken %d times", got.Body, len(got.Body), err, broken)
			}
		})
	}
}

// TestFileInAShareOfAnotherLength checks that bytes of another length than in the properties are refused, even when
// the ETag matches.
func TestFileInAShareOfAnotherLength(t *testing.T) {
	s, c := newShare(t)
	s.put("a", "12345")
	s.before = func(n int, r *http.Request) {
		s.files["a"].body = "12345"
		if r.Method == http.MethodGet {
			s.files["a"].body = "123456"
		}
	}
	if got, err := c.Get(context.Background(), file.Request{Location: place(t, team+"a"),
		Credential: "SHARESAS"}); !fault.Is(err, fault.Conflict) {
		t.Errorf("have %q, %v", got.Body, err)
	}
}

type roundTrip func(r *http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

package file_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/fetch/file"
)

// soon retries requests without waiting.
var soon = policy.RetryOptions{MaxRetries: 2, RetryDelay: time.Millisecond, MaxRetryDelay: time.Millisecond}

// serve returns a transport that reaches a handler by https under any name.
func serve(t testing.TB, h http.HandlerFunc) http.RoundTripper {
	t.Helper()
	server := httptest.NewTLSServer(h)
	t.Cleanup(server.Close)
	return &http.Transport{
		TLSClientConfig:    &tls.Config{InsecureSkipVerify: true},
		DisableCompression: true,
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, server.Listener.Addr().String())
		},
	}
}

// token is an identity with a fixed token.
type token struct{ made *atomic.Int32 }

func (k token) GetToken(_ context.Context, o policy.TokenRequestOptions) (azcore.AccessToken, error) {
	k.made.Add(1)
	return azcore.AccessToken{Token: "TOKEN-" + strings.Join(o.Scopes, " "), ExpiresOn: time.Now().Add(time.Hour)}, nil
}

const key = "U0VDUkVUS0VZ"

var credentials = map[string]string{
	"CREDENTIAL_SAS":      "sas https://acct.blob.core.windows.net/docs sv=2024-11-04&sig=HUSHHUSH%2F",
	"CREDENTIAL_KEY":      "key https://acct.blob.core.windows.net " + key,
	"CREDENTIAL_IDENTITY": "identity https://acct.blob.core.windows.net",
	"CREDENTIAL_FOLDER":   "identity https://acct.blob.core.windows.net/docs/hr",
	"CREDENTIAL_WIKI":     "bearer https://acct.blob.core.windows.net HUSHHUSH",
	"CREDENTIAL_BAD":      "HUSHHUSH",
	"CREDENTIAL_SHARESAS": "sas https://acct.file.core.windows.net/team sv=2024-11-04&sig=HUSHHUSH%2F",
	"CREDENTIAL_SHAREKEY": "key https://acct.file.core.windows.net " + key,
	"CREDENTIAL_SHAREID":  "identity https://acct.file.core.windows.net",
}

func setting(name string) string { return credentials[name] }

func TestA24CredentialsOfBlobs(t *testing.T) {
	var made, tokens atomic.Int32
	var seen *http.Request
	way := serve(t, func(w http.ResponseWriter, r *http.Request) {
		seen = r
		w.Header().Set("ETag", `"0x1"`)
		_, _ = io.WriteString(w, "body")
	})
	c := newClient(t, file.Config{Transport: way, Setting: setting, Retry: soon,
		Identity: func(id string) (azcore.TokenCredential, error) {
			made.Add(1)
			return token{&tokens}, nil
		}})
	for name, tc := range map[string]struct {
		credential, path string
		sent             string // the text expected in authorization or query
		kind             fault.Kind
	}{
		"none":               {"", "docs/a", "", ""},
		"sas":                {"sas", "docs/a", "sig=HUSHHUSH%2F", ""},
		"key":                {"KEY", "docs/a", "SharedKey acct:", ""},
		"identity":           {"IDENTITY", "docs/a", "Bearer TOKEN-https://storage.azure.com/.default", ""},
		"identity again":     {"IDENTITY", "docs/b", "Bearer TOKEN-", ""},
		"folder":             {"FOLDER", "docs/hr/a", "Bearer TOKEN-", ""},
		"above the folder":   {"FOLDER", "docs/a", "", fault.Blocked},
		"beside the folder":  {"FOLDER", "docs/hr2/a", "", fault.Blocked},
		"other container":    {"SAS", "keys/a", "", fault.Blocked},
		"other service":      {"SHAREKEY", "docs/a", "", fault.Blocked},
		"one for pages":      {"WIKI", "docs/a", "", fault.Blocked},
		"not set":            {"OTHER", "docs/a", "", fault.Blocked},
		"set to nonsense":    {"BAD", "docs/a", "", fault.Invalid},
		"name of no setting": {"PATH=", "docs/a", "", fault.Invalid},
	} {
		t.Run(name, func(t *testing.T) {
			seen = nil
			_, err := c.Get(context.Background(), file.Request{Location: place(t, "https://acct.blob.core.windows.net/"+tc.path),
				Credential: tc.credential})
			if fault.KindOf(err) != tc.kind {
				t.Fatalf("have %v, want kind %q", err, tc.kind)
			}
			if err != nil {
				if seen != nil || strings.Contains(err.Error(), "HUSHHUSH") {
					t.Errorf("have %v and a request: %v", err, seen)
				}
				return
			}
			if auth := seen.Header.Get("Authorization"); !strings.Contains(auth+" "+seen.URL.RawQuery, tc.sent) ||
				tc.sent == "" && auth+seen.URL.RawQuery != "" {
				t.Errorf("have %q and %q, want %q", auth, seen.URL.RawQuery, tc.sent)
			}
		})
	}
	if made.Load() != 1 {
		t.Errorf("the identity was made %d times", made.Load())
	}
}

// answer returns a handler that answers with an error of the service.
func answer(status int, code, retryAfter string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if code != "" {
			w.Header().Set("x-ms-error-code", code)
		}
		if retryAfter != "" {
			w.Header().Set("Retry-After", retryAfter)
		}
		w.WriteHeader(status)
		fmt.Fprintf(w, `<?xml version="1.0" encoding="utf-8"?><Error><Code>%s</Code><Message>HUSHHUSH %s</Message></Error>`,
			code, r.URL)
	}
}

func TestKindsOfRefusals(t *testing.T) {
	blob, share := "https://acct.blob.core.windows.net/docs/a", "https://acct.file.core.windows.net/team/a"
	for name, tc := range map[string]struct {
		place  string
		status int
		code   string
		kind   fault.Kind
	}{
		"missing blob":              {blob, 404, "BlobNotFound", fault.NotFound},
		"missing container":         {blob, 404, "ContainerNotFound", fault.NotFound},
		"container that is private": {blob, 404, "ResourceNotFound", fault.Blocked},
		"404 of a proxy":            {blob, 404, "", fault.Blocked},
		"missing file":              {share, 404, "ResourceNotFound", fault.NotFound},
		"missing folder":            {share, 404, "ParentNotFound", fault.NotFound},
		"missing share":             {share, 404, "ShareNotFound", fault.NotFound},
		"wrong key":                 {blob, 403, "AuthenticationFailed", fault.Blocked},
		"no key":                    {share, 401, "NoAuthenticationInformation", fault.Blocked},
		"account without public":    {blob, 409, "PublicAccessNotPermitted", fault.Blocked},
		"archived":                  {blob, 409, "BlobArchived", fault.Unavailable},
		"folder in a share":         {share, 409, "ResourceTypeMismatch", fault.Unavailable},
		"busy":                      {blob, 503, "ServerBusy", fault.Throttled},
		"too many":                  {share, 429, "", fault.Throttled},
		"server error":              {blob, 500, "InternalError", fault.Unavailable},
		"redirect":                  {blob, 302, "", fault.Unavailable},
		"odd success":               {blob, 204, "", fault.Unavailable},
		"code that is no word":      {blob, 500, "HUSHHUSH <b>", fault.Unavailable},
	} {
		t.Run(name, func(t *testing.T) {
			c := newClient(t, file.Config{Transport: serve(t, answer(tc.status, tc.code, "")), Setting: setting, Retry: soon})
			cred := "SAS"
			if tc.place == share {
				cred = "SHARESAS"
			}
			_, err := c.Get(context.Background(), file.Request{Location: place(t, tc.place), Credential: cred})
			if !fault.Is(err, tc.kind) || strings.Contains(err.Error(), "HUSHHUSH") || strings.Contains(err.Error(), "sig") {
				t.Errorf("have %v, want kind %s", err, tc.kind)
			}
		})
	}
}

func TestServiceThatAsksForAPause(t *testing.T) {
	c := newClient(t, file.Config{Transport: serve(t, answer(429, "ServerBusy", "1")),
		Retry: policy.RetryOptions{MaxRetries: -1}})
	_, err := c.Get(context.Background(), file.Request{Location: place(t, "https://acct.blob.core.windows.net/docs/a")})
	if fault.RetryAfter(err) != time.Second {
		t.Errorf("have %v, %v", fault.RetryAfter(err), err)
	}
}

// counted counts requests.
type counted struct {
	http.RoundTripper
	n *atomic.Int32
}

func (c counted) RoundTrip(r *http.Request) (*http.Response, error) {
	c.n.Add(1)
	return c.RoundTripper.RoundTrip(r)
}

// TestServicesAreReachedThroughTheGuard checks that no address reaches a host inside the network, because strangers
// choose the addresses.
func TestServicesAreReachedThroughTheGuard(t *testing.T) {
	web, err := fetch.New(fetch.Config{})
	must(t, err)
	for _, raw := range []string{
		"http://127.0.0.1:10000/devstoreaccount1/docs/a", "http://127.0.0.1/devstoreaccount1/docs/a",
		"https://localhost/acct/docs/a",
		"http://169.254.169.254/metadata/docs/a", "http://[::ffff:10.0.0.1]/acct/docs/a", "http://168.63.129.16/acct/docs/a",
	} {
		var n atomic.Int32
		c := newClient(t, file.Config{Transport: counted{web.Transport(), &n}})
		_, err := c.Get(context.Background(), file.Request{Location: place(t, raw)})
		if !fault.Is(err, fault.Blocked) || n.Load() != 1 {
			t.Errorf("%s: have %v after %d requests, want one that is blocked", raw, err, n.Load())
		}
		for _, err := range c.List(context.Background(), place(t, raw), "") {
			if !fault.Is(err, fault.Blocked) {
				t.Errorf("list %s: have %v", raw, err)
			}
		}
	}
}

func TestAnswersToTheSDKAreBounded(t *testing.T) {
	for name, tc := range map[string]struct {
		status int
		ask    func(c *file.Client) error
	}{
		"error": {400, func(c *file.Client) error {
			_, err := c.Get(context.Background(), file.Request{Location: place(t, "https://acct.blob.core.windows.net/docs/a")})
			return err
		}},
		"listing": {200, func(c *file.Client) error {
			for _, err := range c.List(context.Background(), place(t, "https://acct.blob.core.windows.net/docs"), "") {
				return err
			}
			return errors.New("nothing came")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			var sent atomic.Int64
			way := serve(t, func(w http.ResponseWriter, r *http.Request) {
				w.WriteHeader(tc.status)
				for chunk := make([]byte, 1<<20); sent.Load() < 1<<30; sent.Add(1 << 20) {
					if _, err := w.Write(chunk); err != nil {
						return
					}
				}
			})
			err := tc.ask(newClient(t, file.Config{Transport: way, Retry: policy.RetryOptions{MaxRetries: -1}}))
			if !fault.Is(err, fault.Unavailable) || sent.Load() > 64<<20 {
				t.Errorf("have %v after %d MiB", err, sent.Load()>>20)
			}
		})
	}
}

func TestPropertiesFromAStrangerAreBounded(t *testing.T) {
	long := strings.Repeat("x", 5000)
	way := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"`+long+`"`)
		w.Header().Set("Content-Type", long)
		w.Header().Set("Content-Encoding", "\xff\xfe")
	})
	got, err := newClient(t, file.Config{Transport: way}).Get(context.Background(),
		file.Request{Location: place(t, "https://acct.blob.core.windows.net/docs/a")})
	if err != nil || got.ETag != "" || got.ContentType != "" || got.Encoding != "" {
		t.Errorf("have %+v, %v", got, err)
	}
}

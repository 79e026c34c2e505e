package azure

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/local/azurite"
	"github.com/tidemark/tidemark/pkg/storage"
)

func get(m map[string]string) func(string) string {
	return func(name string) string { return m[name] }
}

// recorder refuses every request and records it.
type recorder struct {
	urls []string
	auth []string
	err  error
}

func (r *recorder) Do(req *http.Request) (*http.Response, error) {
	r.urls = append(r.urls, req.URL.String())
	kind, _, _ := strings.Cut(req.Header.Get("Authorization"), " ")
	r.auth = append(r.auth, kind)
	if r.err != nil {
		return nil, r.err
	}
	return &http.Response{StatusCode: 404, Header: http.Header{"X-Ms-Error-Code": {"ResourceNotFound"}},
		Body: io.NopCloser(strings.NewReader("")), Request: req}, nil
}

type fakeCredential struct{}

func (fakeCredential) GetToken(context.Context, policy.TokenRequestOptions) (azcore.AccessToken, error) {
	return azcore.AccessToken{Token: "token", ExpiresOn: time.Now().Add(time.Hour)}, nil
}

const secret = "c2VjcmV0LWtleQ=="

// TestOpenFindsTheServices sends a request to each service and checks its address.
func TestOpenFindsTheServices(t *testing.T) {
	for name, c := range map[string]struct {
		settings map[string]string
		hosts    []string // table, queue, blob
		auth     string
	}{
		"development storage": {
			map[string]string{"AzureWebJobsStorage": "UseDevelopmentStorage=true"},
			[]string{"http://127.0.0.1:10002/devstoreaccount1/", "http://127.0.0.1:10001/devstoreaccount1/",
				"http://127.0.0.1:10000/devstoreaccount1/"}, "SharedKey",
		},
		"development storage elsewhere": {
			map[string]string{"AzureWebJobsStorage": "usedevelopmentstorage=TRUE;", "AZURITE_PORT_BASE": "20000"},
			[]string{"http://127.0.0.1:20002/devstoreaccount1/", "http://127.0.0.1:20001/devstoreaccount1/",
				"http://127.0.0.1:20000/devstoreaccount1/"}, "SharedKey",
		},
		"account and key": {
			map[string]string{"AzureWebJobsStorage": "DefaultEndpointsProtocol=https;AccountName=tide;AccountKey=" + secret +
				";EndpointSuffix=core.windows.net"},
			[]string{"https://tide.table.core.windows.net/", "https://tide.queue.core.windows.net/",
				"https://tide.blob.core.windows.net/"}, "SharedKey",
		},
		"a sovereign cloud": {
			map[string]string{"AzureWebJobsStorage": "AccountName=tide;AccountKey=" + secret +
				";EndpointSuffix=core.chinacloudapi.cn"},
			[]string{"https://tide.table.core.chinacloudapi.cn/", "https://tide.queue.core.chinacloudapi.cn/",
				"https://tide.blob.core.chinacloudapi.cn/"}, "SharedKey",
		},
		"signature and endpoints": {
			map[string]string{"AzureWebJobsStorage": "BlobEndpoint=https://b.example/;QueueEndpoint=https://q.example;" +
				"TableEndpoint=https://t.example;SharedAccessSignature=sv=1&sig=" + secret},
			[]string{"https://t.example/", "https://q.example/", "https://b.example/"}, "",
		},
		"identity by account": {
			map[string]string{"AzureWebJobsStorage__accountName": "tide", "AzureWebJobsStorage__credential": "managedidentity",
				"AzureWebJobsStorage__clientId": "0-0"},
			[]string{"https://tide.table.core.windows.net/", "https://tide.queue.core.windows.net/",
				"https://tide.blob.core.windows.net/"}, "Bearer",
		},
		"identity by addresses": {
			map[string]string{
				"AzureWebJobsStorage__tableServiceUri": "https://t.example/",
				"AzureWebJobsStorage__queueServiceUri": "https://q.example",
				"AzureWebJobsStorage__blobServiceUri":  "https://b.example",
			},
			[]string{"https://t.example/", "https://q.example/", "https://b.example/"}, "Bearer",
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := &recorder{}
			s, err := Open(get(c.settings), Options{Transport: r, Credential: fakeCredential{}})
			if err != nil {
				t.Fatal(err)
			}
			s.Table("rows").Get(t.Context(), storage.Key{Partition: "p", Row: "r"})
			s.Queue("jobs").Length(t.Context())
			s.Container("blobs").Exists(t.Context(), "a")
			if len(r.urls) != 3 {
				t.Fatalf("have %d requests, want 3: %q", len(r.urls), r.urls)
			}
			for i, host := range c.hosts {
				if !strings.HasPrefix(r.urls[i], host) || strings.HasPrefix(r.urls[i], host+"/") ||
					strings.TrimSuffix(r.auth[i], "Lite") != c.auth {
					t.Errorf("have %s by %q, want %s… by %q", r.urls[i], r.auth[i], host, c.auth)
				}
			}
		})
	}
}

func TestOpenRefusesSettings(t *testing.T) {
	for name, c := range map[string]struct {
		settings map[string]string
		field    string
	}{
		"nothing":            {nil, setting},
		"no string of parts": {map[string]string{setting: secret + ";x"}, setting},
		"no key":             {map[string]string{setting: "AccountName=tide"}, setting},
		"no account":         {map[string]string{setting: "AccountKey=" + secret}, setting},
		"key is not base64":  {map[string]string{setting: "AccountName=tide;AccountKey=" + secret + "!"}, setting},
		"endpoint is no URL": {map[string]string{setting: "AccountName=tide;AccountKey=" + secret +
			";BlobEndpoint=http://" + secret + "\x7f"}, setting},
		"endpoint with user": {map[string]string{setting: "AccountName=tide;AccountKey=" + secret +
			";BlobEndpoint=https://u:" + secret + "@x"}, setting},
		"endpoint with query": {map[string]string{setting: "AccountName=tide;AccountKey=" + secret +
			";BlobEndpoint=https://x?sig=" + secret}, setting},
		"endpoint is a file": {map[string]string{setting: "AccountName=tide;AccountKey=" + secret +
			";BlobEndpoint=file:///x"}, setting},
		"port base": {map[string]string{setting: "UseDevelopmentStorage=true", "AZURITE_PORT_BASE": "65534"},
			"AZURITE_PORT_BASE"},
		"credential": {map[string]string{setting + "__accountName": "tide", setting + "__credential": "password"},
			setting + "__credential"},
		"one address of three": {map[string]string{setting + "__blobServiceUri": "https://b.example"}, setting},
	} {
		_, err := Open(get(c.settings), Options{})
		if !fault.Is(err, fault.Invalid) || fault.FieldOf(err) != c.field || !strings.Contains(err.Error(), c.field) {
			t.Errorf("%s: have %v (field %q), want Invalid that names %s", name, err, fault.FieldOf(err), c.field)
		}
		if err != nil && strings.Contains(err.Error(), secret[:8]) {
			t.Errorf("%s: the error tells the secret: %v", name, err)
		}
	}
}

// TestErrorsKeepSecrets makes each service fail in each way, with a signature in the address.
func TestErrorsKeepSecrets(t *testing.T) {
	for _, broken := range []error{nil, errors.New("connection reset"), &urlError{}} {
		r := &recorder{err: broken}
		s, err := Open(get(map[string]string{setting: "AccountName=tide;SharedAccessSignature=sv=1&sig=" + secret}),
			Options{Transport: r, Retry: policy.RetryOptions{MaxRetries: -1}})
		if err != nil {
			t.Fatal(err)
		}
		ctx := t.Context()
		_, get := s.Table("rows").Get(ctx, storage.Key{Partition: "p", Row: "r"})
		_, batch := s.Table("rows").Transact(ctx,
			storage.Op{Entity: storage.Entity{Key: storage.Key{Partition: "p", Row: "r"}}},
			storage.Op{Entity: storage.Entity{Key: storage.Key{Partition: "p", Row: "s"}}})
		_, length := s.Queue("jobs").Length(ctx)
		_, blob := s.Container("blobs").Get(ctx, "a")
		for i, err := range []error{get, batch, length, blob, s.Ping(ctx)} {
			if err == nil || strings.Contains(err.Error(), "sig=") || strings.Contains(err.Error(), secret[:8]) {
				t.Errorf("operation %d: have %v, want an error without the signature", i, err)
			}
		}
		for _, u := range r.urls {
			if !strings.Contains(u, "sig=") {
				t.Errorf("request without the signature: %s", u)
			}
		}
	}
}

type urlError struct{}

func (urlError) Error() string {
	return "Get \"https://tide.table.core.windows.net/?sig=" + secret + "\": EOF"
}

// TestDevelopmentAccount checks that the expanded connection string is the one that the local server documents.
func TestDevelopmentAccount(t *testing.T) {
	own, err := readAccount(get(map[string]string{setting: "UseDevelopmentStorage=true"}))
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := readAccount(get(map[string]string{setting: azurite.Ports{Blob: 10000, Queue: 10001,
		Table: 10002}.ConnectionString()}))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(theirs, own, cmp.AllowUnexported(account{})); d != "" {
		t.Errorf("account (-want +have):\n%s", d)
	}
	if !own.local {
		t.Error("the development account is not taken for local")
	}
}

// TestClientNeverUnpacks checks that a body stored in compressed form is hashed in compressed form.
func TestClientNeverUnpacks(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		io.WriteString(w, "asked for "+r.Header.Get("Accept-Encoding"))
	}))
	defer server.Close()
	resp, err := newClient().Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if body, err := io.ReadAll(resp.Body); err != nil || string(body) != "asked for " {
		t.Errorf("have %q (%v), want the body as sent, and nothing asked for", body, err)
	}
}

func TestKinds(t *testing.T) {
	for _, c := range []struct {
		status int
		code   string
		want   fault.Kind
	}{
		{404, "ResourceNotFound", fault.NotFound},
		{404, "BlobNotFound", fault.NotFound},
		{404, "MessageNotFound", fault.NotFound},
		{400, "PopReceiptMismatch", fault.NotFound},
		{404, "TableNotFound", fault.Unavailable},
		{404, "QueueNotFound", fault.Unavailable},
		{404, "ContainerNotFound", fault.Unavailable},
		{409, "TableBeingDeleted", fault.Unavailable},
		{409, "EntityAlreadyExists", fault.Conflict},
		{412, "UpdateConditionNotSatisfied", fault.Conflict},
		{400, "InvalidInput", fault.Invalid},
		{413, "RequestBodyTooLarge", fault.Invalid},
		{403, "AuthorizationFailure", fault.Unavailable},
		{429, "", fault.Throttled},
		{503, "ServerBusy", fault.Throttled},
		{500, "InternalError", fault.Unavailable},
		{504, "", fault.Unavailable},
	} {
		err := refused("x", c.status, c.code, 7*time.Second)
		if !fault.Is(err, c.want) {
			t.Errorf("%d %s: have %s, want %s", c.status, c.code, fault.KindOf(err), c.want)
		}
		if c.want == fault.Throttled && fault.RetryAfter(err) != 7*time.Second {
			t.Errorf("%d: asks for %v, want 7s", c.status, fault.RetryAfter(err))
		}
	}
}

// TestS7TryLimit checks that a call whose first try is never answered leaves time for two more tries by default, and
// that large bodies have time to be sent.
func TestS7TryLimit(t *testing.T) {
	p, ok := clientOptions(account{}, Options{}).PerRetryPolicies[0].(attemptPolicy)
	if limit := p.allowed(-1); !ok || limit < 5*time.Second || 3*limit > callTimeout {
		t.Errorf("a try may take %v of the %v of a call", limit, callTimeout)
	}
	if more := p.allowed(storage.MaxBlobBytes) - p.allowed(0); more != storage.MaxBlobBytes/slowest*time.Second {
		t.Errorf("the largest body may take %v more", more)
	}
}

package file_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blockblob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/sas"
	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/fetch/file"
	"github.com/tidemark/tidemark/pkg/local/azurite"
	"github.com/tidemark/tidemark/pkg/local/azurite/azuritetest"
)

func TestMain(m *testing.M) { azuritetest.Main(m) }

// account is a container in Azurite, with a client that may read it with the credential KEY.
type account struct {
	*file.Client
	t       *testing.T
	blobs   *container.Client
	address string // the address of the container
	way     *tampered
}

// tampered is the guarded transport. Tests count its requests and change its answers.
type tampered struct {
	http.RoundTripper
	asked  atomic.Int32
	tamper func(n int32, resp *http.Response)
}

func (w *tampered) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := w.RoundTripper.RoundTrip(r)
	if n := w.asked.Add(1); err == nil && w.tamper != nil {
		w.tamper(n, resp)
	}
	return resp, err
}

func newAccount(t *testing.T, name string) *account {
	t.Helper()
	server := azuritetest.Start(t)
	a := &account{t: t, address: fmt.Sprintf("http://127.0.0.1:%d/%s/%s", server.Ports.Blob, azurite.Account, name)}
	var err error
	a.blobs, err = container.NewClientFromConnectionString(server.ConnectionString(), name, nil)
	must(t, err)
	_, err = a.blobs.Create(context.Background(), nil)
	must(t, err)
	web, err := fetch.New(fetch.Config{AllowHosts: []string{fmt.Sprintf("127.0.0.1:%d", server.Ports.Blob)}})
	must(t, err)
	a.way = &tampered{RoundTripper: web.Transport()}
	settings := map[string]string{
		"CREDENTIAL_KEY":    "connection " + a.address + " " + server.ConnectionString(),
		"CREDENTIAL_SAS":    "sas " + a.address + " " + a.sas(),
		"CREDENTIAL_FOLDER": "connection " + a.address + "/in " + server.ConnectionString(),
		"CREDENTIAL_WRONG":  "key " + a.address + " " + key,
	}
	a.Client = newClient(t, file.Config{Transport: a.way, Retry: soon,
		Setting: func(n string) string { return settings[n] }})
	return a
}

// sas returns a signature that allows reading and listing.
func (a *account) sas() string {
	signed, err := a.blobs.GetSASURL(sas.ContainerPermissions{Read: true, List: true}, time.Now().Add(time.Hour), nil)
	must(a.t, err)
	_, query, _ := strings.Cut(signed, "?")
	return query
}

func (a *account) put(name, body string) {
	a.t.Helper()
	contentType := "text/plain"
	_, err := a.blobs.NewBlockBlobClient(name).UploadBuffer(context.Background(), []byte(body),
		&blockblob.UploadBufferOptions{HTTPHeaders: &blob.HTTPHeaders{BlobContentType: &contentType}})
	must(a.t, err)
}

// request returns a request for a blob by its address below the container.
func (a *account) request(path string) file.Request {
	a.t.Helper()
	return file.Request{Location: place(a.t, a.address+"/"+path), Credential: "KEY"}
}

func TestA9UnchangedBlobIsNotRead(t *testing.T) {
	a, ctx := newAccount(t, "unchanged"), context.Background()
	a.put("a.txt", "first")
	r := a.request("a.txt")
	first, err := a.Get(ctx, r)
	must(t, err)
	want := file.Response{
		Info: file.Info{ETag: first.ETag, LastModified: first.LastModified, Length: 5, ContentType: "text/plain"},
		Body: []byte("first"), WireBytes: 5, RawHash: rawHash("first"),
	}
	if diff := cmp.Diff(want, first); diff != "" || first.ETag == "" || strings.Contains(first.ETag, `"`) ||
		first.LastModified.IsZero() {
		t.Fatalf("have %+v %s", first, diff)
	}
	var read int
	a.way.tamper = func(_ int32, resp *http.Response) {
		body, _ := io.ReadAll(resp.Body)
		read += len(body)
		resp.Body = io.NopCloser(bytes.NewReader(body))
	}
	r.Known = first.Info
	again, err := a.Get(ctx, r)
	if err != nil || !again.Unchanged || again.Body != nil || again.Info != first.Info || read != 0 ||
		a.way.asked.Load() != 2 {
		t.Errorf("have %+v, %v, %d bytes, %d requests; want one request each and no bytes", again, err, read,
			a.way.asked.Load())
	}
	a.put("a.txt", "second")
	changed, err := a.Get(ctx, r)
	if err != nil || changed.Unchanged || string(changed.Body) != "second" || changed.ETag == first.ETag {
		t.Errorf("have %+v, %v", changed, err)
	}
}

func TestBlobsThatAreNotThereOrNotOurs(t *testing.T) {
	a, ctx := newAccount(t, "absent"), context.Background()
	a.put("a.txt", "x")
	other := file.Request{Location: place(t, strings.TrimSuffix(a.address, "absent")+"nowhere/a.txt")}
	wrong, anonymous := a.request("a.txt"), a.request("a.txt")
	wrong.Credential, anonymous.Credential = "WRONG", ""
	for name, tc := range map[string]struct {
		r    file.Request
		kind fault.Kind
	}{
		"absent":            {a.request("b.txt"), fault.NotFound},
		"other name":        {a.request("A.txt"), fault.NotFound},
		"wrong key":         {wrong, fault.Blocked},
		"nobody":            {anonymous, fault.Blocked},
		"container":         {file.Request{Location: place(t, a.address)}, fault.Invalid},
		"other, by nobody":  {other, fault.Blocked},
		"other, by our key": {file.Request{Location: other.Location, Credential: "KEY"}, fault.Blocked},
	} {
		if _, err := a.Get(ctx, tc.r); !fault.Is(err, tc.kind) {
			t.Errorf("%s: have %v, want kind %s", name, err, tc.kind)
		}
	}
}

// TestNamesOfBlobs checks that the client requests names exactly as given, even when their identities are equal.
func TestNamesOfBlobs(t *testing.T) {
	a := newAccount(t, "names")
	for name, path := range map[string]string{
		"a b/c+d&e=f,(g).txt":  "a b/c+d&e=f,(g).txt",
		"é/日本.txt":             "é/%E6%97%A5本.txt",
		"twice//slashed":       "twice//slashed",
		"twice/slashed":        "twice/slashed",
		"100%?#.txt":           "100%25%3F%23.txt",
		"colon:at@'quote'!*~$": "colon:at@'quote'!*~$",
	} {
		a.put(name, name)
		got, err := a.Get(context.Background(), a.request(path))
		if err != nil || string(got.Body) != name {
			t.Errorf("%s: have %q, %v", path, got.Body, err)
		}
	}
}

func TestX7EncodedBlobIsDecoded(t *testing.T) {
	a, encoding := newAccount(t, "encoded"), "gzip"
	_, err := a.blobs.NewBlockBlobClient("a").UploadBuffer(context.Background(), []byte(packed("packed")),
		&blockblob.UploadBufferOptions{HTTPHeaders: &blob.HTTPHeaders{BlobContentEncoding: &encoding}})
	must(t, err)
	got, err := a.Get(context.Background(), a.request("a"))
	if err != nil || got.Encoding != "" || string(got.Body) != "packed" {
		t.Errorf("have %+v, %v", got, err)
	}
}

// breaking is a body whose connection breaks after some bytes.
type breaking struct {
	io.ReadCloser
	left   int
	before func()
}

func (b *breaking) Read(p []byte) (int, error) {
	if b.left == 0 {
		b.before()
		return 0, io.ErrUnexpectedEOF
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

func TestBlobThatChangesWhileItIsRead(t *testing.T) {
	a := newAccount(t, "changing")
	old, fresh := strings.Repeat("o", 100_000), strings.Repeat("n", 100_000)
	for name, tc := range map[string]struct {
		writes int
		want   string
		kind   fault.Kind
	}{
		"connection breaks only": {0, old, ""},
		"written once":           {1, fresh, ""},
		"never rests":            {1000, "", fault.Conflict},
	} {
		t.Run(name, func(t *testing.T) {
			a.put("a.txt", old)
			writes := 0
			a.way.tamper = func(_ int32, resp *http.Response) {
				if resp.StatusCode != http.StatusOK || tc.writes > 0 && writes >= tc.writes {
					return // a resumed read at an offset gets 206 or 412
				}
				resp.Body = &breaking{resp.Body, 50_000, func() {
					if writes < tc.writes {
						writes++
						a.put("a.txt", fresh)
					}
				}}
			}
			got, err := a.Get(context.Background(), a.request("a.txt"))
			if string(got.Body) != tc.want || fault.KindOf(err) != tc.kind {
				t.Errorf("have %.10q, %v", got.Body, err)
			}
		})
	}
}

// collect returns the entries of a listing by their identities.
func collect(t *testing.T, listing iter.Seq2[file.Entry, error]) map[string]file.Info {
	t.Helper()
	out := map[string]file.Info{}
	for e, err := range listing {
		must(t, err)
		out[e.Location.String()] = e.Info
	}
	return out
}

func TestContainerIsKeptInStepByItsListing(t *testing.T) {
	a, ctx := newAccount(t, "listed"), context.Background()
	whole := place(t, a.address)
	a.put("same", "1")
	a.put("changed", "1")
	a.put("deleted", "1")
	before := collect(t, a.List(ctx, whole, "KEY"))
	a.put("changed", "2")
	a.put("new", "1")
	_, err := a.blobs.NewBlobClient("deleted").Delete(ctx, nil)
	must(t, err)
	after := collect(t, a.List(ctx, whole, "SAS"))

	found := map[string]string{}
	for name, info := range after {
		short := strings.TrimPrefix(name, a.address+"/")
		switch known, ok := before[name]; {
		case !ok:
			found[short] = "new"
		case !info.Same(known):
			found[short] = "changed"
		default:
			found[short] = "same"
		}
		got, err := a.Get(ctx, a.request(short))
		must(t, err)
		if diff := cmp.Diff(got.Info, info); diff != "" {
			t.Errorf("%s: the listing and the blob differ: %s", short, diff)
		}
	}
	if diff := cmp.Diff(map[string]string{"same": "same", "changed": "changed", "new": "new"}, found); diff != "" {
		t.Error(diff)
	}
}

func TestListingOfFolders(t *testing.T) {
	a, ctx := newAccount(t, "folders"), context.Background()
	for _, name := range []string{"in/a", "in/b//c", "in/é", "in/dir/", "in", "inside/a", "out/a", "in/.../a"} {
		a.put(name, "1")
	}
	got := collect(t, a.List(ctx, place(t, a.address+"/in"), "FOLDER"))
	want := []string{"/in/a", "/in/b//c", "/in/%C3%A9", "/in/.../a"}
	for _, name := range want {
		if _, ok := got[a.address+name]; !ok {
			t.Errorf("%s is not listed", name)
		}
	}
	if len(got) != len(want) {
		t.Errorf("have %v", got)
	}
	for _, refused := range []file.Location{place(t, a.address), place(t, a.address+"/inside")} {
		for _, err := range a.List(ctx, refused, "FOLDER") {
			if !fault.Is(err, fault.Blocked) {
				t.Errorf("%s: have %v", refused, err)
			}
		}
	}
}

func TestListingGoesOverPages(t *testing.T) {
	a, ctx := newAccount(t, "pages"), context.Background()
	const blobs, page = 13, 10
	a.SetPage(page)
	for i := range blobs {
		_, err := a.blobs.NewBlockBlobClient(fmt.Sprintf("%04d", i)).UploadBuffer(ctx, nil, nil)
		must(t, err)
	}
	if got := collect(t, a.List(ctx, place(t, a.address), "KEY")); len(got) != blobs || a.way.asked.Load() != 2 {
		t.Errorf("have %d blobs by %d requests", len(got), a.way.asked.Load())
	}
	for range a.List(ctx, place(t, a.address), "KEY") {
		break // no further page is requested
	}
	if a.way.asked.Load() != 3 {
		t.Errorf("have %d requests", a.way.asked.Load())
	}
	a.way.tamper = func(n int32, resp *http.Response) {
		if n > 4 {
			resp.StatusCode = http.StatusNotFound
			resp.Header.Set("x-ms-error-code", "ContainerNotFound")
		}
	}
	seen, failed := 0, error(nil)
	for _, err := range a.List(ctx, place(t, a.address), "KEY") {
		if seen++; err != nil {
			failed = err
		}
	}
	if seen != page+1 || !fault.Is(failed, fault.NotFound) {
		t.Errorf("have %d entries, then %v", seen, failed)
	}
}

func TestListingsThatCannotBe(t *testing.T) {
	a := newAccount(t, "unlisted")
	nowhere := place(t, strings.TrimSuffix(a.address, "unlisted")+"nowhere")
	for name, tc := range map[string]struct {
		place      file.Location
		credential string
		kind       fault.Kind
	}{
		"no such container": {nowhere, "", fault.Blocked},
		"by nobody":         {place(t, a.address), "", fault.Blocked},
		"by a wrong key":    {place(t, a.address), "WRONG", fault.Blocked},
		"of this machine":   {place(t, "/data"), "", fault.Invalid},
		"of a share":        {place(t, "https://acct.file.core.windows.net/team/a"), "", fault.Invalid},
	} {
		n := 0
		for _, err := range a.List(context.Background(), tc.place, tc.credential) {
			if n++; !fault.Is(err, tc.kind) {
				t.Errorf("%s: have %v, want kind %s", name, err, tc.kind)
			}
		}
		if n != 1 {
			t.Errorf("%s: have %d entries", name, n)
		}
	}
}

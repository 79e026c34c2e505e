package crawl

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/tidemark/tidemark/pkg/fetch/file"
	"github.com/tidemark/tidemark/pkg/registry"
)

// depot is a blob service with one container, /acct/shelf, whose behaviour the test sets. A listing has two blobs on
// a page.
type depot struct {
	*httptest.Server
	stock map[string]string
	asked []string        // requested blobs, each with the signature of the request
	shut  map[string]bool // signatures that open no blob
	fail  int             // pages of a listing before one fails; 0: no page fails
	wrote time.Time       // modification time of all blobs
}

func newDepot(t *testing.T) *depot {
	d := &depot{stock: map[string]string{}, shut: map[string]bool{}}
	d.Server = httptest.NewServer(d)
	t.Cleanup(d.Close)
	return d
}

func (d *depot) address() string { return d.URL + "/acct/shelf" }

func (d *depot) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name, _ := strings.CutPrefix(r.URL.Path, "/acct/shelf/")
	w.Header().Set("x-ms-version", r.Header.Get("x-ms-version"))
	if r.URL.Query().Get("comp") == "list" {
		d.list(w, r)
		return
	}
	signature := r.URL.Query().Get("sig")
	d.asked = append(d.asked, strings.TrimSpace(name+" "+signature))
	body, ok := d.stock[name]
	switch {
	case d.shut[signature]:
		w.Header().Set("x-ms-error-code", "AuthenticationFailed")
		w.WriteHeader(http.StatusForbidden)
	case !ok:
		w.Header().Set("x-ms-error-code", "BlobNotFound")
		w.WriteHeader(http.StatusNotFound)
	default:
		w.Header().Set("ETag", `"`+revision(body)+`"`)
		http.ServeContent(w, r, name, time.Time{}, strings.NewReader(body))
	}
}

func revision(body string) string { return fmt.Sprintf("%x", []byte(body[:min(20, len(body))])) }

// list answers with two blobs and, while there are more, the marker of the next page.
func (d *depot) list(w http.ResponseWriter, r *http.Request) {
	names := slices.Sorted(maps.Keys(d.stock))
	from, _ := slices.BinarySearch(names, r.URL.Query().Get("marker"))
	if d.fail > 0 && from >= 2*d.fail {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	var page bytes.Buffer
	page.WriteString("<EnumerationResults><Blobs>")
	for _, name := range names[from:min(from+2, len(names))] {
		page.WriteString("<Blob><Name>")
		_ = xml.EscapeText(&page, []byte(name))
		fmt.Fprintf(
			&page,
			"</Name><Properties><Etag>%s</Etag><Content-Length>%d</Content-Length>"+
				"<Last-Modified>%s</Last-Modified></Properties></Blob>",
			revision(d.stock[name]),
			len(d.stock[name]),
			d.wrote.UTC().Format(http.TimeFormat),
		)
	}
	page.WriteString("</Blobs>")
	if from+2 < len(names) {
		fmt.Fprintf(&page, "<NextMarker>%s</NextMarker>", url.QueryEscape(names[from+2]))
	}
	page.WriteString("</EnumerationResults>")
	w.Header().Set("Content-Type", "application/xml")
	_, _ = w.Write(page.Bytes())
}

// asks returns the requests since the last call.
func (d *depot) asks() []string {
	out := d.asked
	d.asked = nil
	slices.Sort(out)
	return out
}

// docks is a rig with a depot. Its credentials SHELF and OWN are valid for the depot named first.
type docks struct {
	*rig
	*depot
}

func newDocks(t *testing.T) *docks {
	d := newDepot(t)
	return &docks{depot: d, rig: newRig(t, func(k *knobs) {
		var err error
		k.crawl.Files, err = file.New(file.Config{
			Setting: func(name string) string {
				return "sas " + d.address() + " sv=1&sig=" + strings.TrimPrefix(name, "CREDENTIAL_")
			},
			Transport: http.DefaultTransport, Retry: policy.RetryOptions{MaxRetries: -1},
		})
		must(t, err)
	})}
}

// whole lists the container now, with a credential if one is named, and checks the blobs that it found.
func (d *docks) whole(credential string) registry.Item {
	d.t.Helper()
	d.clock.pass(time.Hour)
	_, err := d.reg.Jobs.Sweep(d.t.Context()) // collects items that have become due by themselves
	must(d.t, err)
	return d.fileItem(d.address(), registry.RegisterOptions{Credential: credential})
}

func (d *docks) blob(name string) registry.Item {
	d.t.Helper()
	return d.blobOf(d.depot, name)
}

func (d *docks) blobOf(where *depot, name string) registry.Item {
	d.t.Helper()
	place, err := file.Parse(where.address() + "/" + name)
	must(d.t, err)
	it, err := d.reg.Items.Find(d.t.Context(), place.Source().ID())
	must(d.t, err)
	return it
}

func (d *docks) want(asks ...string) {
	d.t.Helper()
	if have := d.asks(); !slices.Equal(have, asks) {
		d.t.Errorf("asked for %q, want %q", have, asks)
	}
}

// TestA9ContainersOfOneName checks A9: a container does not touch the blobs of a container of the same name at
// another address.
func TestA9ContainersOfOneName(t *testing.T) {
	d, other := newDocks(t), newDepot(t)
	d.stock["a.txt"], other.stock["b.txt"] = "Here.", "There."
	d.whole("")
	d.fileItem(other.address(), registry.RegisterOptions{})
	for range 2 {
		if it := d.whole("SHELF"); !strings.Contains(
			fmt.Sprint(it.History),
			"1 blob: 0 new, 0 changed, 0 no longer there",
		) {
			t.Errorf("%v", it.History)
		}
	}
	if it := d.blobOf(other, "b.txt"); it.Status != indexed || it.Credential != "" || len(other.asks()) != 1 {
		t.Errorf("the other's blob: %s (%s), by %q", it.Status, it.ErrorMessage, it.Credential)
	}
}

// TestA24ContainerAndCredentials checks A24: a blob that was added with a credential of its own keeps the credential
// while it works.
func TestA24ContainerAndCredentials(t *testing.T) {
	d := newDocks(t)
	d.stock["own.txt"], d.stock["new.txt"] = "First.", "First."
	d.fileItem(d.address()+"/own.txt", registry.RegisterOptions{Credential: "OWN"})
	d.whole("SHELF")
	d.want("new.txt SHELF", "own.txt OWN")
	d.stock["own.txt"], d.stock["new.txt"] = "Second.", "Second."
	d.whole("")
	d.want("new.txt SHELF", "own.txt OWN")
	d.shut["OWN"] = true
	d.fileItem(d.address()+"/own.txt", registry.RegisterOptions{})
	if it := d.blob("own.txt"); it.Status != registry.Error {
		t.Fatalf("locked out: %s", it.Status)
	}
	d.asks()
	for range 2 {
		d.whole("")
	}
	if it := d.blob("own.txt"); it.Status != indexed || it.Credential != "SHELF" {
		t.Errorf("let in again: %s (%s) by %s", it.Status, it.ErrorMessage, it.Credential)
	}
	d.want("own.txt OWN", "own.txt SHELF") // the first request as scheduled
}

// TestA3ContainerSlashes checks A3: names that differ only in slashes are one source, which is read under the first
// name.
func TestA3ContainerSlashes(t *testing.T) {
	d := newDocks(t)
	d.stock["a//b.txt"] = "Between two slashes."
	d.whole("")
	d.want("a//b.txt")
	d.stock["a/b.txt"] = "Behind one."
	for range 2 {
		if it := d.whole(""); !strings.Contains(
			fmt.Sprint(it.History),
			"2 blobs: 0 new, 0 changed, 0 no longer there; 1 passed over",
		) {
			t.Errorf("nobody is told: %v", it.History)
		}
	}
	d.want()
	if it := d.blob("a/b.txt"); it.Status != indexed {
		t.Errorf("%s (%s)", it.Status, it.ErrorMessage)
	}
}

// TestA3ContainerNames checks A3: a blob whose name cannot be an address is reported.
func TestA3ContainerNames(t *testing.T) {
	d := newDocks(t)
	d.stock["a/../b.txt"], d.stock["c.txt"] = "Up and down.", "The text of c."
	if it := d.whole(""); !strings.Contains(
		fmt.Sprint(it.History),
		"2 blobs: 1 new, 0 changed, 0 no longer there; 1 passed over",
	) {
		t.Errorf("nobody is told: %v", it.History)
	}
	d.want("c.txt")
}

// TestA9ContainerListedInPart checks A9: an interrupted listing decides nothing about the blobs that it did not
// reach.
func TestA9ContainerListedInPart(t *testing.T) {
	d := newDocks(t)
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		d.stock[name+".txt"] = "The text of " + name
	}
	d.whole("")
	d.asks()
	d.fail = 1
	delete(d.stock, "e.txt")
	if it := d.whole(""); it.Status != registry.Error || it.ContentHash == "" {
		t.Errorf("%s (%s)", it.Status, it.ErrorMessage)
	}
	d.want()
	d.fail = 0
	for range 4 {
		d.whole("")
	}
	d.want("e.txt", "e.txt", "e.txt")
	if it := d.blob("e.txt"); it.Status != registry.Gone || d.index.holds(it) != "" {
		t.Errorf("deleted: %s (%s)", it.Status, it.ErrorMessage)
	}
	d.stock["e.txt"] = "The text of e" // undoes the deletion, with the same revision
	d.whole("")
	d.whole("")
	d.want("e.txt")
	if it := d.blob("e.txt"); it.Status != indexed {
		t.Errorf("back: %s (%s)", it.Status, it.ErrorMessage)
	}
}

// TestA9ContainerTooLarge checks A9: a container that is too large fails, whether its blobs are listed or known. Gone
// blobs do not count.
func TestA9ContainerTooLarge(t *testing.T) {
	d := newDocks(t)
	maxBlobs = 3
	t.Cleanup(func() { maxBlobs = maxContainer })
	tooLarge := func(what string) {
		t.Helper()
		if it := d.whole(""); it.Status != registry.Error || !strings.Contains(it.ErrorMessage, "more than 3 blobs") {
			t.Errorf("%s: %s (%s)", what, it.Status, it.ErrorMessage)
		}
	}
	for _, name := range []string{"a", "b", "c", "d"} {
		d.stock[name+".txt"] = "The text of " + name
	}
	tooLarge("listed")
	for name := range d.stock {
		d.fileItem(d.address()+"/"+name, registry.RegisterOptions{})
	}
	delete(d.stock, "a.txt")
	tooLarge("known")
	for range 3 {
		d.fileItem(d.address()+"/a.txt", registry.RegisterOptions{})
	}
	if it := d.whole(""); it.Status != registry.Crawled {
		t.Errorf("after one has gone: %s (%s)", it.Status, it.ErrorMessage)
	}
}

// TestA17ContainerWithABrokenDocument checks A17: a blob that cannot be read is read again only once it has been
// written again, not at each listing.
func TestA17ContainerWithABrokenDocument(t *testing.T) {
	d := newDocks(t)
	d.stock["a.pdf"] = "%PDF-1.7 and nothing more"
	d.wrote = d.clock.now()
	d.whole("")
	if it := d.blob("a.pdf"); it.Status != registry.Error {
		t.Fatalf("%s (%s)", it.Status, it.ErrorMessage)
	}
	d.want("a.pdf")
	soon := func() { d.fileItem(d.address(), registry.RegisterOptions{}) }
	soon()
	d.want()
	d.stock["a.pdf"], d.wrote = "%PDF-1.7, and still not whole", d.clock.now().Add(time.Second)
	soon()
	d.want("a.pdf")
	soon()
	d.want()
}

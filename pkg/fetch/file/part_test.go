//go:build unix

package file_test

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blockblob"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/fetch/file"
)

// rest reads a part to its end and closes it.
func rest(t *testing.T, p *file.Part) string {
	t.Helper()
	b, err := io.ReadAll(p)
	must(t, err)
	must(t, p.Unchanged())
	must(t, p.Close())
	return string(b)
}

func TestD6OpenAtLocal(t *testing.T) {
	root := t.TempDir()
	path := filepath.Join(root, "in", "a.mbox")
	write(t, path, "0123456789")
	c, ctx := newClient(t, file.Config{Root: root, RootName: "EMAIL_IMPORT_ROOT"}), context.Background()
	r := file.Request{Location: place(t, path)}
	p, err := c.OpenAt(ctx, r, 0)
	must(t, err)
	if p.Length != 10 || p.LastModified.IsZero() || rest(t, p) != "0123456789" {
		t.Fatalf("%+v", p.Info)
	}
	r.Known = p.Info
	p, err = c.OpenAt(ctx, r, 7)
	must(t, err)
	if have := rest(t, p); have != "789" {
		t.Errorf("%q", have)
	}
	if _, err := c.OpenAt(ctx, r, 10); !fault.Is(err, fault.Invalid) {
		t.Errorf("at the end: %v", err)
	}
	p, err = c.OpenAt(ctx, r, 0)
	must(t, err)
	write(t, path, "012345678")
	if err := p.Unchanged(); !fault.Is(err, fault.Conflict) {
		t.Errorf("changed while it is open: %v", err)
	}
	must(t, p.Close())
	if _, err := c.OpenAt(ctx, r, 5); !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "has changed") {
		t.Errorf("changed: %v", err)
	}
	must(t, os.Remove(path))
	if _, err := c.OpenAt(ctx, r, 0); !fault.Is(err, fault.NotFound) {
		t.Errorf("gone: %v", err)
	}
	r.Location = place(t, "/etc/passwd")
	if _, err := c.OpenAt(ctx, r, 0); !fault.Is(err, fault.Blocked) ||
		!strings.Contains(err.Error(), "EMAIL_IMPORT_ROOT") {
		t.Errorf("outside: %v", err)
	}
}

func TestD6OpenAtBlob(t *testing.T) {
	a, ctx := newAccount(t, "openat"), context.Background()
	put := func(body string) {
		t.Helper()
		_, err := a.blobs.NewBlockBlobClient("in/a.mbox").UploadBuffer(ctx, []byte(body), &blockblob.UploadBufferOptions{})
		must(t, err)
	}
	put("0123456789")
	r := file.Request{Location: place(t, a.address+"/in/a.mbox"), Credential: "KEY"}
	p, err := a.OpenAt(ctx, r, 0)
	must(t, err)
	if p.Length != 10 || p.ETag == "" || rest(t, p) != "0123456789" {
		t.Fatalf("%+v", p.Info)
	}
	r.Known = p.Info
	p, err = a.OpenAt(ctx, r, 7)
	must(t, err)
	if p.Length != 10 || rest(t, p) != "789" {
		t.Errorf("%+v", p.Info)
	}
	if _, err := a.OpenAt(ctx, r, 10); !fault.Is(err, fault.Invalid) {
		t.Errorf("at the end: %v", err)
	}
	put("012345678")
	if _, err := a.OpenAt(ctx, r, 5); !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "has changed") {
		t.Errorf("changed: %v", err)
	}
	put("")
	p, err = a.OpenAt(ctx, file.Request{Location: r.Location, Credential: "KEY"}, 0)
	must(t, err)
	if p.Length != 0 || rest(t, p) != "" {
		t.Errorf("empty: %+v", p.Info)
	}
	in := file.Request{Location: place(t, a.address+"/in/b.mbox"), Credential: "KEY"}
	if _, err := a.OpenAt(ctx, in, 0); !fault.Is(err,
		fault.NotFound) {
		t.Errorf("missing: %v", err)
	}
}

func TestD6Below(t *testing.T) {
	for _, tt := range []struct {
		folder, path string
		want         bool
	}{
		{"/srv/mail", "/srv/mail/a.mbox", true},
		{"/srv/mail", "/srv/mail2/a.mbox", false},
		{"/srv/mail", "/srv/mail", false},
		{"/srv/mail", "https://acct.blob.core.windows.net/srv/mail/a", false},
		{"https://acct.blob.core.windows.net/mail", "https://acct.blob.core.windows.net/mail/a", true},
		{"https://acct.blob.core.windows.net/mail/in/", "https://acct.blob.core.windows.net/mail/in/b/a", true},
		{"https://acct.blob.core.windows.net/mail/in", "https://acct.blob.core.windows.net/mail/inner/a", false},
		{"https://acct.blob.core.windows.net/mail/in", "https://acct.blob.core.windows.net/other/in/a", false},
		{"https://acct.blob.core.windows.net/mail/in", "https://other.blob.core.windows.net/mail/in/a", false},
		{"http://127.0.0.1:10000/devstoreaccount1/mail", "http://127.0.0.1:10000/devstoreaccount1/mail/a", true},
	} {
		if have := place(t, tt.path).Below(place(t, tt.folder)); have != tt.want {
			t.Errorf("%s below %s: %v", tt.path, tt.folder, have)
		}
	}
	for folder, want := range map[string]string{
		"/srv/mail": "/srv/mail/in/a b.mbox",
		"https://acct.blob.core.windows.net/mail":   "https://acct.blob.core.windows.net/mail/in/a%20b.mbox",
		"https://acct.blob.core.windows.net/mail/x": "https://acct.blob.core.windows.net/mail/x/in/a%20b.mbox",
	} {
		if p, err := place(t, folder).Join("in/a b.mbox"); err != nil || p.String() != want {
			t.Errorf("%s: %s %v", folder, p, err)
		}
		if p, err := place(t, folder).Join("../a"); fault.FieldOf(err) != "path" {
			t.Errorf("%s: %s %v", folder, p, err)
		}
	}
}

package app

import (
	"bytes"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/mbox/mboxtest"
	"github.com/tidemark/tidemark/pkg/local/azurite"
	"github.com/tidemark/tidemark/pkg/local/azurite/azuritetest"
	"github.com/tidemark/tidemark/pkg/run/mailimport"
	"github.com/tidemark/tidemark/pkg/search/sqlitesearch"
)

// D6: mails in a folder of a private container are imported with settings alone, with state and files on Azurite.
// Other folders are not accessible, and nothing is without the credential.
func TestD6BlobRoot(t *testing.T) {
	server := azuritetest.Start(t)
	inbox := fmt.Sprintf("http://127.0.0.1:%d/%s/mail/in", server.Ports.Blob, azurite.Account)
	made := putMails(t, server, "in/2025/all mails.mbox", "inside.mbox")
	settings := map[string]string{
		"AzureWebJobsStorage": server.ConnectionString(), "TIDEMARK_DATA": t.TempDir(),
		"CRAWL_ALLOW_HOSTS": fmt.Sprintf("127.0.0.1:%d", server.Ports.Blob),
		"EMAIL_IMPORT_ROOT": inbox, "EMAIL_IMPORT_CREDENTIAL": "MAIL", "CREDENTIAL_MAIL": "connection " + inbox + " " +
			server.ConnectionString(),
	}
	imports := importsOf(t, settings)
	im, err := imports.Start(t.Context(), mailimport.Request{Path: "2025/all mails.mbox", Chunk: 40})
	must(t, err)
	im, err = imports.Advance(t.Context(), im, time.Minute)
	must(t, err)
	if im.State != mailimport.Done || im.Mails != made.Mails || im.Inserted != made.Newsletter+made.Threads ||
		im.Offset != made.Bytes {
		t.Errorf("%s %s after %d mails, %d inserted, of %+v", im.State, im.Message, im.Mails, im.Inserted, made)
	}
	for _, path := range []string{"../inside.mbox", inbox + "side.mbox", inbox + "/../inside.mbox"} {
		if _, err := imports.Start(t.Context(), mailimport.Request{Path: path}); fault.FieldOf(err) != "mbox_path" {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := imports.Start(t.Context(), mailimport.Request{Path: "none.mbox"}); !fault.Is(err, fault.NotFound) {
		t.Errorf("no file: %v", err)
	}
	delete(settings, "EMAIL_IMPORT_CREDENTIAL")
	if _, err := importsOf(t, settings).Start(t.Context(),
		mailimport.Request{Path: "2025/all mails.mbox"}); fault.FieldOf(err) != "mbox_path" {
		t.Errorf("without a credential: %v", err)
	}
}

// putMails writes the same mbox to blobs of a private container, which it creates.
func putMails(t *testing.T, server *azurite.Server, names ...string) mboxtest.Made {
	t.Helper()
	blobs, err := container.NewClientFromConnectionString(server.ConnectionString(), "mail", nil)
	must(t, err)
	_, err = blobs.Create(t.Context(), nil)
	must(t, err)
	var file bytes.Buffer
	made, err := mboxtest.Write(&file, mboxtest.Options{Mails: 100})
	must(t, err)
	for _, name := range names {
		_, err := blobs.NewBlockBlobClient(name).UploadBuffer(t.Context(), file.Bytes(), nil)
		must(t, err)
	}
	return made
}

// importsOf returns the mail imports of an app with those settings.
func importsOf(t *testing.T, settings map[string]string) *mailimport.Service {
	t.Helper()
	cfg, err := Load(env(settings))
	must(t, err)
	log := slog.New(slog.DiscardHandler)
	store, err := OpenStore(env(settings), log)
	must(t, err)
	t.Cleanup(func() { must(t, store.Close()) })
	index, err := sqlitesearch.Open(t.TempDir()+"/index.db", sqlitesearch.Options{})
	must(t, err)
	t.Cleanup(func() { must(t, index.Close()) })
	s, err := Assemble(t.Context(), cfg, env(settings), store, index, log)
	must(t, err)
	return s.Imports
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

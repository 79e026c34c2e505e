package app

import (
	"log/slog"
	"net/http"
	"strings"

	"github.com/tidemark/tidemark/pkg/enrich"
	"github.com/tidemark/tidemark/pkg/entries"
	"github.com/tidemark/tidemark/pkg/file"
	"github.com/tidemark/tidemark/pkg/file/credential"
	"github.com/tidemark/tidemark/pkg/mailimport"
	"github.com/tidemark/tidemark/pkg/storage"
)

const (
	mailRootAllowed = "the absolute path of a folder that exists, or the address of a blob container or of a folder in one, without a query"
	mailKeyAllowed  = "the name of a credential that is set, such as DOCS for CREDENTIAL_DOCS, beside an address in EMAIL_IMPORT_ROOT"
)

// mailRoot reads where mbox files lie.
func (s *settings) mailRoot() mailimport.Root {
	const name, key = "EMAIL_IMPORT_ROOT", "EMAIL_IMPORT_CREDENTIAL"
	value, named := s.text(name, ""), s.text(key, "")
	root, err := mailimport.ParseRoot(value, named)
	folder := root.Folder()
	switch {
	case strings.Contains(value, "?"):
		s.withhold(name, mailRootAllowed) // what follows may be a signature
	case err != nil || folder != "" && !isFolder(folder):
		s.bad(name, mailRootAllowed)
	}
	if named == "" {
		return root
	}
	if _, err := credential.Find(s.get, named); err != nil || folder != "" || value == "" {
		s.bad(key, mailKeyAllowed)
	}
	return root
}

// newImports opens the imports of mails. Their files are below a root of their own.
func newImports(cfg Config, get func(string) string, store storage.Store, kept *entries.Store, tier1 *enrich.Service, way http.RoundTripper, log *slog.Logger) (*mailimport.Service, error) {
	files, err := file.New(file.Config{Root: cfg.MailRoot.Folder(), RootName: "EMAIL_IMPORT_ROOT", Setting: get, Transport: way})
	if err != nil {
		return nil, err
	}
	return mailimport.New(store, files, kept, tier1, mailimport.Options{Root: cfg.MailRoot, Log: log}), nil
}

package app

import (
	"strings"

	"github.com/tidemark/tidemark/pkg/fetch/file/credential"
	"github.com/tidemark/tidemark/pkg/run/mailimport"
)

const (
	mailRootAllowed = "the absolute path of a folder that exists, or the address of a blob container or of a folder in " +
		"one, without a query"
	mailKeyAllowed = "the name of a credential that is set, such as DOCS for CREDENTIAL_DOCS, beside an address in " +
		"EMAIL_IMPORT_ROOT"
)

// readMailRoot reads the location of mbox files, and the name of their credential.
func (c *Config) readMailRoot(s *settings, name string) {
	const key = "EMAIL_IMPORT_CREDENTIAL"
	value, named := s.text(name), s.text(key)
	root, err := mailimport.ParseRoot(value, named)
	folder := root.Folder()
	switch {
	case strings.Contains(value, "?"):
		s.withhold(name, mailRootAllowed) // parts of the value may be a signature
	case err != nil || folder != "" && !isFolder(folder):
		s.bad(name, mailRootAllowed)
	}
	c.MailRoot = root
	if named == "" {
		return
	}
	if _, err := credential.Find(s.get, named); err != nil || folder != "" || value == "" {
		s.bad(key, mailKeyAllowed)
	}
}

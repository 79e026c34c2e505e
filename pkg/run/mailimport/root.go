package mailimport

import (
	"path/filepath"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/fetch/file"
)

// Root is the only location of files that may be imported: a folder of this machine, or a container or folder of
// blobs.
type Root struct {
	Credential string // name of the credential for private blobs
	at         file.Location
}

// ParseRoot parses the setting EMAIL_IMPORT_ROOT. For "" it returns the zero Root.
func ParseRoot(raw, credential string) (Root, error) {
	if raw == "" {
		return Root{}, nil
	}
	if filepath.IsAbs(raw) {
		raw = filepath.Clean(raw)
	}
	at, err := file.Parse(raw)
	if err == nil && at.Kind() != file.Local && at.Kind() != file.Blob {
		err = fault.New(fault.Invalid,
			"want a folder of this machine, or the address of a blob container or of a folder in one")
	}
	return Root{Credential: credential, at: at}, err
}

// Folder returns the path of the root if it is a folder of this machine, otherwise "".
func (r Root) Folder() string {
	if r.at.Kind() != file.Local {
		return ""
	}
	return r.at.String()
}

// locate returns the location of a file below the root. The path is the full path, or is relative to the root.
// Errors: Invalid, with the field mbox_path; Blocked when no root is configured.
func (r Root) locate(path string) (file.Location, error) {
	if r == (Root{Credential: r.Credential}) {
		return file.Location{}, fault.New(fault.Blocked,
			"nothing can be imported here: EMAIL_IMPORT_ROOT, the folder or blob "+
				"container that mails may lie under, is not set")
	}
	p, err := file.Parse(path)
	if whole := err == nil || filepath.IsAbs(path) || strings.Contains(path, "://"); !whole {
		p, err = r.at.Join(path)
	}
	if err == nil && !p.Below(r.at) {
		err = fault.New(fault.Invalid, "the path is not below EMAIL_IMPORT_ROOT")
	}
	if err != nil {
		return file.Location{}, fault.Field("mbox_path", "%w", err)
	}
	return p, nil
}

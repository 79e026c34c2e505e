package main

import (
	"archive/zip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// epoch is the time of every entry: the earliest that a zip can represent.
var epoch = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// write writes a temporary zip next to out and then renames it to out, so that out is never incomplete. It returns
// the size of the zip in bytes.
func write(out string, c *contents) (size int64, err error) {
	if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
		return 0, err
	}
	temp, err := os.CreateTemp(filepath.Dir(out), ".package-*.zip")
	if err != nil {
		return 0, err
	}
	defer os.Remove(temp.Name()) // fails after the rename, which is no error
	err = archive(temp, c)
	if info, e := temp.Stat(); e == nil {
		size = info.Size()
	}
	// CreateTemp makes private files, but other users must be able to deploy the zip.
	if err = errors.Join(err, temp.Chmod(0o644), temp.Close()); err != nil {
		return 0, err
	}
	return size, os.Rename(temp.Name(), out)
}

func archive(w io.Writer, c *contents) error {
	z := zip.NewWriter(w)
	for _, name := range c.files {
		if err := add(z, c, name); err != nil {
			return err
		}
	}
	return z.Close()
}

// add adds one file with a fixed mode, not with its mode on disk: the result must not depend on the user who built
// the app, and the host does not start if it cannot read a file.
func add(z *zip.Writer, c *contents, name string) error {
	h := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: epoch}
	mode := fs.FileMode(0o644)
	if name == c.executable {
		mode = 0o755
	}
	h.SetMode(mode) // also marks the entry as made on Unix; without that mark, modes have no meaning
	w, err := z.CreateHeader(h)
	if err != nil {
		return err
	}
	f, err := os.Open(filepath.Join(c.dir, filepath.FromSlash(name)))
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(w, f)
	return err
}

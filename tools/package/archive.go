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

// epoch is the time of every entry: the first that a zip can tell.
var epoch = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// write writes the zip beside out and renames it, so that out is never half a zip. It returns
// the size in bytes.
func write(out string, c *contents) (size int64, err error) {
	if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
		return 0, err
	}
	temp, err := os.CreateTemp(filepath.Dir(out), ".package-*.zip")
	if err != nil {
		return 0, err
	}
	defer os.Remove(temp.Name()) // in vain after the rename
	err = archive(temp, c)
	if info, e := temp.Stat(); e == nil {
		size = info.Size()
	}
	// CreateTemp makes files private; a zip is for others to deploy.
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

// add copies one file. Modes are set and not copied: they must not depend on who built the app,
// and a file that others cannot read keeps the host from starting.
func add(z *zip.Writer, c *contents, name string) error {
	h := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: epoch}
	mode := fs.FileMode(0o644)
	if name == c.executable {
		mode = 0o755
	}
	h.SetMode(mode) // which also says that Unix made this entry, without which modes mean nothing
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

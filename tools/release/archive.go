package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// archive writes a zip for Windows and a tar.gz for other systems.
func (r *release) archive(t target) error {
	from, write, suffix := r.stage("archives"), writeTar, ".tar.gz"
	if t.system == "windows" {
		write, suffix = writeZip, ".zip"
	}
	f, err := os.Create(r.asset(t.String() + suffix))
	if err != nil {
		return err
	}
	return errors.Join(write(f, os.DirFS(from), r.folder(t), r.at), f.Close())
}

// modeOf returns the mode of a file in an archive. It does not use the mode on disk, which depends on the umask of
// the build.
func modeOf(name string, d fs.DirEntry) fs.FileMode {
	base := filepath.Base(name)
	if d.IsDir() || base == "tidemark" || base == "tidemark.exe" {
		return 0o755
	}
	return 0o644
}

// writeTar packs a folder in the order of names, with one time for all files and no owner.
func writeTar(w io.Writer, from fs.FS, folder string, at time.Time) error {
	z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	t := tar.NewWriter(z)
	err = fs.WalkDir(from, folder, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		h := &tar.Header{Name: name, Mode: int64(modeOf(name, d)), ModTime: at, Format: tar.FormatUSTAR}
		h.Typeflag = tar.TypeReg
		if d.IsDir() {
			h.Name, h.Typeflag = name+"/", tar.TypeDir
			return t.WriteHeader(h)
		}
		b, err := fs.ReadFile(from, name)
		if err != nil {
			return err
		}
		h.Size = int64(len(b))
		if err := t.WriteHeader(h); err != nil {
			return err
		}
		_, err = t.Write(b)
		return err
	})
	return errors.Join(err, t.Close(), z.Close())
}

// writeZip packs a folder into a zip, in the same way as writeTar. It does not convert line ends to those of Windows.
func writeZip(w io.Writer, from fs.FS, folder string, at time.Time) error {
	z := zip.NewWriter(w)
	err := fs.WalkDir(from, folder, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		h := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: at}
		h.SetMode(modeOf(name, d))
		to, err := z.CreateHeader(h)
		if err != nil {
			return err
		}
		b, err := fs.ReadFile(from, name)
		if err != nil {
			return err
		}
		_, err = io.Copy(to, strings.NewReader(string(b)))
		return err
	})
	return errors.Join(err, z.Close())
}

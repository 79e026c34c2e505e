package main

import (
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// A target is a platform, by Go's names.
type target struct{ system, arch string }

func (t target) String() string { return t.system + "_" + t.arch }

// env returns the environment variables that make Go build for a target. The binary runs on the oldest processors of
// the target, whatever the builder's own settings are.
func (t target) env() []string {
	return []string{"GOOS=" + t.system, "GOARCH=" + t.arch, "GOAMD64=v1", "GOARM64=v8.0"}
}

// folder returns the name of the only folder of an archive.
func (r *release) folder(t target) string { return fmt.Sprintf("tidemark_%s_%s", r.version, t) }

// binary returns the path of a target's binary. The build of the container image uses that binary, too.
func (r *release) binary(t target) string {
	name := "tidemark"
	if t.system == "windows" {
		name += ".exe"
	}
	return r.stage("bin", t.String(), name)
}

// build builds a binary that has its version and commit, and no trace of the machine that built it.
func (r *release) build(t target) error {
	flags := fmt.Sprintf("-s -w -buildid= -X main.version=%s -X main.commit=%s", r.version, r.commit)
	return r.do(t.env(), "go", "build", "-trimpath", "-ldflags", flags, "-o", r.binary(t), "./cmd/tidemark")
}

// gather collects the files of an archive.
func (r *release) gather(t target, parts []component) error {
	dir := r.stage("archives", r.folder(t))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := copyFile(r.binary(t), filepath.Join(dir, filepath.Base(r.binary(t))), 0o755); err != nil {
		return err
	}
	for _, name := range []string{"LICENSE", "README.md"} {
		if err := copyFile(filepath.Join(r.root, name), filepath.Join(dir, name), 0o644); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(dir, licenceFile), []byte(licenceText(parts)), 0o644); err != nil {
		return err
	}
	return os.CopyFS(dir, os.DirFS(r.stage("help")))
}

// copyFile copies a file and sets its mode.
func copyFile(from, to string, mode os.FileMode) error {
	b, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.WriteFile(to, b, mode); err != nil {
		return err
	}
	return os.Chmod(to, mode) // sets the mode again, because the umask may have changed it
}

// compress writes a file as gzip -9n does: without its name and time.
func compress(to string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	var b strings.Builder
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := w.Write(text); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return os.WriteFile(to, []byte(b.String()), 0o644)
}

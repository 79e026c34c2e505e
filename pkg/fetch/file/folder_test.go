//go:build unix

package file_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/fetch/file"
)

func anything(string, bool) error { return nil }

// walked returns what a walk yields: names of files, and reasons followed by names.
func walked(t *testing.T, c *file.Client, folder string, want file.Want) (out []string, err error) {
	t.Helper()
	for e, err := range c.Walk(t.Context(), place(t, folder), want) {
		switch {
		case err != nil:
			return out, err
		case e.Refused != nil:
			out = append(out, e.Refused.Error()+": "+e.Name)
		default:
			out = append(out, e.Name)
		}
	}
	return out, nil
}

// TestA26Walk checks which files a walk yields, and what it says of everything else that is in the folder.
func TestA26Walk(t *testing.T) {
	base := t.TempDir()
	root := filepath.Join(base, "root")
	folder := filepath.Join(root, "docs")
	for _, name := range []string{"b.txt", "a.txt", "sub/c.txt", "sub/deep/d.txt", "e\xff.txt", "f\n.txt",
		"cafe\u0301.txt", "caf\u00e9.txt", "A.txt", `back\slash.txt`, "%2e%2e.txt", "out.txt"} {
		write(t, filepath.Join(folder, name), "text of "+name)
	}
	write(t, filepath.Join(root, "other", "secret.txt"), canary)
	for link, target := range map[string]string{"file": "a.txt", "up": "../other", "loop": ".", "root": "/",
		"secret.txt": "../other/secret.txt"} {
		must(t, os.Symlink(target, filepath.Join(folder, link)))
	}
	must(t, syscall.Mkfifo(filepath.Join(folder, "pipe"), 0o644))
	leaveOut := errors.New("left out")
	have, err := walked(t, newClient(t, file.Config{Root: root}), folder, func(at string, isFolder bool) error {
		if at == "out.txt" || isFolder && at == "sub/deep" {
			return leaveOut
		}
		return nil
	})
	must(t, err)
	links := file.ErrLink.Error() + ": "
	want := []string{"%2e%2e.txt", "A.txt", "a.txt", "b.txt", `back\slash.txt`, "cafe\u0301.txt", "caf\u00e9.txt",
		file.ErrName.Error() + ": e\xff.txt", file.ErrName.Error() + ": f\n.txt", links + "file", links + "loop",
		"left out: out.txt", file.ErrSpecial.Error() + ": pipe", links + "root", links + "secret.txt", links + "up",
		"sub/c.txt", "left out: sub/deep"}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Error(diff)
	}
	whole, err := walked(t, newClient(t, file.Config{Root: root}), root, anything)
	if must(t, err); !slices.Contains(whole, "other/secret.txt") {
		t.Errorf("the folder that may be read itself: %q", whole)
	}
}

// TestA26WalkRefuses checks which folders are not walked.
func TestA26WalkRefuses(t *testing.T) {
	base := t.TempDir()
	root := filepath.Join(base, "root")
	write(t, filepath.Join(root, "a.txt"), "a")
	write(t, filepath.Join(base, "secret.txt"), canary)
	must(t, os.Symlink("..", filepath.Join(root, "up")))
	c := newClient(t, file.Config{Root: root})
	for folder, kind := range map[string]fault.Kind{
		base: fault.Blocked, "/etc": fault.Blocked, root + "/up": fault.Blocked, root + "/none": fault.NotFound,
		root + "/a.txt": fault.NotFound,
	} {
		if have, err := walked(t, c, folder, anything); !fault.Is(err, kind) || len(have) > 0 {
			t.Errorf("%s: %q, %v; want %s", folder, have, err, kind)
		}
	}
	have, err := walked(t, newClient(t, file.Config{}), root, anything)
	if !fault.Is(err, fault.Blocked) || len(have) > 0 ||
		!strings.Contains(err.Error(), "FILE_ROOT") {
		t.Errorf("without a root: %q, %v", have, err)
	}
}

// TestA26ListedFiles checks that a file that a listing has named is read only as long as it is a file in its folder.
func TestA26ListedFiles(t *testing.T) {
	root := t.TempDir()
	folder := filepath.Join(root, "docs")
	write(t, filepath.Join(folder, "sub", "a.txt"), "inside")
	write(t, filepath.Join(folder, "stays.txt"), "stays")
	write(t, filepath.Join(root, "other", "a.txt"), canary)
	c := newClient(t, file.Config{Root: root})
	read := func() (string, fault.Kind) {
		got, err := c.Get(context.Background(), file.Request{Location: place(t, folder+"/sub/a.txt"),
			Folder: place(t, folder)})
		return string(got.Body), fault.KindOf(err)
	}
	path := filepath.Join(folder, "sub", "a.txt")
	for _, tt := range []struct {
		name string
		do   func()
		body string
		kind fault.Kind
	}{
		{"a file", func() {}, "inside", ""},
		{"a link to another folder", func() { must(t, os.Remove(path)); must(t, os.Symlink("../../other/a.txt", path)) },
			"", fault.NotFound},
		{"a pipe", func() { must(t, os.Remove(path)); must(t, syscall.Mkfifo(path, 0o644)) }, "", fault.NotFound},
		{"a folder", func() { must(t, os.Remove(path)); must(t, os.Mkdir(path, 0o755)) }, "", fault.NotFound},
		{"a folder that is a link out", func() {
			must(t, os.RemoveAll(filepath.Dir(path)))
			must(t, os.Symlink("../other", filepath.Dir(path)))
		}, "", fault.Blocked},
		{"gone", func() { must(t, os.Remove(filepath.Dir(path))) }, "", fault.NotFound},
		{"an empty folder", func() { must(t, os.Remove(filepath.Join(folder, "stays.txt"))) }, "", fault.Unavailable},
		{"no folder", func() { must(t, os.Remove(folder)) }, "", fault.Unavailable},
	} {
		tt.do()
		if body, kind := read(); body != tt.body || kind != tt.kind {
			t.Errorf("%s: have %q, %q; want %q, %q", tt.name, body, kind, tt.body, tt.kind)
		}
	}
}

// TestA26WalkHoldsAgainstRaces checks that a walk does not leave its folder while folders become links under it.
func TestA26WalkHoldsAgainstRaces(t *testing.T) {
	root := t.TempDir()
	folder, other := filepath.Join(root, "docs"), filepath.Join(root, "other")
	write(t, filepath.Join(other, "secret.txt"), canary)
	write(t, filepath.Join(folder, "sub", "a.txt"), "inside")
	sub, aside := filepath.Join(folder, "sub"), filepath.Join(root, "aside")
	var stop atomic.Bool
	done := make(chan struct{})
	go func() {
		defer close(done)
		for !stop.Load() {
			_ = os.Rename(sub, aside)
			_ = os.Symlink("../other", sub)
			_ = os.Remove(sub)
			_ = os.Rename(aside, sub)
		}
	}()
	c := newClient(t, file.Config{Root: root})
	for end := time.Now().Add(300 * time.Millisecond); time.Now().Before(end); {
		have, err := walked(t, c, folder, anything)
		if slices.ContainsFunc(have, func(s string) bool { return strings.HasSuffix(s, "secret.txt") }) {
			t.Fatalf("left the folder: %q, %v", have, err)
		}
	}
	stop.Store(true)
	<-done
}

// TestA26FoldersThatCannotBeRead checks that a folder that this process may not read is passed over, that one that is
// gone is left out, and that another failure ends the walk (A26).
func TestA26FoldersThatCannotBeRead(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, "sub", "a.txt"), "a")
	write(t, filepath.Join(root, "b.txt"), "b")
	dir, err := os.OpenRoot(root)
	must(t, err)
	defer dir.Close()
	failed := func(why error) error { return &fs.PathError{Op: "openat", Path: "sub", Err: why} }
	passed, err := file.Unread(dir, "sub", failed(syscall.EACCES))
	if err != nil || len(passed) != 1 || !errors.Is(passed[0].Refused, file.ErrDenied) || !passed[0].Folder {
		t.Errorf("passed over: %+v, %v", passed, err)
	}
	for name, why := range map[string]error{"sub": failed(syscall.EIO), ".": failed(syscall.EACCES)} {
		if passed, err := file.Unread(dir, name, why); len(passed) > 0 || err == nil {
			t.Errorf("%s: %+v, %v", name, passed, err)
		}
	}
	have, err := walked(t, newClient(t, file.Config{Root: root}), root, func(at string, isFolder bool) error {
		if isFolder {
			must(t, os.RemoveAll(filepath.Join(root, at)))
		}
		return nil
	})
	if err != nil || !slices.Equal(have, []string{"b.txt"}) {
		t.Errorf("have %q, %v", have, err)
	}
}

// TestA26DeniedFolders checks that what may not be read is said, and that the rest is listed.
func TestA26DeniedFolders(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root may read everything")
	}
	root := t.TempDir()
	write(t, filepath.Join(root, "private", "a.txt"), "a")
	write(t, filepath.Join(root, "b.txt"), "b")
	must(t, os.Chmod(filepath.Join(root, "private"), 0))
	t.Cleanup(func() { _ = os.Chmod(filepath.Join(root, "private"), 0o755) })
	have, err := walked(t, newClient(t, file.Config{Root: root}), root, anything)
	if want := []string{"b.txt", file.ErrDenied.Error() + ": private"}; err != nil || !slices.Equal(have, want) {
		t.Errorf("have %q, %v; want %q", have, err, want)
	}
}

//go:build unix

package crawl

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/fetch/file"
	"github.com/tidemark/tidemark/pkg/registry"
)

// put writes a file of the folder "docs" that is old enough for its time to prove something.
func (s *shelf) put(name, body string) {
	s.t.Helper()
	path := s.path(filepath.Join("docs", name))
	must(s.t, os.MkdirAll(filepath.Dir(path), 0o700))
	must(s.t, os.WriteFile(path, []byte(body), 0o600))
}

// list lists the folder "docs" now.
func (s *shelf) list(o registry.RegisterOptions) registry.Item {
	s.t.Helper()
	s.clock.pass(time.Hour)
	_, err := s.reg.Jobs.Sweep(s.t.Context())
	must(s.t, err)
	return s.fileItem(s.path("docs"), o)
}

func (s *shelf) in(name string) registry.Item {
	s.t.Helper()
	place, err := file.Parse(s.path("docs/" + name))
	must(s.t, err)
	it, err := s.reg.Items.Find(s.t.Context(), place.Source().ID())
	must(s.t, err)
	return it
}

// said reports whether the folder's history has a text.
func said(it registry.Item, text string) bool { return strings.Contains(fmt.Sprint(it.History), text) }

func newDocs(t *testing.T, files int) *shelf {
	s := newShelf(t, 0)
	for i := range files {
		s.put(fmt.Sprintf("f%d.txt", i), fmt.Sprintf("The text of file number %d.", i))
	}
	return s
}

// TestA26Folder checks that a folder is kept in step: new, changed, moved and gone files are noticed, and what has not
// changed is not read.
func TestA26Folder(t *testing.T) {
	s := newDocs(t, 20)
	if it := s.list(registry.RegisterOptions{}); it.Status != registry.Crawled || !said(it, "20 files: 20 new") {
		t.Fatalf("%s (%s): %v", it.Status, it.ErrorMessage, it.History)
	}
	if it := s.in("f0.txt"); it.Status != indexed || it.DiscoveryMethod != "FOLDER" ||
		it.Folder != s.path("docs") {
		t.Fatalf("%s (%s) by %s in %s", it.Status, it.ErrorMessage, it.DiscoveryMethod, it.Folder)
	}
	was := s.in("f1.txt")
	if it := s.list(registry.RegisterOptions{}); !said(it, "20 files: 0 new, 0 changed, 0 no longer there") {
		t.Errorf("nothing has changed: %v", it.History)
	}
	if it := s.in("f1.txt"); !it.LastChecked.Equal(was.LastChecked) {
		t.Error("a file was checked that had not changed")
	}
	s.put("f0.txt", "Another text, which is longer.")
	s.put("new.txt", "A text that was not there before.")
	must(t, os.Rename(s.path("docs/f2.txt"), s.path("docs/moved.txt")))
	must(t, os.Remove(s.path("docs/f3.txt")))
	const want = "20 files: 2 new, 1 changed, 2 no longer there of which 1 moved"
	if it := s.list(registry.RegisterOptions{}); !said(it, want) {
		t.Errorf("%v", it.History)
	}
	for range 2 {
		s.list(registry.RegisterOptions{})
	}
	for name, want := range map[string]registry.Status{"f0.txt": indexed, "new.txt": indexed, "moved.txt": indexed,
		"f2.txt": registry.Gone, "f3.txt": registry.Gone} {
		if it := s.in(name); it.Status != want {
			t.Errorf("%s: %s (%s), want %s", name, it.Status, it.ErrorMessage, want)
		}
	}
}

// TestA26LateListing checks that a listing that takes longer than a job may is no failure: it ends with what it has
// registered, and another job goes on.
func TestA26LateListing(t *testing.T) {
	s := newDocs(t, 100)
	s.slow = 40
	it := s.list(registry.RegisterOptions{})
	if !said(it, "32 files listed so far, 32 new and 0 changed; the listing goes on") || !said(it, "100 files: 68 new") ||
		said(it, "error") || it.Status != registry.Crawled || it.Deaths != 0 || s.in("f99.txt").Status != indexed {
		t.Errorf("%s (%s): %v", it.Status, it.ErrorMessage, it.History)
	}
}

// TestA26InterruptedListing checks that a folder whose listing was cut off by the death of its worker is listed again
// from the beginning, says so, and does not lose its state.
func TestA26InterruptedListing(t *testing.T) {
	s := newDocs(t, 40)
	s.list(registry.RegisterOptions{})
	s.put("f0.txt", "Another text, which is longer.")
	s.put("new.txt", "A text that was not there before.")
	s.clock.pass(2 * time.Hour)
	_, err := s.reg.Jobs.Sweep(t.Context())
	must(t, err)
	for _, job := range s.jobs() {
		_, err := s.reg.Jobs.Begin(t.Context(), job) // its worker dies
		must(t, err)
	}
	s.sweepAfter(15 * time.Minute)
	place, err := file.Parse(s.path("docs"))
	must(t, err)
	it, err := s.reg.Items.Find(t.Context(), place.Source().ID())
	must(t, err)
	if it.Status != registry.Crawled || !said(it, "ended during the last listing") || said(it, "snapshot") ||
		!said(it, "41 files: 1 new, 1 changed, 0 no longer there") {
		t.Errorf("%s: %v", it.Status, it.History)
	}
	if f := s.in("new.txt"); f.Status != indexed {
		t.Errorf("new.txt: %s (%s)", f.Status, f.ErrorMessage)
	}
}

// TestA26FolderSelects checks that only selected files are items, that what nobody has left out is told, and that other
// globs add and remove files.
func TestA26FolderSelects(t *testing.T) {
	s := newDocs(t, 0)
	for _, name := range []string{"a.md", "b.txt", ".git/c.md", "drafts/d.md", ".env"} {
		s.put(name, "The text of "+name)
	}
	must(t, os.Symlink("/etc/passwd", s.path("docs/link.md")))
	must(t, syscall.Mkfifo(s.path("docs/pipe.md"), 0o600))
	choose := func(f api.Files) registry.Item {
		return s.list(registry.RegisterOptions{Settings: registry.Settings{
			Patch: api.Patch{"files": f}}})
	}
	it := choose(api.Files{Include: []string{"*.md"}, Exclude: []string{"drafts/"}})
	if !said(it, "1 file: 1 new") || !said(it, "2 hidden files") || !strings.Contains(it.Cut, "link.md") ||
		!strings.Contains(it.Cut, "pipe.md") || strings.Contains(it.Cut, "hidden") {
		t.Errorf("%v; %s", it.History, it.Cut)
	}
	passed := registry.Passed{Why: "hidden files and folders", Number: 2, First: ".env"}
	if got := it.Listing; got.Files != 1 || len(got.Passed) != 4 || !slices.Contains(got.Passed, passed) {
		t.Errorf("%+v", got)
	}
	for range 3 {
		it = choose(api.Files{Include: []string{"*.md", "*.txt"}, Exclude: []string{"a.md"}})
	}
	if a, b := s.in("a.md"), s.in("b.txt"); a.Status != registry.Gone || b.Status != indexed {
		t.Errorf("left out: %s (%s), let in: %s; %v", a.Status, a.ErrorMessage, b.Status, it.History)
	}
	s.fileItem(s.path("docs/a.md"), registry.RegisterOptions{}) // a person adds it by itself
	s.list(registry.RegisterOptions{})
	if a := s.in("a.md"); a.Status != indexed {
		t.Errorf("added by itself: %s (%s)", a.Status, a.ErrorMessage)
	}
}

// TestA26FolderGuard checks that a folder that is not mounted, or has lost much at once, loses nothing in the index,
// and that a person may let it.
func TestA26FolderGuard(t *testing.T) {
	s := newDocs(t, 30)
	s.list(registry.RegisterOptions{})
	docs, aside := s.path("docs"), s.path("aside")
	kept := func(what, message string, it registry.Item) {
		t.Helper()
		if it.Status != registry.Error || !strings.Contains(it.ErrorMessage, message) {
			t.Errorf("%s: %s (%s)", what, it.Status, it.ErrorMessage)
		}
		for range 5 { // the file's own checks remove nothing, either
			s.check("docs/f7.txt")
		}
		if f := s.in("f7.txt"); f.Status == registry.Gone || s.index.holds(f) == "" {
			t.Errorf("%s: a file is %s (%s)", what, f.Status, f.ErrorMessage)
		}
	}
	must(t, os.Rename(docs, aside))
	kept("absent", "the folder is not there", s.list(registry.RegisterOptions{}))
	must(t, os.Mkdir(docs, 0o700))
	kept("not mounted", "had 30 files", s.list(registry.RegisterOptions{}))
	must(t, os.Remove(docs))
	must(t, os.Rename(aside, docs))
	if it := s.list(registry.RegisterOptions{}); it.Status != registry.Crawled || it.ErrorMessage != "" {
		t.Errorf("back: %s (%s)", it.Status, it.ErrorMessage)
	}
	for i := range 20 {
		must(t, os.Remove(s.path(fmt.Sprintf("docs/f%d.txt", i+10))))
	}
	if it := s.list(registry.RegisterOptions{}); it.Status != registry.Error ||
		!strings.Contains(it.ErrorMessage, "20 of 30 files are not there any more") {
		t.Errorf("most are gone: %s (%s)", it.Status, it.ErrorMessage)
	}
	if f := s.in("f17.txt"); f.MissingChecks > 0 {
		t.Errorf("a file was asked for: %v", f.History)
	}
	if it := s.list(registry.RegisterOptions{Force: true}); it.Status != registry.Crawled ||
		!said(it, "20 no longer there") {
		t.Errorf("a person lets them go: %s (%s): %v", it.Status, it.ErrorMessage, it.History)
	}
}

// TestA26FolderAndItsName checks that a file is not read as a folder, nor a folder as a file.
func TestA26FolderAndItsName(t *testing.T) {
	s := newDocs(t, 1)
	s.list(registry.RegisterOptions{})
	must(t, os.RemoveAll(s.path("docs")))
	s.write("docs", "A file now.")
	if it := s.list(registry.RegisterOptions{}); it.Status != registry.Error ||
		!strings.Contains(it.ErrorMessage, "a file has taken the place") {
		t.Errorf("a file in its place: %s (%s)", it.Status, it.ErrorMessage)
	}
	s.write("a", "First a file.")
	s.check("a")
	must(t, os.Remove(s.path("a")))
	must(t, os.Mkdir(s.path("a"), 0o700))
	s.write("a/secret.txt", "Nobody has asked for this.")
	if it := s.check("a"); it.Status != registry.Error || !strings.Contains(it.ErrorMessage, "it is a folder") {
		t.Errorf("a folder in its place: %s (%s)", it.Status, it.ErrorMessage)
	}
}

// TestA26FolderTooLarge checks that a folder of too many files says so, and what to do.
func TestA26FolderTooLarge(t *testing.T) {
	s := newDocs(t, 4)
	maxBlobs = 3
	t.Cleanup(func() { maxBlobs = maxContainer })
	if it := s.list(registry.RegisterOptions{}); it.Status != registry.Error ||
		!strings.Contains(it.ErrorMessage, "more than 3 files") {
		t.Errorf("%s (%s)", it.Status, it.ErrorMessage)
	}
}

// TestA26FoldersWithinFolders checks that a file that two folders list does not go back and forth between them.
func TestA26FoldersWithinFolders(t *testing.T) {
	s := newDocs(t, 1)
	s.put("sub/a.txt", "In both.")
	s.list(registry.RegisterOptions{})
	sub := func() { s.fileItem(s.path("docs/sub"), registry.RegisterOptions{}) }
	sub()
	leftOut := registry.Settings{Patch: api.Patch{"files": api.Files{Exclude: []string{"sub"}}}}
	s.list(registry.RegisterOptions{Settings: leftOut})
	for range 4 {
		sub()
		s.list(registry.RegisterOptions{})
	}
	if it := s.in("sub/a.txt"); it.Status != indexed || it.Folder != s.path("docs/sub") || !it.UnlistedSince.IsZero() {
		t.Errorf("%s (%s) in %s, unlisted %v", it.Status, it.ErrorMessage, it.Folder, it.UnlistedSince)
	}
}

// TestA26FilesThatReplaceFiles checks that a file that an editor replaces by another is noticed, also with a time and a
// length that prove nothing.
func TestA26FilesThatReplaceFiles(t *testing.T) {
	s := newDocs(t, 3)
	s.list(registry.RegisterOptions{})
	first := s.in("f0.txt")
	s.write("new", "Written beside, then renamed.")
	must(t, os.Rename(s.path("new"), s.path("docs/f0.txt")))
	s.list(registry.RegisterOptions{})
	if it := s.in("f0.txt"); it.ContentHash == first.ContentHash || it.Status != indexed {
		t.Errorf("%s (%s)", it.Status, it.ErrorMessage)
	}
	old := time.Now().Add(-48 * time.Hour)
	s.write("new", "The text of file number X.")
	must(t, os.Rename(s.path("new"), s.path("docs/f1.txt")))
	must(t, os.Chtimes(s.path("docs/f1.txt"), old, old)) // a copy of a backup has an older time
	first = s.in("f1.txt")
	s.list(registry.RegisterOptions{})
	if it := s.in("f1.txt"); it.ContentHash == first.ContentHash {
		t.Error("an older time was taken for no change")
	}
}

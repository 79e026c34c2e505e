package browser

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// docs makes a folder with files of several kinds.
func docs(t *testing.T) (fileRoot, folder string) {
	t.Helper()
	fileRoot = t.TempDir()
	folder = filepath.Join(fileRoot, "docs")
	for _, name := range []string{"quay.md", "tide.md", "notes.txt", "drafts/new.md", ".env", ".git/config"} {
		path := filepath.Join(folder, name)
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, os.WriteFile(path, []byte("# "+name+"\n\n"+strings.Repeat("A line about the quay. ", 20)), 0o644))
	}
	return fileRoot, folder
}

// TestA26FolderInTheDashboard adds a folder with globs in the dashboard: a wrong one is an error at its field, the page
// of the folder says which hold and what was left out, and other ones are saved in its settings.
func TestA26FolderInTheDashboard(t *testing.T) {
	fileRoot, folder := docs(t)
	s := newStage(t, "FILE_ROOT="+fileRoot)
	script := axe(t)
	s.open("/add")
	s.do(chromedp.SendKeys(`[name="urls"]`, folder), chromedp.Click(`form[action$="/add"] summary`),
		chromedp.SendKeys(`[name="files.include"]`, "*.md"), chromedp.SendKeys(`[name="files.exclude"]`, "draft[s]"))
	s.press(`form[action$="/add"] button.main`)
	s.reads("main", "Not added")
	s.reads(`label:has([name="files.exclude"])`, "no [ ] { }")
	s.everybody(script, "folder-refused")
	s.do(chromedp.SetValue(`[name="files.exclude"]`, "drafts/"))
	s.press(`form[action$="/add"] button.main`)
	for _, want := range []string{"2 files at the last listing", "hidden files and folders: 2, such as .env",
		"include or exclude leaves out: 2, such as drafts"} {
		s.reads("#live-item", want)
	}
	s.do(chromedp.Reload(), chromedp.WaitReady("#live-item"))
	s.everybody(script, "folder")
	s.leave(`a[href$="/experts"]`)
	for _, want := range []string{"*.md", "drafts/", "every hour the default"} {
		s.reads("main", want)
	}
	s.leave(`a[href$="/settings"]`)
	s.reads("main", "now every hour, the default")
	if text := s.text("main"); strings.Contains(text, "What to watch") {
		t.Errorf("the settings of a folder: %s", text)
	}
	s.everybody(script, "folder-settings")
	s.do(chromedp.Clear(`[name="files.include"]`), chromedp.Clear(`[name="files.exclude"]`))
	s.press(`[name="files.hidden"]`)
	s.leave(`main button[value="save"]`)
	s.press(`button[value="check"]`)
	for _, want := range []string{"6 files at the last listing", "Nothing was passed over"} {
		s.reads("#live-item", want)
	}
	if len(s.said) > 0 {
		t.Errorf("the console says %q", s.said)
	}
}

package options_test

import (
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/policy/options"
)

// TestA26Globs checks which files globs select.
func TestA26Globs(t *testing.T) {
	for _, tt := range []struct {
		include, exclude string
		at               string
		isFolder         bool
		want             error
	}{
		{"", "", "a/b.md", false, nil},
		{"", "", ".git", true, options.ErrHidden},
		{"", "", "a/.obsidian", true, options.ErrHidden},
		{"", "", "~$report.docx", false, options.ErrHidden},
		{"*.md", "", "a/b/c.md", false, nil},
		{"*.md", "", "c.MD", false, options.ErrLeftOut},
		{"*.md", "", "c.md.txt", false, options.ErrLeftOut},
		{"*.md", "", "a", true, nil}, // its files may match
		{"/*.md", "", "a/c.md", false, options.ErrLeftOut},
		{"a/*.md", "", "a/c.md", false, nil},
		{"a/*.md", "", "a/b/c.md", false, options.ErrLeftOut},
		{"a/**/*.md", "", "a/c.md", false, nil},
		{"a/**/*.md", "", "a/b/c/d.md", false, nil},
		{"docs", "", "x/docs/a.txt", false, nil},
		{"a?.txt", "", "ab.txt", false, nil},
		{"a?.txt", "", "a/.txt", false, options.ErrHidden},
		{"", "node_modules", "x/node_modules", true, options.ErrLeftOut},
		{"", "node_modules", "node_modules.md", false, nil},
		{"", "drafts/", "drafts", true, options.ErrLeftOut},
		{"", "drafts/", "drafts", false, nil},
		{"", "/a/", "b/a/c", false, nil},
		{"", "a.b", "axb", false, nil},
		{"", "**/old/**", "x/old/y/z", false, options.ErrLeftOut},
		{"*.md", "secret.md", "a/secret.md", false, options.ErrLeftOut},
		{"*", "", "two\nlines", false, nil},
	} {
		f := api.Files{}
		if tt.include != "" {
			f.Include = []string{tt.include}
		}
		if tt.exclude != "" {
			f.Exclude = []string{tt.exclude}
		}
		s, err := options.SelectionOf(&f)
		if have := s.LeavesOut(tt.at, tt.isFolder); err != nil || have != tt.want {
			t.Errorf("%q without %q, %s: have %v (%v), want %v", tt.include, tt.exclude, tt.at, have, err, tt.want)
		}
	}
}

// TestA26BadGlobs checks that a glob that cannot be read is refused with its field.
func TestA26BadGlobs(t *testing.T) {
	for _, bad := range []string{"", " ", "/", "a\nb", "[ab].md", "{a,b}", strings.Repeat("a", 401)} {
		_, err := options.Validate(api.Settings{Files: &api.Files{Exclude: []string{"ok", bad}}})
		if fault.FieldOf(err) != "files.exclude" {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// FuzzA26Globs checks that any glob is refused, or judges every path.
func FuzzA26Globs(f *testing.F) {
	f.Add("a/**/b*?", "a/b")
	f.Fuzz(func(t *testing.T, glob, at string) {
		o, err := options.Validate(api.Settings{Files: &api.Files{Include: []string{glob}}})
		if err != nil {
			return
		}
		s, err := options.SelectionOf(o.Files)
		if err != nil {
			t.Fatal(err)
		}
		_ = s.LeavesOut(at, false)
		if clean := strings.Trim(glob, "/ "); !strings.ContainsAny(glob, "*?") && !strings.HasPrefix(clean, ".") &&
			!strings.HasSuffix(glob, "/") && !strings.HasPrefix(clean, "~$") && s.LeavesOut(clean, false) != nil &&
			!strings.Contains(clean, "/.") && !strings.Contains(clean, "/~$") && !strings.Contains(clean, "//") {
			t.Errorf("%q does not match itself", glob)
		}
	})
}

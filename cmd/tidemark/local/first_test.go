package local

import (
	"bytes"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/cmd/tidemark/folder"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/app"
	"github.com/tidemark/tidemark/pkg/content/site"
)

// TestL7Choice checks that an answer becomes a choice, or leads to a message and the question again. Enter and the
// end of the input choose nothing (L7).
func TestL7Choice(t *testing.T) {
	for _, tt := range []struct {
		name, typed string
		want        first
		said        string // part of the message
	}{
		{"Enter", "\n", nil, ""},
		{"the input ends", "", nil, ""},
		{"a page", "1\nhttps://Port.Example/a?utm_source=x\n", watchPage{"https://port.example/a"}, ""},
		{"a page without its scheme", "1\nport.example\n", watchPage{"https://port.example/"}, ""},
		{"no page after all", "1\n\n3\n", sample{}, ""},
		{"an address that is none, then one", "1\nftp://port.example\nport.example\n", watchPage{"https://port.example/"},
			"scheme is neither http nor https"},
		{"another number", " 4 \n3\n", sample{}, `"4" is not one of them.`},
		{"what could steer the terminal", "\x1b[2J\n\n", nil, "\"\uFFFD[2J\" is not one of them."},
		{"a site", "2\nport.example\n", indexSite{site.Entry{Slug: "port-example", Domain: "port.example",
			Home: "https://port.example/"}}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out bytes.Buffer
			p := &terminal.Terminal{In: strings.NewReader(tt.typed), Out: &out}
			have, err := askFirst(t.Context(), p, "/data")
			if err != nil || have != tt.want || !strings.Contains(out.String(), tt.said) {
				t.Errorf("have %#v, %v, want %#v; said:\n%s", have, err, tt.want, &out)
			}
		})
	}
}

// TestL7NobodyIsAsked checks that users are not asked who cannot answer, who want no questions, or who have data
// already (L7).
func TestL7NobodyIsAsked(t *testing.T) {
	person := func(change func(p *terminal.Terminal, o *startOptions)) (*terminal.Terminal, startOptions) {
		p, o := &terminal.Terminal{Typed: true, Screen: terminal.Screen{Terminal: true}}, startOptions{}
		o.Data = t.TempDir()
		change(p, &o)
		return p, o
	}
	for name, change := range map[string]func(*terminal.Terminal, *startOptions){
		"stdin is no terminal":  func(p *terminal.Terminal, _ *startOptions) { p.Typed = false },
		"stdout is no terminal": func(p *terminal.Terminal, _ *startOptions) { p.Screen.Terminal = false },
		"--json":                func(p *terminal.Terminal, _ *startOptions) { p.JSON = true },
		"--no-input":            func(_ *terminal.Terminal, o *startOptions) { o.noInput = true },
		"there is a store": func(_ *terminal.Terminal, o *startOptions) {
			if err := os.Mkdir(app.StoreFolder(o.Data), 0o755); err != nil {
				t.Fatal(err)
			}
		},
	} {
		if p, o := person(change); asks(p, o, folder.Embedded) {
			t.Errorf("%s: asked", name)
		}
	}
	p, o := person(func(*terminal.Terminal, *startOptions) {})
	if asks(p, o, folder.Azurite) || asks(p, o, folder.Account) || !asks(p, o, folder.Embedded) {
		t.Error("a person on a terminal is asked with an embedded store, and only with that")
	}
}

// TestL7FolderSettings checks that every start uses the site file and the sample pages in the data folder, unless
// something else is set (L7).
func TestL7FolderSettings(t *testing.T) {
	data, none := t.TempDir(), func(string) string { return "" }
	t.Chdir(t.TempDir())
	if have := folderSettings(none, data); len(have) > 0 {
		t.Errorf("of an empty folder follow %v", have)
	}
	for _, f := range []first{sample{}, indexSite{site.Entry{Slug: "port", Domain: "port.example"}}} {
		if err := f.prepare(data); err != nil {
			t.Fatal(err)
		}
	}
	file, root := filepath.Join(data, app.SitesFile), filepath.Join(data, sampleFolder)
	want := []folder.Setting{{Name: "BACKFILL_SITES_FILE", Value: file}, {Name: "BACKFILL_ENABLED", Value: "true"},
		{Name: "FILE_ROOT", Value: root}}
	if diff := cmp.Diff(want, folderSettings(none, data)); diff != "" {
		t.Errorf("(-want +have):\n%s", diff)
	}
	set := map[string]string{"BACKFILL_SITES_FILE": "mine.yaml", "FILE_ROOT": "/srv"}
	if have := folderSettings(func(name string) string { return set[name] }, data); len(have) > 0 {
		t.Errorf("beside what is set there are %v", have)
	}
	set = map[string]string{"BACKFILL_ENABLED": "false", "FILE_ROOT": "/srv"}
	if have := folderSettings(func(name string) string { return set[name] }, data); have[1].Value != "false" {
		t.Errorf("backfill was switched off: %v", have)
	}
	if err := os.WriteFile(app.SitesFile, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if have := folderSettings(none, data); len(have) != 1 {
		t.Errorf("beside a site file of this folder there are %v", have)
	}
}

// TestL7Sample checks that the sample is the public pages of the demo site, without values that only a server can
// fill in, and that the page to be changed has the text to be replaced (L7).
func TestL7Sample(t *testing.T) {
	data := t.TempDir()
	if err := (sample{}).prepare(data); err != nil {
		t.Fatal(err)
	}
	pages := 0
	root := os.DirFS(filepath.Join(data, sampleFolder))
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(root, name)
		if pages++; bytes.Contains(text, []byte("{{")) || bytes.Contains(text, []byte("noindex")) {
			t.Errorf("%s has a placeholder, or wants to be in no index", name)
		}
		if name == changedSample && !bytes.Contains(text, []byte(sampleBefore)) {
			t.Errorf("%s has no %q", name, sampleBefore)
		}
		return err
	})
	if err != nil || pages != 28 {
		t.Errorf("%d pages, %v", pages, err)
	}
}

// TestL4DataFolderIsPrivate checks that only its owner can read the data folder, no matter which code creates it.
func TestL4DataFolderIsPrivate(t *testing.T) {
	for name, make := range map[string]func(data string) error{
		"the sample": sample{}.prepare, "a site": indexSite{site.Entry{Slug: "a", Domain: "a.example"}}.prepare,
		"the app": func(data string) error {
			e := folder.New(folder.Options{Data: data}, "", os.Getenv, folder.Services{}, nil)
			err := e.Open(slog.LevelError, io.Discard)
			if err == nil {
				e.Close()
			}
			return err
		},
	} {
		data := filepath.Join(t.TempDir(), "data")
		if err := make(data); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		info, err := os.Stat(data)
		if err != nil {
			t.Fatal(err)
		}
		if runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
			t.Errorf("%s makes it %v", name, info.Mode())
		}
	}
}

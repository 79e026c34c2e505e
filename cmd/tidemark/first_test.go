package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/app"
	"github.com/tidemark/tidemark/pkg/content/site"
)

// L7: what a person types becomes a choice, or a sentence that says what is wrong and the question again; Enter and the
// end of the input choose nothing.
func TestL7Choice(t *testing.T) {
	for _, tt := range []struct {
		name, typed string
		want        first
		said        string // part of it
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
			p := &program{in: strings.NewReader(tt.typed), out: &out}
			have, err := p.askFirst(t.Context(), "/data")
			if err != nil || have != tt.want || !strings.Contains(out.String(), tt.said) {
				t.Errorf("have %#v, %v, want %#v; said:\n%s", have, err, tt.want, &out)
			}
		})
	}
}

// L7: an interrupt ends a question.
func TestL7InterruptEndsTheQuestion(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	in, typing := io.Pipe()
	defer typing.Close()
	a := &asker{&program{out: io.Discard}, bufio.NewReader(in)}
	cancel()
	if _, err := a.ask(ctx, "? "); !errors.Is(err, context.Canceled) {
		t.Errorf("have %v", err)
	}
}

// L7: nobody is asked who cannot answer, wants none, or has data already.
func TestL7NobodyIsAsked(t *testing.T) {
	person := func(change func(p *program, o *startOptions)) (*program, startOptions) {
		p, o := &program{typed: true, screen: screen{terminal: true}}, startOptions{}
		o.data = t.TempDir()
		change(p, &o)
		return p, o
	}
	for name, change := range map[string]func(*program, *startOptions){
		"stdin is no terminal":  func(p *program, _ *startOptions) { p.typed = false },
		"stdout is no terminal": func(p *program, _ *startOptions) { p.screen.terminal = false },
		"--json":                func(p *program, _ *startOptions) { p.json = true },
		"--no-input":            func(_ *program, o *startOptions) { o.noInput = true },
		"there is a store": func(_ *program, o *startOptions) {
			if err := os.Mkdir(app.StoreFolder(o.data), 0o755); err != nil {
				t.Fatal(err)
			}
		},
	} {
		if p, o := person(change); p.asks(o, embedded) {
			t.Errorf("%s: asked", name)
		}
	}
	p, o := person(func(*program, *startOptions) {})
	if p.asks(o, ownAzurite) || p.asks(o, account) || !p.asks(o, embedded) {
		t.Error("a person on a terminal is asked with an embedded store, and only with that")
	}
}

// L7: a site file and sample pages in the data folder are used unless something else is set, at every start.
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
	file, folder := filepath.Join(data, app.SitesFile), filepath.Join(data, sampleFolder)
	want := []decision{{"BACKFILL_SITES_FILE", file}, {"BACKFILL_ENABLED", "true"}, {"FILE_ROOT", folder}}
	if diff := cmp.Diff(want, folderSettings(none, data), cmp.AllowUnexported(decision{})); diff != "" {
		t.Errorf("(-want +have):\n%s", diff)
	}
	set := map[string]string{"BACKFILL_SITES_FILE": "mine.yaml", "FILE_ROOT": "/srv"}
	if have := folderSettings(func(name string) string { return set[name] }, data); len(have) > 0 {
		t.Errorf("beside what is set there are %v", have)
	}
	set = map[string]string{"BACKFILL_ENABLED": "false", "FILE_ROOT": "/srv"}
	if have := folderSettings(func(name string) string { return set[name] }, data); have[1].value != "false" {
		t.Errorf("backfill was switched off: %v", have)
	}
	if err := os.WriteFile(app.SitesFile, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if have := folderSettings(none, data); len(have) != 1 {
		t.Errorf("beside a site file of this folder there are %v", have)
	}
}

// L7: the sample is the public pages of the demo site, without what only a server can fill in, and the page that is
// changed says what is replaced.
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

package local

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/tidemark/tidemark/cmd/tidemark/folder"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/app"
	"github.com/tidemark/tidemark/pkg/content/site"
	"github.com/tidemark/tidemark/pkg/identity/source"
)

// first is the user's choice of what to begin with. Before the app starts, prepare writes the files that the app
// reads. Once the app runs, begin does everything else through its API.
type first interface {
	prepare(data string) error
	begin(ctx context.Context, b *beginning) error
}

// asks reports whether to ask the user what to begin with. It returns true when a person is at the terminal and the
// data folder has no embedded store yet.
func asks(t *terminal.Terminal, o startOptions, kind string) bool {
	if !t.Typed || !t.Screen.Terminal || t.JSON || o.noInput || kind != folder.Embedded {
		return false
	}
	_, err := os.Stat(app.StoreFolder(o.Data))
	return errors.Is(err, fs.ErrNotExist)
}

// askFirst asks what to begin with. It returns nil when the user chooses nothing.
func askFirst(ctx context.Context, t *terminal.Terminal, data string) (first, error) {
	a, done := t.Asking()
	defer done()
	t.Say("Tidemark has no data yet in %s. What would you like to begin with?\n\n"+
		"  1  watch a page\n  2  index a site\n  3  look around with sample data\n", data)
	for {
		chosen, err := a.Ask(ctx, "1, 2 or 3, or Enter to begin with nothing: ")
		if err != nil || chosen == "" {
			return nil, err
		}
		var f first
		switch chosen {
		case "1":
			f, err = asked(ctx, t, a, "Address of the page, such as example.com/news: ", parsePage)
		case "2":
			f, err = asked(ctx, t, a, "Domain of the site, or the address of its sitemap: ", parseSite)
		case "3":
			return sample{}, nil
		default:
			t.Say("%q is not one of them.", terminal.Clean(chosen))
		}
		if f != nil || err != nil {
			return f, err
		}
	}
}

// asked repeats a question until the answer is valid. It returns nil for an empty answer.
func asked[F first](ctx context.Context, t *terminal.Terminal, a *terminal.Asker, question string,
	parse func(string) (F, error)) (first, error) {
	for {
		text, err := a.Ask(ctx, question)
		if err != nil || text == "" {
			return nil, err
		}
		f, err := parse(text)
		if err != nil {
			t.Say("%s", terminal.Clean(err.Error()))
			continue
		}
		warning := source.RouteWarning(text)
		t.SayWhen(warning != "", "%s", terminal.Clean(warning))
		return f, nil
	}
}

// watchPage is the choice to watch one page.
type watchPage struct{ url string }

func parsePage(text string) (watchPage, error) {
	src, err := site.ParseAddress(text)
	return watchPage{src.Normalized}, err
}

func (watchPage) prepare(string) error { return nil }

// indexSite is the choice to index a site.
type indexSite struct{ site.Entry }

func parseSite(text string) (indexSite, error) {
	e, err := site.EntryOf(text)
	return indexSite{e}, err
}

// fileHead begins a site file that tidemark start writes.
const fileHead = "# Written by tidemark start, which reads it from here unless there is one where it is called, or\n" +
	"# BACKFILL_SITES_FILE names one. `tidemark docs backfill-sites` explains every field.\n"

func (s indexSite) prepare(data string) error {
	if err := app.MakeDataFolder(data); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(data, app.SitesFile), []byte(fileHead+s.File()), 0o644)
}

// folderSettings returns the settings that follow from the content of a data folder: the folder's own site file, and
// the sample pages. Settings that are set elsewhere are left out.
func folderSettings(getenv func(string) string, data string) (all []folder.Setting) {
	own := func(name string) (string, bool) {
		full := filepath.Join(data, name)
		_, err := os.Stat(full)
		return full, err == nil
	}
	_, err := os.Stat(app.SitesFile)
	if file, there := own(app.SitesFile); there && err != nil && getenv("BACKFILL_SITES_FILE") == "" {
		all = append(all, folder.Setting{Name: "BACKFILL_SITES_FILE", Value: file},
			folder.Setting{Name: "BACKFILL_ENABLED", Value: cmp.Or(getenv("BACKFILL_ENABLED"), "true")})
	}
	if root, there := own(sampleFolder); there && getenv("FILE_ROOT") == "" {
		all = append(all, folder.Setting{Name: "FILE_ROOT", Value: root})
	}
	return all
}

// sampleFolder is the folder of the sample pages in a data folder.
const sampleFolder = "sample"

// sample is the choice of the sample pages that this program carries.
type sample struct{}

// prepare writes the pages, except those that ask not to be indexed.
func (sample) prepare(data string) error {
	if err := app.MakeDataFolder(data); err != nil {
		return err
	}
	from, err := fs.Sub(sampleFiles, "testdata/site")
	if err != nil {
		return err
	}
	// The demo server fills in these values, see tools/demosite.
	filled := strings.NewReplacer("{{base}}", "", "{{now}}", "for you", "{{nonce}}", "1", "{{year}}", "2026")
	return fs.WalkDir(from, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(name) != ".html" || strings.HasPrefix(name, "private/") ||
			strings.HasPrefix(name, "drafts/") {
			return err
		}
		text, err := fs.ReadFile(from, name)
		if err != nil {
			return err
		}
		to := filepath.Join(data, sampleFolder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		return os.WriteFile(to, []byte(filled.Replace(string(text))), 0o644)
	})
}

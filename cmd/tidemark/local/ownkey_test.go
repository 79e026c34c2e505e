package local

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/cmd/tidemark/folder"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/app"
	"github.com/tidemark/tidemark/pkg/ops/keyfile"
	"github.com/tidemark/tidemark/pkg/ops/keys"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest/mem"
)

// keyed is a data folder and a store on which servers start, one after the other.
type keyed struct {
	*testing.T
	data  string
	store storage.Store
	set   settings
}

func newKeyed(t *testing.T, set settings) *keyed {
	return &keyed{t, t.TempDir(), mem.New(time.Now), set}
}

// start does with the keys what a start does. It returns the key, what was said, and the settings of the app.
func (k *keyed) start(beyond bool) (own ownKey, said string, env []string) {
	k.Helper()
	cfg, err := app.Load(k.set.get)
	if err != nil {
		k.Fatal(err)
	}
	var out bytes.Buffer
	l := &local{config: cfg, getenv: k.set.get, t: &terminal.Terminal{Name: "tidemark", Err: &out},
		app: startOptions{listening: listening{Port: 7071, beyond: beyond}},
		Folder: &folder.Folder{Options: folder.Options{Data: k.data}, Kind: folder.Embedded,
			Log: &folder.Logs{Logger: slog.New(slog.DiscardHandler)}}}
	done, err := l.openKey(k.Context(), k.store)
	if err != nil {
		k.Fatal(err)
	}
	done()
	if env, err = l.admitting(); err != nil {
		k.Fatal(err)
	}
	return l.own, out.String(), env
}

// ring opens the keys of the store.
func (k *keyed) ring() *keys.Ring {
	ring, err := app.OpenKeys(k.Context(), app.Config{}, k.store, slog.New(slog.DiscardHandler))
	if err != nil {
		k.Fatal(err)
	}
	return ring
}

// TestL9KeyByDefault checks which starts make a key of the machine, and that each but one without keys demands one
// (L9).
func TestL9KeyByDefault(t *testing.T) {
	one := "ci read " + "k7Qw9zR2mX4vB6nT8pL1sD3f"
	for name, tt := range map[string]struct {
		set            settings
		beyond         bool
		made, demanded bool
		said           string
	}{
		"this machine":             {settings{}, false, true, true, ""},
		"this machine, and a key":  {settings{"API_KEYS": one}, false, true, true, ""},
		"demanded":                 {settings{"API_KEYS_REQUIRED": "true"}, false, true, true, ""},
		"not demanded":             {settings{"API_KEYS_REQUIRED": "false"}, false, false, false, "API_KEYS_REQUIRED=false"},
		"others":                   {settings{}, true, true, true, ""},
		"others, and a key":        {settings{"API_KEYS": one}, true, false, true, ""},
		"others, not demanded":     {settings{"API_KEYS_REQUIRED": "false"}, true, true, true, ""},
		"others, none, and theirs": {settings{"API_KEYS_REQUIRED": "0", "API_KEYS": one}, true, false, true, ""},
	} {
		k := newKeyed(t, tt.set)
		own, said, env := k.start(tt.beyond)
		if (own.secret != "") != tt.made || folder.Exists(keyfile.Path(k.data)) != tt.made ||
			!strings.Contains(said, tt.said) || tt.said == "" && said != "" {
			t.Errorf("%s: made %q, said %q", name, own.secret, said)
		}
		if slices.Contains(env, "API_KEYS_REQUIRED=true") != tt.demanded {
			t.Errorf("%s: the app is told %v", name, env)
		}
	}
}

// TestL9KeyIsKept checks that the key of a data folder is its user's alone and stays, that the store has only its
// digest, and that the next start makes another, and says so, where it was lost, withdrawn or shown to others (L9).
func TestL9KeyIsKept(t *testing.T) {
	k := newKeyed(t, settings{})
	file := keyfile.Path(k.data)
	first, _, _ := k.start(false)
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file: %v %v", info, err)
	}
	for e, err := range k.store.Table(keys.Table).Query(t.Context(), storage.Query{}) {
		if err != nil || strings.Contains(strings.ToLower(fmt.Sprint(e)), strings.TrimPrefix(first.secret, keys.Prefix)) {
			t.Errorf("a row: %v %v", e, err)
		}
	}
	if again, said, _ := k.start(false); again.secret != first.secret || said != "" {
		t.Errorf("the second start: %q, then %q, and says %q", first.secret, again.secret, said)
	}
	last := first.secret
	for what, harm := range map[string]func() error{
		"lost":      func() error { return os.Remove(file) },
		"withdrawn": func() error { _, err := k.ring().Remove(t.Context(), keys.Machine); return err },
		"shown":     func() error { return os.Chmod(file, 0o640) },
		"spoiled":   func() error { return os.WriteFile(file, []byte("tm_"), 0o600) },
		"lesser": func() error {
			_, secret, err := k.ring().Add(t.Context(), "reader", api.ScopeRead)
			return errors.Join(err, keyfile.Write(k.data, secret))
		},
	} {
		if err := harm(); err != nil {
			t.Fatal(err)
		}
		now, said, _ := k.start(false)
		if now.secret == last || now.secret == "" || !strings.Contains(said, file+" was lost, withdrawn or readable") {
			t.Errorf("%s: %q, and says %q", what, now.secret, said)
		}
		if _, found, err := k.ring().Find(t.Context(), last); found || err != nil {
			t.Errorf("%s: the key before is still taken (%v)", what, err)
		}
		last = now.secret
	}
	if left, _ := filepath.Glob(file + "*"); len(left) != 1 {
		t.Errorf("files are left: %v", left)
	}
}

// TestL9WhereALinkIsShown checks that a start shows a link on a person's terminal only, and never where others reach
// the app, and that the link is one of the machine's key (L9).
func TestL9WhereALinkIsShown(t *testing.T) {
	k := newKeyed(t, settings{})
	own, _, _ := k.start(false)
	person := terminal.Terminal{Name: "tidemark", Typed: true, Screen: terminal.Screen{Terminal: true}}
	for name, tt := range map[string]struct {
		change func(*local)
		shown  bool
	}{
		"a person":           {func(*local) {}, true},
		"a pipe":             {func(l *local) { l.t.Screen.Terminal = false }, false},
		"nobody types":       {func(l *local) { l.t.Typed = false }, false},
		"a program":          {func(l *local) { l.t.JSON = true }, false},
		"reached by others":  {func(l *local) { l.app.beyond = true }, false},
		"at another address": {func(l *local) { l.app.Port = 7072 }, true},
	} {
		at := person
		l := &local{own: own, t: &at, app: startOptions{listening: listening{Port: 7071}}}
		tt.change(l)
		text := l.signInText(t.Context())
		_, token, shown := strings.Cut(text, l.app.URL()+"/api/ui/link?t=")
		if shown != tt.shown || !strings.Contains(text, "`tidemark link"+serverFlag(l.app.URL())+"` prints") {
			t.Errorf("%s: %s", name, text)
		}
		if !shown {
			continue
		}
		key, found, err := k.ring().Linked(t.Context(), token[:26])
		if err != nil || !found || key.Name != keys.Machine {
			t.Errorf("%s: %+v %v %v", name, key, found, err)
		}
	}
}

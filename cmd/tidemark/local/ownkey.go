package local

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/cmd/tidemark/folder"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/app"
	"github.com/tidemark/tidemark/pkg/ops/keyfile"
	"github.com/tidemark/tidemark/pkg/ops/keys"
	"github.com/tidemark/tidemark/pkg/storage"
)

// ownKey is the key of the data folder, by which commands of this machine call the server.
type ownKey struct {
	ring   *keys.Ring
	secret string // "" if there is none
	key    keys.Key
	found  bool // whether commands find it by themselves
}

// openKey finds the key of the data folder, or makes it, and lets the commands of this user find it. The function done
// ends that.
func (l *local) openKey(ctx context.Context, store storage.Store) (done func(), err error) {
	done = func() {}
	if !l.needsKeys() {
		l.t.Note("API_KEYS_REQUIRED=false: no request needs a key, so every program and every user of this machine may do " +
			"everything here; so may others, if a proxy lets them in and does not say so")
		return done, nil
	}
	if l.own.ring, err = app.OpenKeys(ctx, l.config, store, l.Log.Logger); err != nil {
		return done, err
	}
	if err := l.own.read(ctx, l.Data); err != nil {
		return done, err
	}
	if l.own.secret == "" {
		if err := l.makeKey(ctx); err != nil || l.own.secret == "" {
			return done, err
		}
	}
	done, l.own.found, err = keyfile.Offer(l.getenv, l.Data, l.app.Address())
	return done, err
}

// read reads the key in a data folder, if it is still an admin's.
func (o *ownKey) read(ctx context.Context, data string) error {
	secret, err := keyfile.Read(data)
	if err != nil || secret == "" {
		return err
	}
	k, found, err := o.ring.Find(ctx, secret)
	if found && k.Scope == api.ScopeAdmin {
		o.secret, o.key = secret, k
	}
	return err
}

// makeKey makes the key of the data folder. It makes none where others can reach the app and there are keys: their
// operator has decided who has one.
func (l *local) makeKey(ctx context.Context) error {
	all, err := l.own.ring.List(ctx)
	if err != nil || l.app.beyond && len(all) > 0 {
		return err
	}
	name, file := machineKey(l.Kind), keyfile.Path(l.Data)
	again := folder.Exists(file) || slices.ContainsFunc(all, func(k keys.Key) bool { return k.Name == name })
	secret, err := l.own.ring.Renew(ctx, name)
	if err == nil {
		err = keyfile.Write(l.Data, secret)
	}
	if err != nil {
		return fmt.Errorf("making the key of this machine: %w", err)
	}
	l.t.NoteWhen(again, "the key in %s was lost, withdrawn or readable by others; there is a new one", file)
	return l.own.read(ctx, l.Data)
}

// machineKey returns the name of the key of this machine. Only an account may have servers on several machines.
func machineKey(kind string) string {
	host, err := os.Hostname()
	if kind != folder.Account || err != nil {
		return keys.Machine
	}
	host = strings.Map(func(c rune) rune {
		if strings.ContainsRune("abcdefghijklmnopqrstuvwxyz0123456789.-", c) {
			return c
		}
		return '-'
	}, strings.ToLower(host))
	return keys.Machine + "@" + host[:min(len(host), 40)]
}

// client returns a client of the server that this process runs.
func (l *local) client() *api.Client {
	if l.own.secret == "" {
		return api.NewClient(l.app.URL(), "", nil)
	}
	return keyfile.At(l.app.URL(), l.app.Address(), l.own.secret)
}

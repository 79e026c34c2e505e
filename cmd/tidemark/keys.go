package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/spf13/cobra"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/app"
	"github.com/tidemark/tidemark/pkg/ops/keys"
)

const keysLong = `Keys give access to a Tidemark that other machines can reach (LISTEN). Each has a
name, by which is told who did something, and a scope:

  feed   read feeds
  read   search, and read all that is known
  write  also add, check and remove sources and entries, and start runs
  admin  also settings, keys, policies, the test mode and migrations

The commands ask the server. When none answers and no other was named with --server
or TIDEMARK_SERVER, they open the store of the data folder, which is how the first
key is made. With --data they always do; nothing may run on it then.`

const keysExample = `  tidemark keys add anna --scope admin
  tidemark keys list
  tidemark keys remove anna`

// keyring is what the commands do, over HTTP or on a store.
type keyring interface {
	add(context.Context, api.KeyRequest) (api.NewKey, error)
	list(context.Context) (api.Keys, error)
	remove(context.Context, api.KeyName) (api.Key, error)
}

func keysCommand(p *program) *cobra.Command {
	cmd := &cobra.Command{
		Use: "keys", Short: "Make, list and remove keys", Long: keysLong, Example: keysExample, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	var scope string
	add := keyCommand(p, "add NAME", "Make a key, which is shown once", one("name"),
		func(ctx context.Context, k keyring, args []string) error {
			if scope == "" {
				return usagef("give --scope: feed, read, write or admin")
			}
			return addKey(ctx, p, k, api.KeyRequest{Name: args[0], Scope: api.Scope(scope)})
		})
	add.Flags().StringVar(&scope, "scope", "", "what it is for: feed, read, write or admin")
	cmd.AddCommand(add,
		keyCommand(p, "list", "List keys, and when each was last used", cobra.NoArgs,
			func(ctx context.Context, k keyring, _ []string) error { return listKeys(ctx, p, k) }),
		keyCommand(p, "remove NAME", "End a key, and the sessions begun with it", one("name"),
			func(ctx context.Context, k keyring, args []string) error {
				gone, err := k.remove(ctx, api.KeyName{Name: args[0]})
				if err == nil {
					p.say("the key %s is removed", clean(gone.Name))
				}
				return err
			}))
	return cmd
}

// keyCommand is a command that does something with the keys of the server, or of the data folder.
func keyCommand(p *program, use, short string, args cobra.PositionalArgs,
	do func(context.Context, keyring, []string) error) *cobra.Command {
	var e emulatorOptions
	cmd := &cobra.Command{Use: use, Short: short, Args: args, Example: keysExample}
	read := emulatorFlags(p, cmd.Flags(), &e)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := read(); err != nil {
			return err
		}
		here := func() error { return onStoredKeys(cmd.Context(), p, e, args, do) }
		if cmd.Flags().Changed("data") {
			return here()
		}
		err := do(cmd.Context(), serverKeys{p}, args)
		_, unreachable := errors.AsType[*api.UnreachableError](err)
		if unreachable && p.getenv("TIDEMARK_SERVER") == "" && !cmd.Flags().Changed("server") {
			return here()
		}
		return err
	}
	return cmd
}

func addKey(ctx context.Context, p *program, k keyring, r api.KeyRequest) error {
	made, err := k.add(ctx, r)
	if err != nil || p.json {
		return err
	}
	p.say("the key %s, for %s:\n\n  %s\n", clean(made.Name), made.Scope, clean(made.Secret))
	p.say("It is not shown again. Send it as x-functions-key, or as Authorization: Bearer; here with TIDEMARK_KEY.")
	return nil
}

func listKeys(ctx context.Context, p *program, k keyring) error {
	got, err := k.list(ctx)
	switch {
	case err != nil || p.json:
		return err
	case len(got.Keys) == 0:
		p.say("no keys; `%s keys add NAME --scope read` makes one", p.name())
		return nil
	}
	rows := []string{"NAME\tSCOPE\tFROM\tMADE\tLAST USED"}
	for _, k := range got.Keys {
		rows = append(rows, row(k.Name, string(k.Scope), k.Origin, dayOf(k.Created), dayOf(k.LastUsed)))
	}
	return table(p.out, rows...)
}

func dayOf(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format("2006-01-02 15:04")
}

// serverKeys are the keys of a server.
type serverKeys struct{ p *program }

func (s serverKeys) add(ctx context.Context, r api.KeyRequest) (api.NewKey, error) {
	return api.AddKey.Call(ctx, s.p.client(), r)
}

func (s serverKeys) list(ctx context.Context) (api.Keys, error) {
	return api.ListKeys.Call(ctx, s.p.client(), api.None{})
}

func (s serverKeys) remove(ctx context.Context, name api.KeyName) (api.Key, error) {
	return api.RemoveKey.Call(ctx, s.p.client(), name)
}

// folderKeys are the keys of a store that nothing runs on.
type folderKeys struct {
	p    *program
	ring *keys.Ring
}

func (s folderKeys) add(ctx context.Context, r api.KeyRequest) (api.NewKey, error) {
	k, secret, err := s.ring.Add(ctx, r.Name, r.Scope)
	return printed(s.p, api.NewKey{Key: k.JSON(), Secret: secret}, err)
}

func (s folderKeys) list(ctx context.Context) (api.Keys, error) {
	all, err := s.ring.List(ctx)
	return printed(s.p, keys.JSON(all), err)
}

func (s folderKeys) remove(ctx context.Context, name api.KeyName) (api.Key, error) {
	k, err := s.ring.Remove(ctx, name.Name)
	return printed(s.p, k.JSON(), err)
}

// printed passes an answer on and prints it with --json, as the client does with those of a server.
func printed[A any](p *program, answer A, err error) (A, error) {
	if err == nil && p.json {
		err = json.NewEncoder(p.out).Encode(answer)
	}
	return answer, err
}

// onStoredKeys opens the keys of a data folder with nobody else on it.
func onStoredKeys(ctx context.Context, p *program, eo emulatorOptions, args []string,
	do func(context.Context, keyring, []string) error) error {
	kind, err := storageOf(p, eo.data)
	if err != nil {
		return err
	}
	if kind == ownAzurite {
		return fmt.Errorf("no server answers, and Azurite runs only while it does: start Tidemark without LISTEN, make the " +
			"key, and start it again")
	}
	cfg, err := app.Load(p.getenv)
	if err != nil {
		return err
	}
	parts := realParts()
	l := &local{parts: parts, config: cfg, emulation: emulation{p: p, options: eo, tell: p.note, storage: kind}}
	if err := l.open(slog.LevelWarn, appLock); err != nil {
		return err
	}
	defer l.close()
	store, err := l.openStore(ctx)
	if err != nil {
		return err
	}
	defer store.Close()
	ring, err := app.OpenKeys(ctx, cfg, store, l.log.Logger)
	if err != nil {
		return err
	}
	p.note("no server is asked; these are the keys in %s", l.options.data)
	return do(ctx, folderKeys{p, ring}, args)
}

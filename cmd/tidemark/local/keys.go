package local

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/folder"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/app"
	"github.com/tidemark/tidemark/pkg/ops/keys"
	"github.com/tidemark/tidemark/pkg/storage"
)

const keysHelp = `keys
Make, list and remove keys

Every request needs a key. The commands of the user who runs Tidemark find one of their
own, which the first start makes (admin.key in the data folder); make others for other
programs, users and machines. Each key has a name, which records use to say who did
something, and a scope:

  feed   read feeds
  read   search, and read everything
  write  also add, check and remove sources and entries, and start runs
  admin  also settings, keys, policies, the test mode and migrations

The commands ask the server. If no server answers at the default address, they open
the store of the data folder instead. They never do so if --server or TIDEMARK_SERVER
is set. With --data they always open the store, and Tidemark must not be running on it.

Keys also come with the start: API_KEYS="NAME SCOPE KEY", for tests that know the key,
or API_KEYS_FILE. API_KEYS_REQUIRED=false wants no keys while only this machine can
reach Tidemark: then each of its users and programs may do everything.` + keysExample

const keysExample = `

  tidemark keys add anna --scope admin
  tidemark keys add reader --scope feed
  tidemark keys list
  tidemark keys remove anna`

// A keyring has the operations of the commands. One implementation uses HTTP, and the other a store.
type keyring interface {
	add(context.Context, api.KeyRequest) (api.NewKey, error)
	list(context.Context) (api.Keys, error)
	remove(context.Context, api.KeyName) (api.Key, error)
}

func keysCommand(t *terminal.Terminal, s *command.Server, getenv func(string) string) *cobra.Command {
	var scope string
	add := keyCommand(t, s, getenv, "add NAME\nMake a key, and show it this once", command.One("name"),
		func(ctx context.Context, k keyring, args []string) error {
			if scope == "" {
				return command.Usagef("give --scope: feed, read, write or admin")
			}
			made, err := k.add(ctx, api.KeyRequest{Name: args[0], Scope: api.Scope(scope)})
			t.SayWhen(err == nil, "the key %s, for %s, which is not shown again:\n\n  %s\n\n%s",
				terminal.Clean(made.Name), made.Scope, terminal.Clean(made.Secret), toPaste(s.Address, made))
			return err
		})
	add.Flags().StringVar(&scope, "scope", "", "scope of the key: feed, read, write or admin")
	return command.Group(keysHelp, add,
		keyCommand(t, s, getenv, "list\nList keys, and when each was last used", cobra.NoArgs,
			func(ctx context.Context, k keyring, _ []string) error { return listKeys(ctx, t, k) }),
		keyCommand(t, s, getenv, "remove NAME\nEnd a key, and the sessions begun with it", command.One("name"),
			func(ctx context.Context, k keyring, args []string) error {
				gone, err := k.remove(ctx, api.KeyName{Name: args[0]})
				t.SayWhen(err == nil, "the key %s is removed", terminal.Clean(gone.Name))
				return err
			}))
}

// toPaste returns what a feed reader, an assistant or a program takes to use a new key.
func toPaste(server string, made api.NewKey) string {
	at, secret := strings.TrimSuffix(strings.TrimRight(server, "/"), "/api"), terminal.Clean(made.Secret)
	if made.Scope == api.ScopeFeed {
		return fmt.Sprintf("A feed reader takes this address:\n\n  %s/api/changes.atom?key=%s", at, secret)
	}
	return fmt.Sprintf("Programs send it as x-functions-key or as Authorization: Bearer, and commands take it from "+
		"TIDEMARK_KEY.\nAn assistant that speaks MCP takes this:\n\n  "+
		`{"mcpServers": {"tidemark": {"type": "http", "url": "%s/api/mcp", "headers": {"Authorization": "Bearer %s"}}}}`,
		at, secret)
}

// keyCommand makes a command for the keys of the server or of the data folder.
func keyCommand(t *terminal.Terminal, s *command.Server, getenv func(string) string, help string,
	args cobra.PositionalArgs, do func(context.Context, keyring, []string) error) *cobra.Command {
	var cmd *cobra.Command
	run := func(ctx context.Context, o folder.Options, args []string) error {
		if !cmd.Flags().Changed("data") {
			err := do(ctx, serverKeys{s}, args)
			_, unreachable := errors.AsType[*api.UnreachableError](err)
			if !unreachable || getenv("TIDEMARK_SERVER") != "" || cmd.Flags().Changed("server") {
				return err
			}
		}
		return onStoredKeys(ctx, t, getenv, o, args, do)
	}
	cmd = folder.Command(help+keysExample, args, getenv, run)
	return cmd
}

func listKeys(ctx context.Context, t *terminal.Terminal, k keyring) error {
	got, err := k.list(ctx)
	if err != nil {
		return err
	}
	none := fmt.Sprintf("no keys; `%s keys add NAME --scope read` makes one", t.Name)
	return terminal.List(t, got.Keys, none, "NAME\tSCOPE\tFROM\tMADE\tLAST USED", func(k api.Key) string {
		return terminal.Row(k.Name, string(k.Scope), k.Origin, terminal.Minute(k.Created),
			terminal.Minute(k.LastUsed))
	})
}

// serverKeys are the keys of a server.
type serverKeys struct{ s *command.Server }

func (s serverKeys) add(ctx context.Context, r api.KeyRequest) (api.NewKey, error) {
	return api.AddKey.Call(ctx, s.s.Client(), r)
}

func (s serverKeys) list(ctx context.Context) (api.Keys, error) {
	return api.ListKeys.Call(ctx, s.s.Client(), api.None{})
}

func (s serverKeys) remove(ctx context.Context, name api.KeyName) (api.Key, error) {
	return api.RemoveKey.Call(ctx, s.s.Client(), name)
}

// folderKeys are the keys of a store that no process uses.
type folderKeys struct {
	t    *terminal.Terminal
	ring *keys.Ring
}

func (s folderKeys) add(ctx context.Context, r api.KeyRequest) (api.NewKey, error) {
	k, secret, err := s.ring.Add(ctx, r.Name, r.Scope)
	return printed(s.t, api.NewKey{Key: k.JSON(), Secret: secret}, err)
}

func (s folderKeys) list(ctx context.Context) (api.Keys, error) {
	all, err := s.ring.List(ctx)
	return printed(s.t, keys.JSON(all), err)
}

func (s folderKeys) remove(ctx context.Context, name api.KeyName) (api.Key, error) {
	k, err := s.ring.Remove(ctx, name.Name)
	return printed(s.t, k.JSON(), err)
}

// printed returns an answer unchanged. With --json it also prints the answer, in the same way as a client prints the
// answers of a server.
func printed[A any](t *terminal.Terminal, answer A, err error) (A, error) {
	if err == nil && t.JSON {
		err = json.NewEncoder(t.Out).Encode(answer)
	}
	return answer, err
}

// onStoredKeys opens the keys of a data folder that no other process uses.
func onStoredKeys(ctx context.Context, t *terminal.Terminal, getenv func(string) string, o folder.Options,
	args []string, do func(context.Context, keyring, []string) error) error {
	kind, err := folder.KindIn(t, getenv, o.Data)
	if err != nil {
		return err
	}
	if kind == folder.Azurite {
		return fmt.Errorf("no server answers, and Azurite runs only while it does: start Tidemark without LISTEN, make the " +
			"key, and start it again")
	}
	return folder.OnStore(ctx, t, getenv, folder.Real, kind, o, func(ctx context.Context, f *folder.Folder,
		cfg app.Config, store storage.Store) error {
		ring, err := app.OpenKeys(ctx, cfg, store, f.Log.Logger)
		if err != nil {
			return err
		}
		t.Note("no server is asked; these are the keys in %s", f.Data)
		return do(ctx, folderKeys{t, ring}, args)
	})
}

package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/app"
	"github.com/tidemark/tidemark/pkg/fetch/file"
	"github.com/tidemark/tidemark/pkg/identity/source"
)

// maxTitle bounds the title of a source in a line, in characters.
const maxTitle = 60

// sourceOf returns the address of an item's source.
func sourceOf(it api.Item) string {
	return terminal.Clean(cmp.Or(it.DisplaySource, it.NormalizedSource))
}

// nameOf returns the title and the address of an item, or the address alone if it has no title.
func nameOf(it api.Item) string {
	title := terminal.Cut(terminal.Clean(it.Title), maxTitle)
	return terminal.When(it.Title != "", "%s  ", title) + sourceOf(it)
}

// getItem reads one item, given its id or the source with which it was added.
func getItem(ctx context.Context, s *command.Server, name string) (api.ItemDetail, error) {
	return itemFrom(ctx, s, s.Client(), name)
}

// itemFrom does the same as getItem, but with the given client.
func itemFrom(ctx context.Context, s *command.Server, client *api.Client, name string) (api.ItemDetail, error) {
	return atItem(ctx, s, client, name, api.GetItem)
}

// atItem calls a route of one item, given the item's id or the source with which it was added.
func atItem[A any](ctx context.Context, s *command.Server, client *api.Client, name string,
	route api.Route[api.ItemID, A]) (A, error) {
	return onItem(ctx, s, name, func(id string) (A, error) { return route.Call(ctx, client, api.ItemID{ID: id}) })
}

// asked returns a command that calls a route for what its argument names, and says what the answer is.
func asked[Q, A any](s *command.Server, help string, one cobra.PositionalArgs, route api.Route[Q, A],
	say func(A)) *cobra.Command {
	return command.New(help, one, func(ctx context.Context, args []string) error {
		answer, err := route.Call(ctx, s.Client(), route.Of(args[0]))
		if err == nil {
			say(answer)
		}
		return err
	})
}

// onItem calls ask with the id of the item to which name refers. The address of a blob may have been added as a page
// or as a file, so onItem tries the id of the file if the server does not know the id of the page.
func onItem[T any](ctx context.Context, s *command.Server, name string, ask func(id string) (T, error)) (answer T,
	err error) {
	ids, meant, err := idsOf(s, name)
	if err != nil {
		return answer, err
	}
	for _, id := range ids {
		if answer, err = ask(id); !isUnknown(err) {
			return answer, err
		}
	}
	// If the server knows an item, then something else of it was not found, such as a capture.
	known := func(id string) bool {
		_, err := api.GetItem.Call(ctx, s.Silent(), api.ItemID{ID: id})
		return err == nil
	}
	if meant != "" && !slices.ContainsFunc(ids, known) {
		err = fmt.Errorf("%w: %s was not added, or under other tracking rules", err, meant)
	}
	return answer, err
}

// isID matches ids. It matches no source, because no URL or path has the form of an id.
var isID = regexp.MustCompile(`^(url|file)_[a-z2-7]+$`)

// idsOf returns the ids to which a name may refer, at least one. If the name is an id, idsOf returns only that id. If
// the name is a source, idsOf also returns the normalized source. The API accepts only ids, so the id of a URL is
// computed here: with the default rules of a server, or with the rules of TRACKING_PARAM_PREFIXES if that is set for
// this command.
func idsOf(s *command.Server, name string) (ids []string, meant string, err error) {
	if isID.MatchString(name) {
		return []string{name}, "", nil
	}
	rules := source.DefaultRules()
	if s.Tracking != "" {
		rules, err = app.ParseTracking(s.Tracking)
	}
	if err != nil {
		return nil, "", err
	}
	sources, err := file.Sources(localPath(name), rules)
	if err != nil {
		return nil, "", command.Usagef("%s is no id, no URL and no path: %v", name, err)
	}
	for _, src := range sources {
		ids = append(ids, string(src.ID()))
	}
	return ids, sources[0].Normalized, nil
}

// localPath makes a name absolute if it begins like a path relative to the working directory.
func localPath(name string) string {
	if !strings.HasPrefix(name, "./") && !strings.HasPrefix(name, "../") {
		return name
	}
	if abs, err := filepath.Abs(name); err == nil {
		return abs
	}
	return name
}

func isUnknown(err error) bool {
	problem, ok := errors.AsType[*api.Problem](err)
	return ok && problem.Status == http.StatusNotFound
}

package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"

	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/app"
	"github.com/tidemark/tidemark/pkg/fetch/file"
	"github.com/tidemark/tidemark/pkg/identity/source"
)

// item reads one item, which is named by its id or by the source it was added with.
func getItem(ctx context.Context, s *command.Server, name string) (api.ItemDetail, error) {
	return itemFrom(ctx, s, s.Client(), name)
}

// itemFrom is item by a client of the caller's.
func itemFrom(ctx context.Context, s *command.Server, client *api.Client, name string) (api.ItemDetail, error) {
	return onItem(s, name, func(id string) (api.ItemDetail, error) {
		return api.GetItem.Call(ctx, client,
			api.ItemID{ID: id})
	})
}

// onItem asks the server about the item that a name means. The address of a blob may have been
// added as a page or as a file, so the second is asked for where the first is not known.
func onItem[T any](s *command.Server, name string, ask func(id string) (T, error)) (answer T, err error) {
	ids, meant, err := idsOf(s, name)
	if err != nil {
		return answer, err
	}
	for _, id := range ids {
		if answer, err = ask(id); !isUnknown(err) {
			return answer, err
		}
	}
	if meant != "" {
		err = fmt.Errorf("%w: %s was not added, or under other tracking rules", err, meant)
	}
	return answer, err
}

// idsOf are the ids that a name may mean, at least one: the name itself, or those of the source it
// is, which is then given, normalized. The API knows ids only; that of a URL is computed here, by the rules a server
// has unless it was told others (TRACKING_PARAM_PREFIXES, which is read here as well).
func idsOf(s *command.Server, name string) (ids []string, meant string, err error) {
	if isID.MatchString(name) {
		return []string{name}, "", nil
	}
	rules, err := trackingRules(s)
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

// localPath resolves a path that begins like one of this folder.
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

func trackingRules(s *command.Server) (source.Rules, error) {
	list := s.Tracking
	if list == "" {
		return source.DefaultRules(), nil
	}
	return app.ParseTracking(list)
}

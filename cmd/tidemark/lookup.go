package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/app"
	"github.com/tidemark/tidemark/pkg/source"
)

// item reads one item, which is named by its id or by the URL it was added with. The API knows
// ids only; the id of a URL is computed here, by the rules a server has unless it was told others
// (TRACKING_PARAM_PREFIXES, which is read here as well).
func (p *program) item(ctx context.Context, name string) (api.ItemDetail, error) {
	if isID.MatchString(name) {
		return p.client().Item(ctx, name)
	}
	rules, err := p.rules()
	if err != nil {
		return api.ItemDetail{}, err
	}
	src, err := rules.ParseURL(name)
	if err != nil {
		return api.ItemDetail{}, usagef("%s is no id and no URL: %v", name, err)
	}
	item, err := p.client().Item(ctx, string(src.ID()))
	if problem, ok := errors.AsType[*api.Problem](err); ok && problem.Status == http.StatusNotFound {
		err = fmt.Errorf("%w: %s was not added, or under other tracking rules", err, src.Normalized)
	}
	return item, err
}

func (p *program) rules() (source.Rules, error) {
	list := p.getenv("TRACKING_PARAM_PREFIXES")
	if list == "" {
		return source.DefaultRules(), nil
	}
	return app.ParseTracking(list)
}

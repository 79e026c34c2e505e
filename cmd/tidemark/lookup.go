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

// item reads one item, which is named by its id or by the URL it was added with.
func (p *program) item(ctx context.Context, name string) (api.ItemDetail, error) {
	id, url, err := p.idOf(name)
	if err != nil {
		return api.ItemDetail{}, err
	}
	item, err := p.client().Item(ctx, id)
	return item, missed(err, url)
}

// idOf is the id of an item that is named by it or by the URL it was added with, which is then
// given, normalized. The API knows ids only; that of a URL is computed here, by the rules a server
// has unless it was told others (TRACKING_PARAM_PREFIXES, which is read here as well).
func (p *program) idOf(name string) (id, url string, err error) {
	if isID.MatchString(name) {
		return name, "", nil
	}
	rules, err := p.rules()
	if err != nil {
		return "", "", err
	}
	src, err := rules.ParseURL(name)
	if err != nil {
		return "", "", usagef("%s is no id and no URL: %v", name, err)
	}
	return string(src.ID()), src.Normalized, nil
}

// missed tells why an id that was computed from a URL may not be known.
func missed(err error, url string) error {
	problem, ok := errors.AsType[*api.Problem](err)
	if !ok || problem.Status != http.StatusNotFound || url == "" {
		return err
	}
	return fmt.Errorf("%w: %s was not added, or under other tracking rules", err, url)
}

func (p *program) rules() (source.Rules, error) {
	list := p.getenv("TRACKING_PARAM_PREFIXES")
	if list == "" {
		return source.DefaultRules(), nil
	}
	return app.ParseTracking(list)
}

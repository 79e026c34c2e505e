package handlers

import (
	"context"
	"slices"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/fetch/file"
	"github.com/tidemark/tidemark/pkg/fetch/file/credential"
	"github.com/tidemark/tidemark/pkg/identity/source"
)

// itemSources turns the addresses and paths of requests into sources, and refuses those that would never be fetched.
type itemSources struct {
	Rules   source.Rules
	Admit   func(url string) error   // returns why a URL would never be fetched; if unset, all are admitted
	Files   *file.Client             // knows which files the settings allow
	Schemes *fetch.SchemeGuesser     // finds the schemes of addresses without one; nil if that is not possible
	Setting func(name string) string // returns a setting of the app, such as a credential; "" if it is not set
}

// page returns the source for a URL. If a credential is named, it must be one for that address.
func (s itemSources) page(raw, name string) (addressed, error) {
	src, err := s.Rules.ParseURL(raw)
	if err != nil {
		return addressed{}, err
	}
	if s.Admit != nil {
		if err := s.Admit(src.Normalized); err != nil {
			return addressed{}, fault.Field("url", "url: %w", err)
		}
	}
	if name != "" {
		if _, err := credential.ForPage(s.Setting, name, src.Normalized); err != nil {
			return addressed{}, fault.Field("credential", "%w", err)
		}
	}
	return addressed{src, raw, source.RouteWarning(raw)}, nil
}

// guessed finds the schemes of addresses that have none, and returns a function like page that knows them.
func (s itemSources) guessed(ctx context.Context, raws []string) func(raw, name string) (addressed, error) {
	found, errs := s.Schemes.Guess(ctx, raws)
	return func(raw, name string) (addressed, error) {
		at := slices.Index(raws, raw)
		if at < 0 || errs[at] != nil {
			return addressed{}, errs[max(at, 0)]
		}
		return s.page(found[at], name)
	}
}

// file returns the source for a path, if the settings allow reading it.
func (s itemSources) file(raw, name string) (addressed, error) {
	place, err := file.Parse(raw)
	if err != nil {
		return addressed{}, err
	}
	return addressed{Source: place.Source(), address: raw}, s.Files.Admit(place, name)
}

// credential returns the name of a credential in the form in which items store it. An empty name stays empty. The
// name of a credential that is not set is refused.
func (s itemSources) credential(given string) (string, error) {
	if given == "" {
		return "", nil
	}
	name, err := credential.Name(given)
	if err == nil {
		_, err = credential.Find(s.Setting, name)
	}
	if err != nil {
		return "", fault.Field("credential", "%w", err)
	}
	return name, nil
}

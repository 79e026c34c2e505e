package main

import (
	"context"
	"io"
	"net/http"
	"regexp"
	"strings"

	"golang.org/x/net/html"
)

// refreshed matches the address of a meta refresh.
var refreshed = regexp.MustCompile(`(?i)^\s*\d+\s*[;,]\s*url\s*=\s*['"]?([^'"]+)`)

// walkLinks returns the addresses that a walk reaches from a page by <a href>, redirects and meta refresh, on its host.
// A page that only leads to another one by a refresh is that page, as with a redirect. It shares no code with the
// product.
func walkLinks(ctx context.Context, first string) (map[string]bool, error) {
	reached, seen, todo := map[string]bool{}, map[string]bool{first: true}, []string{first}
	for ; len(todo) > 0; todo = todo[1:] {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, todo[0], http.NoBody)
		if err != nil {
			return nil, err
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return nil, err
		}
		at := resp.Request.URL
		var to []string
		if resp.StatusCode == http.StatusOK {
			isStub := false
			if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/html") {
				to, isStub = linksIn(resp.Body)
			}
			if !isStub {
				reached[strings.TrimSuffix(at.String(), "/")] = true // as the product writes addresses
			}
		}
		_ = resp.Body.Close()
		for _, ref := range to {
			next, err := at.Parse(strings.TrimSpace(ref))
			if err != nil || next.Host != at.Host || next.Scheme != at.Scheme {
				continue
			}
			next.Fragment, next.RawFragment = "", ""
			if address := next.String(); !seen[address] {
				seen[address] = true
				todo = append(todo, address)
			}
		}
	}
	return reached, nil
}

// linksIn returns the addresses that a page links to, and whether the page is shown only until another one is.
func linksIn(body io.Reader) (out []string, isStub bool) {
	for z := html.NewTokenizer(body); ; {
		switch z.Next() {
		case html.ErrorToken:
			return out, isStub
		case html.StartTagToken, html.SelfClosingTagToken:
			t := z.Token()
			values := map[string]string{}
			for _, a := range t.Attr {
				values[a.Key] = a.Val
			}
			if href, found := values["href"]; t.Data == "a" && found {
				out = append(out, href)
			}
			if t.Data == "meta" && strings.EqualFold(values["http-equiv"], "refresh") {
				if m := refreshed.FindStringSubmatch(values["content"]); m != nil {
					out, isStub = append(out, m[1]), true
				}
			}
		}
	}
}

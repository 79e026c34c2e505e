package main

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
	"time"
)

// An item is the history of one page as the product sees it: files with the same address are one page, and only the
// first of them is kept.
type item struct {
	name   string // name of the first file with this address
	host   string
	checks []check
}

// A check is one fetch of an item.
type check struct {
	refetch
	state, raw int
	version    bool // whether the archive recorded a version of one of the item's files with this fetch
}

// items groups the fetches by address.
func (p *past) items(versions map[string]bool) []item {
	addresses := map[string]string{}
	for _, f := range p.Refetches {
		if f.URL != "" {
			address, _, _ := strings.Cut(f.URL, "#")
			addresses[f.Page] = address
		}
	}
	kept, recorded := map[string]string{}, map[string]bool{}
	for _, f := range p.Refetches {
		a := cmp.Or(addresses[f.Page], f.Page)
		if name, seen := kept[a]; !seen || f.Page < name {
			kept[a] = f.Page
		}
		if versions[f.Commit] {
			recorded[a+round(f.At)] = true
		}
	}
	byAddress := map[string]*item{}
	for i, f := range p.Refetches {
		a := cmp.Or(addresses[f.Page], f.Page)
		if kept[a] != f.Page {
			continue
		}
		if byAddress[a] == nil {
			byAddress[a] = &item{name: f.Page, host: hostOf(a, f.Page)}
		}
		it := byAddress[a]
		it.checks = append(it.checks, check{f, p.State[i], p.Raw[i], recorded[a+round(f.At)]})
	}
	var all []item
	for _, it := range byAddress {
		all = append(all, *it)
	}
	slices.SortFunc(all, func(a, b item) int { return cmp.Compare(a.name, b.name) })
	return all
}

// round returns the hour of a time as text. An archive fetches all its files within one hour.
func round(at time.Time) string { return at.Truncate(time.Hour).Format(" 2006-01-02T15") }

// hostOf returns the host of an address. For a page without an address it returns the folder of its file.
func hostOf(address, page string) string {
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		return u.Host
	}
	folder, _, _ := strings.Cut(page, "/")
	return folder
}

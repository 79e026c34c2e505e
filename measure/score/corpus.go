package main

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// page is a page with its known content: either the whole content, or phrases from inside and from outside the
// content.
type page struct {
	name       string
	kind       string // the type of page, if the set records types
	html       []byte
	text       string
	hasText    bool
	keep, drop []string
}

// load reads every step-th page of a folder, beginning with page number first.
func load(folder fs.FS, first, step int) ([]page, error) {
	for _, layout := range layouts {
		names, read, found, err := layout(folder)
		if err != nil {
			return nil, err
		}
		if !found {
			continue
		}
		var pages []page
		for i := first; i < len(names); i += step {
			p, err := read(names[i])
			if err != nil {
				return nil, err
			}
			pages = append(pages, p)
		}
		if len(pages) > 0 {
			return pages, nil
		}
	}
	return nil, errors.New("no pages: want name.html beside name.txt or name.keep")
}

func loadPage(folder fs.FS, name string) (page, error) {
	p := page{name: name}
	html, err := fs.ReadFile(folder, name+".html")
	if err != nil {
		return p, err
	}
	p.html = html
	var texts [3]string
	for i, suffix := range []string{".txt", ".keep", ".drop"} {
		data, err := fs.ReadFile(folder, name+suffix)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return p, err
		}
		texts[i] = string(data)
		p.hasText = p.hasText || i == 0 && err == nil
	}
	p.text, p.keep, p.drop = texts[0], lines(texts[1]), lines(texts[2])
	if !p.hasText && len(p.keep) == 0 {
		return p, fmt.Errorf("%s.html has no ground truth: want %[1]s.txt or %[1]s.keep", name)
	}
	return p, nil
}

func lines(text string) []string {
	var all []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			all = append(all, line)
		}
	}
	return all
}

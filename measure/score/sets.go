package main

import (
	"encoding/json"
	"errors"
	"io/fs"
	"slices"
	"strings"
)

// A reader reads a folder with one layout. It returns the pages in the order of names, or false when the folder has
// another layout.
type reader func(folder fs.FS) (names []string, read func(name string) (page, error), found bool, err error)

// layouts are the known layouts, the most specific first.
var layouts = []reader{shingled, typed, plain}

// shingled reads the layout of the article-extraction-benchmark: html/ID.html, and all texts in ground-truth.json.
func shingled(folder fs.FS) ([]string, func(string) (page, error), bool, error) {
	var truth map[string]struct{ ArticleBody string }
	if found, err := readJSON(folder, "ground-truth.json", &truth); err != nil || !found {
		return nil, nil, found, err
	}
	names := make([]string, 0, len(truth))
	for name := range truth {
		names = append(names, name)
	}
	slices.Sort(names)
	read := func(name string) (page, error) {
		html, err := fs.ReadFile(folder, "html/"+name+".html")
		return page{name: name, html: html, text: truth[name].ArticleBody, hasText: true}, err
	}
	return names, read, true, nil
}

// typed reads the layout of WCXB: html/ID.html, and ground-truth/ID.json with the text and the type of page.
func typed(folder fs.FS) ([]string, func(string) (page, error), bool, error) {
	files, err := fs.ReadDir(folder, "ground-truth")
	if err != nil {
		return nil, nil, false, nil
	}
	var names []string
	for _, f := range files {
		if name, isTruth := strings.CutSuffix(f.Name(), ".json"); isTruth {
			names = append(names, name)
		}
	}
	read := func(name string) (page, error) {
		var truth struct {
			Internal struct {
				PageType struct{ Primary string } `json:"page_type"`
			} `json:"_internal"`
			Truth struct {
				Text string   `json:"main_content"`
				Keep []string `json:"with"`
				Drop []string `json:"without"`
			} `json:"ground_truth"`
		}
		if _, err := readJSON(folder, "ground-truth/"+name+".json", &truth); err != nil {
			return page{}, err
		}
		html, err := fs.ReadFile(folder, "html/"+name+".html")
		kind := truth.Internal.PageType.Primary
		if kind == "category" { // the program of the set itself does the same
			kind = "collection"
		}
		return page{name: name, kind: kind, html: html, text: truth.Truth.Text, hasText: true,
			keep: truth.Truth.Keep, drop: truth.Truth.Drop}, err
	}
	return names, read, true, nil
}

// readJSON reads a file if it exists.
func readJSON(folder fs.FS, name string, into any) (found bool, err error) {
	data, err := fs.ReadFile(folder, name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, json.Unmarshal(data, into)
}

// plain reads Tidemark's own layout: name.html with name.txt or name.keep, in any subfolder.
func plain(folder fs.FS) (names []string, _ func(string) (page, error), _ bool, err error) {
	err = fs.WalkDir(folder, ".", func(path string, d fs.DirEntry, err error) error {
		if name, isPage := strings.CutSuffix(path, ".html"); err == nil && !d.IsDir() && isPage {
			names = append(names, name)
		}
		return err
	})
	return names, func(name string) (page, error) { return loadPage(folder, name) }, true, err
}

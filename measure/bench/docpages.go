package main

import (
	"io/fs"
	"os"
	"path/filepath"
)

// docRoots are the folders of documentation that Debian packages as HTML: python3.11-doc and rust-doc.
var docRoots = []string{"/usr/share/doc/python3.11/html", "/usr/share/doc/rust-doc/html"}

// leastDocPage excludes stubs, which only link to other pages.
const leastDocPage = 4 << 10

// docPages returns n pages, chosen evenly from all installed pages of documentation, or no pages when none are
// installed.
func docPages(n int) ([][]byte, error) {
	var all []string
	for _, root := range docRoots {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Ext(path) != ".html" {
				return ignoreMissing(err)
			}
			info, err := d.Info()
			if err == nil && info.Size() >= leastDocPage {
				all = append(all, path)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	var pages [][]byte
	for i := range min(n, len(all)) {
		body, err := os.ReadFile(all[i*len(all)/min(n, len(all))])
		if err != nil {
			return nil, err
		}
		pages = append(pages, body)
	}
	return pages, nil
}

func ignoreMissing(err error) error {
	if os.IsNotExist(err) {
		return nil
	}
	return err
}

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/tidemark/tidemark/pkg/content/extract/mail"
	"github.com/tidemark/tidemark/pkg/content/extract/office"
	"github.com/tidemark/tidemark/pkg/content/extract/pdf"
)

// kind is a row of the tables by type. Its documents are files of this repository.
type kind struct {
	name, contentType string
	files             []string // patterns of file names
}

const officeType = "application/vnd.openxmlformats-officedocument."

var kinds = []kind{
	{"html", "text/html", []string{"pkg/content/extract/web/testdata/*.html"}},
	{"html, testdata/site", "text/html", []string{"testdata/site/*.html", "testdata/site/*/*.html"}},
	{"text", "text/plain", []string{"pkg/content/extract/web/testdata/*.txt"}},
	{"md", "text/markdown", []string{"pkg/content/extract/web/testdata/*.md"}},
	{"csv", "text/csv", []string{"pkg/content/extract/web/testdata/*.csv"}},
	{"eml", mail.MediaType, []string{"pkg/content/extract/mail/testdata/*.eml"}},
	// Only these files are typical. The others were made by hand as special cases: they have about a kilobyte, or are
	// refused.
	{"pdf", pdf.MediaType, []string{"pkg/content/extract/pdf/testdata/columns.pdf",
		"pkg/content/extract/pdf/testdata/office.pdf"}},
	{"docx", officeType + "wordprocessingml.document", []string{"pkg/content/extract/office/testdata/*.docx"}},
	{"pptx", officeType + "presentationml.presentation", []string{"pkg/content/extract/office/testdata/*.pptx"}},
	{"xlsx", office.XLSXType, []string{"pkg/content/extract/office/testdata/*.xlsx"}},
}

// A sample is one document.
type sample struct {
	path, contentType string
	body              []byte
}

func (k kind) samples() ([]sample, error) {
	var out []sample
	for _, pattern := range k.files {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			return nil, err
		}
		for _, path := range paths {
			body, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			out = append(out, sample{filepath.ToSlash(path), k.contentType, body})
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("no %s here: run it in the root of the repository", k.name)
	}
	return out, nil
}

// samplesOf returns the documents of the kind with this name.
func samplesOf(name string) ([]sample, error) {
	return kinds[slices.IndexFunc(kinds, func(k kind) bool { return k.name == name })].samples()
}

// size returns the number of bytes of all documents together.
func size(samples []sample) (n int) {
	for _, s := range samples {
		n += len(s.body)
	}
	return n
}

package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"time"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/web"
)

// An extractor finds the content of a page, as text.
type extractor struct {
	name    string
	outside bool // the extractor is an external command, whose processor time is not measured
	extract func(html []byte) (string, error)
}

// decides returns the value by which changes are detected: the content hash for Tidemark, the text for others.
func (e extractor) decides(html []byte) (string, error) {
	if e.name != "tidemark" {
		return e.extract(html)
	}
	doc, err := document(html)
	return doc.ContentHash(), err
}

func tidemark(html []byte) (string, error) {
	doc, err := document(html)
	return doc.MainText(), err
}

// zones returns the text of both zones: the main content and the text beside it.
func zones(html []byte) (string, error) {
	doc, err := document(html)
	return doc.Text, err
}

func visible(html []byte) (string, error) {
	doc, err := document(html)
	return doc.VisibleText, err
}

// document extracts a page. The page itself must declare its charset, because the response's header is not known.
func document(html []byte) (extract.Document, error) {
	return web.Extract(html, "text/html", "https://page.example/", extract.Limits{})
}

// commandExtractor returns an extractor that runs a command for each page, for at most a minute.
func commandExtractor(args []string) func([]byte) (string, error) {
	return func(html []byte) (string, error) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		c := exec.CommandContext(ctx, args[0], args[1:]...)
		c.Stdin, c.Stderr = bytes.NewReader(html), os.Stderr
		text, err := c.Output()
		return string(text), err
	}
}

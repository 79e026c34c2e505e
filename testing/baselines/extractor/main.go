// Command extractor finds the main content of a page with another library, as a comparison for measure/score. It reads
// HTML from its standard input and writes text to its standard output.
//
//	extractor trafilatura|readability
package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"

	"codeberg.org/readeck/go-readability/v2"
	"github.com/markusmobius/go-trafilatura"
)

func main() {
	if err := run(os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "extractor:", err)
		os.Exit(1)
	}
}

func run(args []string, in io.Reader, out io.Writer) error {
	find := map[string]func(io.Reader, *url.URL) string{"trafilatura": trafilaturaText, "readability": readabilityText}
	if len(args) != 1 || find[args[0]] == nil {
		return errors.New("want trafilatura or readability")
	}
	base := &url.URL{Scheme: "https", Host: "page.example", Path: "/"}
	_, err := io.WriteString(out, find[args[0]](in, base))
	return err
}

// trafilaturaText uses the library's fallback extractors, which are worth their time on pages that are not articles.
// It returns "" for a page without content.
func trafilaturaText(in io.Reader, base *url.URL) string {
	found, err := trafilatura.Extract(in, trafilatura.Options{
		EnableFallback: true, ExcludeComments: true, HtmlDateMode: trafilatura.Fast, OriginalURL: base,
	})
	if err != nil {
		return ""
	}
	return found.ContentText
}

func readabilityText(in io.Reader, base *url.URL) string {
	found, err := readability.FromReader(in, base)
	if err != nil || found.Node == nil {
		return ""
	}
	var text bytes.Buffer
	if err := found.RenderText(&text); err != nil {
		return ""
	}
	return text.String()
}

// Command seen writes what readers without scripts see of pages, piece by piece, as a browser shows it. The program
// measure/score compares that with what is extracted.
//
//	seen DIR LIST >pages.jsonl
//
// DIR/html has the pages as ID.html, and LIST their ids, one per line. Each line of the output is a page: its id, and
// for each visible text the element that holds it. Scripts are off, and nothing is fetched. Texts of controls and
// drawings are left out, and so is what the aims for extraction leave out: navigation, the header and footer of the
// site, requests for consent, and blocks of three or more links to other pages with hardly any other text.
//
// The variable CHROMIUM names the browser.
package main

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// pieces is a script that returns the visible texts of a page.
//
//go:embed pieces.js
var pieces string

// page is a line of the output.
type page struct {
	ID     string      `json:"id"`
	Pieces [][2]string `json:"pieces"` // element and text
	Failed string      `json:"failed,omitempty"`
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "seen: want a folder and a list of pages")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "seen:", err)
		os.Exit(1)
	}
}

func run(dir, list string) error {
	ids, err := os.ReadFile(list)
	if err != nil {
		return err
	}
	dir, err = filepath.Abs(dir)
	if err != nil {
		return err
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox, chromedp.WindowSize(1280, 1000),
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND"))
	if path := os.Getenv("CHROMIUM"); path != "" {
		options = append(options, chromedp.ExecPath(path))
	}
	ctx, stop := chromedp.NewExecAllocator(context.Background(), options...)
	defer stop()
	tab, leave := chromedp.NewContext(ctx)
	defer leave()
	if err := chromedp.Run(tab, network.Enable(), emulation.SetScriptExecutionDisabled(true)); err != nil {
		return err
	}
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for _, id := range strings.Fields(string(ids)) {
		if err := json.NewEncoder(out).Encode(read(tab, dir, id)); err != nil {
			return err
		}
	}
	return nil
}

// read opens a page and returns its texts. A page that cannot be opened says why.
func read(tab context.Context, dir, id string) page {
	const longest = time.Minute
	ctx, cancel := context.WithTimeout(tab, longest)
	defer cancel()
	p := page{ID: id}
	if err := chromedp.Run(ctx, chromedp.Navigate("file://"+dir+"/html/"+id+".html"),
		chromedp.Evaluate(pieces, &p.Pieces)); err != nil {
		p.Failed = err.Error()
	}
	return p
}

package keep

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

// Main is the main function of a baseline. It crawls the pages in the file that -urls names, -parallel at a time,
// into a folder that is removed at the end.
func Main(crawl func(k *Keeper, urls []string, parallel int) error) {
	list := flag.String("urls", "", "file with one URL a line")
	parallel := flag.Int("parallel", 4, "requests in flight")
	flag.Parse()
	if err := inFolder(*list, *parallel, crawl); err != nil {
		fmt.Fprintln(os.Stderr, filepath.Base(os.Args[0])+":", err)
		os.Exit(1)
	}
}

func inFolder(list string, parallel int, crawl func(k *Keeper, urls []string, parallel int) error) error {
	urls, err := lines(list)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "baseline-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	k, err := open(filepath.Join(dir, "pages.db"))
	if err != nil {
		return err
	}
	defer k.Close()
	return crawl(k, urls, parallel)
}

// lines reads a file with one URL per line.
func lines(name string) ([]string, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var out []string
	s := bufio.NewScanner(f)
	for s.Scan() {
		out = append(out, s.Text())
	}
	return out, s.Err()
}

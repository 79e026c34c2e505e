package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
)

const (
	edited  = "/troubleshooting/biofouling.html"
	deleted = "/data/tgb.html"
	// newWord is a word that does not occur in the site before the site is edited.
	newWord = "zosteraphobic"
)

func (s *stage) pages() ([]string, error) {
	var urls []string
	root := filepath.Join(s.dir, "site")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".html") {
			rel, _ := filepath.Rel(root, path)
			urls = append(urls, s.site+"/"+filepath.ToSlash(rel))
		}
		return err
	})
	return urls, err
}

func (s *stage) addAll() error {
	urls, err := s.pages()
	if err != nil {
		return err
	}
	list := filepath.Join(s.dir, "urls.txt")
	if err := os.WriteFile(list, []byte(strings.Join(urls, "\n")+"\n"), 0o644); err != nil {
		return err
	}
	if err := s.tidemark("add", "--file", list); err != nil {
		return err
	}
	if err := s.tidemark("status", "--watch"); err != nil {
		return err
	}
	items, err := s.items()
	if err != nil {
		return err
	}
	byStatus := map[api.Status]int{}
	for _, it := range items {
		byStatus[it.Status]++
	}
	// Two pages are not indexed: one is forbidden by robots.txt, and one has noindex.
	if len(items) != len(urls) || byStatus[api.StatusOutOfScope] != 2 || byStatus[api.StatusIndexed] != len(urls)-2 {
		return fmt.Errorf("of %d pages: %v; want all but two Indexed and two OutOfScope", len(urls), byStatus)
	}
	asked, err := s.requests()
	if err != nil {
		return err
	}
	for _, r := range asked {
		if strings.HasPrefix(r.Path, "/private/") {
			return fmt.Errorf("%s was requested although robots.txt forbids it", r.Path)
		}
	}
	return s.print("%d pages indexed, 2 left out by the site's own rules", byStatus[api.StatusIndexed])
}

func (s *stage) print(format string, args ...any) error {
	fmt.Printf("✓ "+format+"\n", args...)
	return nil
}

func (s *stage) ask() error {
	if err := s.tidemark("search", "barnacles", "--top", "2"); err != nil {
		return err
	}
	found, err := api.Search.Call(s.ctx, s.client, api.SearchRequest{Q: "barnacles"})
	if err != nil {
		return err
	}
	if len(found.Results) == 0 || !strings.HasSuffix(found.Results[0].URL, edited) ||
		len(found.Results[0].Passages[0].Highlights) == 0 {
		return fmt.Errorf("barnacles are not found on %s, or without highlights: %+v", edited, found)
	}
	return s.print("the right page comes first, with its passage highlighted")
}

// again() registers every page once more, which makes it due now.
func (s *stage) again() error {
	if _, err := s.requests(); err != nil { // this skips the earlier requests
		return err
	}
	if err := s.tidemark("add", "--file", filepath.Join(s.dir, "urls.txt")); err != nil {
		return err
	}
	return s.idle()
}

// indexed returns the time when each page was last written to the index.
func (s *stage) indexed() (map[string]time.Time, error) {
	items, err := s.items()
	out := map[string]time.Time{}
	for url, it := range items {
		out[url] = it.LastIndexed
	}
	return out, err
}

// reindexed lists the pages that were written to the index since the given state.
func (s *stage) reindexed(before map[string]time.Time) ([]string, error) {
	now, err := s.indexed()
	var out []string
	for url, at := range now {
		if !at.Equal(before[url]) {
			out = append(out, url)
		}
	}
	return out, err
}

func (s *stage) checkAgain() error {
	before, err := s.indexed()
	if err != nil {
		return err
	}
	if err := s.again(); err != nil {
		return err
	}
	asked, err := s.requests()
	if err != nil {
		return err
	}
	unchanged, noisy := 0, 0
	for _, r := range asked {
		noise, err := s.isNoisy(r.Path)
		switch {
		case err != nil:
			return err
		case noise && r.Status == 200:
			noisy++
		case r.Status == 304:
			unchanged++
		default:
			return fmt.Errorf("%s was answered %d, not 304", r.Path, r.Status)
		}
	}
	written, err := s.reindexed(before)
	if err != nil {
		return err
	}
	if want := len(before) - 1; len(asked) != want || len(written) != 0 { // robots.txt forbids one page
		return fmt.Errorf("%d requests, want %d; indexed again: %v", len(asked), want, written)
	}
	return s.print("%d times 304; %d pages differ at every request, in nothing that a reader would see; nothing was "+
		"indexed", unchanged, noisy)
}

// isNoisy reports whether a page of the site has a token that differs in every answer.
func (s *stage) isNoisy(path string) (bool, error) {
	b, err := os.ReadFile(filepath.Join(s.dir, "site", path))
	return strings.Contains(string(b), "{{nonce}}") || strings.Contains(string(b), "{{now}}"), err
}

func (s *stage) edit() error {
	before, err := s.indexed()
	if err != nil {
		return err
	}
	file := filepath.Join(s.dir, "site", edited)
	b, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	b = []byte(strings.Replace(string(b), "<p>", "<p>Paint that is "+newWord+" keeps it off. ", 1))
	if err := os.WriteFile(file, b, 0o644); err != nil {
		return err
	}
	if err := s.again(); err != nil {
		return err
	}
	written, err := s.reindexed(before)
	if err != nil {
		return err
	}
	if len(written) != 1 || !strings.HasSuffix(written[0], edited) {
		return fmt.Errorf("indexed again: %v; want only %s", written, edited)
	}
	if err := s.tidemark("search", newWord); err != nil {
		return err
	}
	if n, err := s.count(newWord); err != nil || n != 1 {
		return fmt.Errorf("%q is found %d times, %w", newWord, n, err)
	}
	return s.print("exactly that page was indexed again")
}

func (s *stage) count(q string) (int, error) {
	found, err := api.Search.Call(s.ctx, s.client, api.SearchRequest{Q: q})
	return found.Count, err
}

func (s *stage) remove() error {
	if err := os.Remove(filepath.Join(s.dir, "site", deleted)); err != nil {
		return err
	}
	for check := 1; check <= 3; check++ {
		if err := s.tidemark("reindex", s.site+deleted); err != nil {
			return err
		}
		if err := s.idle(); err != nil {
			return err
		}
		it, err := s.items()
		if err != nil {
			return err
		}
		status := it[s.site+deleted].Status
		if gone := status == api.StatusGone; gone != (check == 3) {
			return fmt.Errorf("after %d checks that found it missing its status is %s", check, status)
		}
	}
	if err := s.tidemark("why", s.site+deleted); err != nil {
		return err
	}
	found, err := api.Search.Call(s.ctx, s.client, api.SearchRequest{Q: "binary record layout TGB", Top: api.MaxTop})
	if err != nil {
		return err
	}
	for _, r := range found.Results {
		if strings.HasSuffix(r.URL, deleted) {
			return fmt.Errorf("the deleted page is still found")
		}
	}
	return s.print("after three checks it is Gone and has left the search")
}

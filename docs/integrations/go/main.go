// Command example adds a page, waits until it is indexed, searches, and lists what changed meanwhile.
//
//	go run . URL WORDS
//
// TIDEMARK_SERVER is the server, http://localhost:7071 when unset; TIDEMARK_KEY is a key, for a server on this machine
// that you run yourself the one that it leaves for you when unset.
// It uses the client of package api, which imports nothing else of Tidemark.
package main

import (
	"cmp"
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 3 {
		log.Fatal("usage: example URL WORDS")
	}
	server := strings.Replace(cmp.Or(os.Getenv("TIDEMARK_SERVER"), "http://localhost:7071"), "http://localhost",
		"http://127.0.0.1", 1)
	client := api.NewClient(server, cmp.Or(os.Getenv("TIDEMARK_KEY"), leftKey(server)), nil)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := run(ctx, client, os.Args[1], os.Args[2]); err != nil {
		log.Fatal(err) // a problem says what was wrong and what to do
	}
}

// leftKey returns the key that a server on this machine leaves for its user, or "" if there is none.
func leftKey(server string) string {
	state := cmp.Or(os.Getenv("XDG_STATE_HOME"), filepath.Join(os.Getenv("HOME"), ".local", "state"))
	_, address, _ := strings.Cut(server, "://")
	key, err := os.ReadFile(filepath.Join(state, "tidemark", "keys", address))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(key))
}

func run(ctx context.Context, client *api.Client, url, words string) error {
	since := time.Now()
	added, err := api.AddURL.Call(ctx, client, api.AddURLRequest{URL: url})
	if err != nil {
		return err
	}
	fmt.Println("added", added.ID)

	status, err := wait(ctx, client, added.ID)
	if err != nil {
		return err
	}
	fmt.Println("it is", status)

	found, err := api.Search.Call(ctx, client, api.SearchRequest{Q: words, Top: 3})
	if err != nil {
		return err
	}
	for _, r := range found.Results {
		fmt.Println("found", r.Title, r.URL)
	}
	return changed(ctx, client, since)
}

// wait polls an item until it was checked.
func wait(ctx context.Context, client *api.Client, id string) (api.Status, error) {
	for {
		item, err := api.GetItem.Call(ctx, client, api.ItemID{ID: id})
		if err != nil || item.Status != api.StatusPending && item.Status != api.StatusCrawled {
			return item.Status, err
		}
		select {
		case <-ctx.Done():
			return "", fmt.Errorf("%s is still %s", id, item.Status)
		case <-time.After(500 * time.Millisecond):
		}
	}
}

// changed lists what has changed since a time, page by page.
func changed(ctx context.Context, client *api.Client, since time.Time) error {
	query := api.ChangeQuery{Since: since.UTC().Format(time.RFC3339), Order: "oldest", Top: 500}
	for {
		page, err := api.ListChanges.Call(ctx, client, query)
		if err != nil {
			return err
		}
		for _, c := range page.Changes {
			fmt.Printf("changed %s at %s: %s\n", c.URL, c.At.Format(time.RFC3339), c.Kind)
		}
		if query.Continuation = page.Continuation; query.Continuation == "" {
			return nil
		}
	}
}

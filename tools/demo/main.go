// Command demo runs the whole product on a small site and checks its promises step by step: pages are found after
// they were added, an unchanged site costs only answers with status 304, a single edited page is the only one indexed
// again, and a deleted page disappears from the search.
//
// It is the user's first view of Tidemark and the last test, so it uses only the programs that a user has.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	bin := flag.String("bin", "build", "folder with the tidemark command and the app")
	port := flag.Int("port", 7171,
		"port of the demo's app; its site and Azurite use the ports above (make demo DEMO_PORT=…)")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
	defer cancel()
	// STORAGE is always set, because the demo must not use an account from the environment.
	storage := cmp.Or(os.Getenv("STORAGE"), "embedded")
	if err := run(ctx, *bin, *port, storage); err != nil {
		fmt.Fprintln(os.Stderr, "\ndemo failed:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, bin string, port int, storage string) (err error) {
	s, err := newStage(ctx, bin, port, storage)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	for _, step := range []struct {
		title string
		do    func(*stage) error
	}{
		{"Add every page of a site of 30 pages, and wait until it is searchable", (*stage).addAll},
		{"Ask it something", (*stage).ask},
		{"Check every page again: nothing has changed", (*stage).checkAgain},
		{"Edit one page", (*stage).edit},
		{"Delete one page", (*stage).remove},
	} {
		fmt.Printf("\n── %s\n", step.title)
		if err := step.do(s); err != nil {
			return fmt.Errorf("%s: %w", step.title, err)
		}
	}
	fmt.Println("\nAll of it came true.")
	return nil
}

// Command bench measures the cost of Tidemark, always together with a baseline in the same run: times are ratios,
// storage operations are counts. It prints Markdown for docs/benchmarks.md.
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/tidemark/tidemark/measure/internal/root"
	"github.com/tidemark/tidemark/pkg/content/document"
)

// A bench has the options and folders that all measurements share.
type bench struct {
	ctx   context.Context
	dir   string // temporary folder
	app   string // folder that `make app` assembled
	tools string
	hosts int
	pages int // number of pages per host
	mails int // number of mails in the imported mbox
	// largest is the number of chunks in the largest index that is searched.
	largest int
	against string // executable of another commit, to compare with
	profile string // beginning of the names of profiles
	// small and large are the numbers of items with small pages, and with pages of 6 KB, that are held.
	small, large int
	docs         string // folders of pages whose links are followed
	files        int    // files of the folder that is kept in step
	// patience limits the time that one measurement of a running product may take.
	patience time.Duration
	idleFor  time.Duration
}

func main() {
	document.Main()
	aloneMain()
	b := &bench{patience: 3 * time.Minute}
	flag.StringVar(&b.app, "app", "build/app", "folder that make app wrote")
	flag.StringVar(&b.tools, "tools", ".tools", "folder for Azurite")
	flag.IntVar(&b.hosts, "hosts", 10, "hosts of the site that is crawled")
	flag.IntVar(&b.pages, "pages", 160, "pages on each")
	flag.IntVar(&b.mails, "mails", 5000, "mails of the mbox that is imported")
	flag.IntVar(&b.largest, "chunks", 1_000_000, "chunks of the largest index that is searched, 1,000 at least")
	flag.StringVar(&b.against, "against", "",
		"measure/bench, built of another commit, with which indexing and asking are compared in turn")
	flag.StringVar(&b.profile, "profile", "", "file for profiles of the processor time of indexing")
	flag.IntVar(&b.small, "small", 20_000, "items with pages of 500 bytes, for capacity")
	flag.IntVar(&b.large, "large", 5_000, "items with pages of 6 KB, for capacity")
	flag.StringVar(&b.docs, "docs", "/usr/share/doc/python3.11/html,"+endless,
		"folders of pages whose links are followed, and "+endless)
	flag.IntVar(&b.files, "files", 100_000, "files of the folder that is kept in step")
	flag.DurationVar(&b.idleFor, "idle", 5*time.Minute, "how long idle work is measured")
	only := flag.String("only", "",
		"measurements to run, with commas: handler, counts, rates, crawl, idle, sweep, types, readers, edits, search, "+
			"indexing, asking, entries, backfill, imports, lists, dashboard, following, copying, telling, crowd, chunks, "+
			"markup, attack, killed, died, and if they are named links, capacity, folder")
	flag.Usage = root.Usage(flag.CommandLine)
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	b.ctx = ctx
	err := root.Chdir()
	if err == nil {
		err = b.run(*only)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func (b *bench) run(only string) (err error) {
	if b.dir, err = os.MkdirTemp("", "tidemark-bench-"); err != nil {
		return err
	}
	defer os.RemoveAll(b.dir)
	for _, m := range []struct {
		name string
		run  func() error
	}{
		{"handler", b.handler},
		{"counts", b.counts},
		{"rates", b.rates},
		{"crawl", b.crawl},
		{"idle", b.idle},
		{"sweep", b.sweep},
		{"types", b.types},
		{"readers", b.readers},
		{"edits", b.edits},
		{"search", b.search},
		{"indexing", b.indexing},
		{"asking", b.asking},
		{"entries", b.entries},
		{"imports", b.imports},
		{"backfill", b.backfill},
		{"lists", b.lists},
		{"dashboard", b.dashboard},
		{"following", b.following},
		{"copying", b.copying},
		{"telling", b.telling},
		{"crowd", b.crowd},
		{"chunks", b.chunks},
		{"markup", b.markup},
		{"attack", b.attack},
		{"killed", b.killed},
		{"died", b.died},
		{"links", b.links},
		{"capacity", b.capacity},
		{"folder", b.folder},
	} {
		onlyNamed := slices.Contains([]string{"links", "capacity", "folder"}, m.name)
		if named := slices.Contains(strings.Split(only, ","), m.name); !named && (only != "" || onlyNamed) {
			continue
		}
		if err := m.run(); err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
	}
	return nil
}

func (b *bench) temp(name string) string { return filepath.Join(b.dir, name) }

// section begins a table of results.
func section(title string, columns ...string) {
	fmt.Printf("\n### %s\n\n|", title)
	for _, c := range columns {
		fmt.Printf(" %s |", c)
	}
	fmt.Print("\n|")
	for range columns {
		fmt.Print("---|")
	}
	fmt.Println()
}

func row(cells ...any) {
	fmt.Print("|")
	for _, c := range cells {
		if f, ok := c.(float64); ok {
			c = fmt.Sprintf("%.2f", f)
		}
		fmt.Printf(" %v |", c)
	}
	fmt.Println()
}

// percentile returns the given percentile of the numbers, such as the 95th.
func percentile[T cmp.Ordered](numbers []T, of int) T {
	return slices.Sorted(slices.Values(numbers))[len(numbers)*of/100]
}

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/defaults"
)

// filesInFolder is the number of files in each folder below the folder that is kept in step.
const filesInFolder = 500

// folder measures a folder of many small files of a running product: the memory of the first listing and the first
// index above that of the idle product, and what a listing costs in which one file has changed. Memory is the largest
// resident memory that the kernel notes of a process (VmHWM), of all processes of the product together.
func (b *bench) folder() error {
	b.patience = longest
	h := &heldFolder{b: b, dir: b.temp("folder")}
	paths, err := writeFiles(h.dir, b.files)
	if err != nil {
		return err
	}
	if h.opens, err = watchOpens(h.dir); err != nil {
		return err
	}
	defer h.opens.close()
	if h.p, err = b.startProduct("embedded", "FILE_ROOT="+b.dir, noTimer); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.p.stop()) }()
	if err := defaults.Pause(b.ctx, quiet); err != nil {
		return err
	}
	if h.idle, err = h.resident("VmRSS"); err != nil {
		return err
	}
	section(fmt.Sprintf("A folder of %s files (load %s); the idle product has %d MiB", thousands(len(paths)), load(),
		h.idle/1024), "what", "elapsed, s", "processor, s", "most memory above idle, MiB", "of it anonymous, of the handler",
		"files opened")
	if err := h.first(); err != nil {
		return err
	}
	if err := defaults.Pause(b.ctx, quiet); err != nil {
		return err
	}
	for _, change := range []struct {
		what string
		path string
	}{{"a listing, nothing has changed", ""}, {"a listing, one file has changed", paths[len(paths)/2]}} {
		if err := h.again(change.what, change.path); err != nil {
			return err
		}
	}
	return nil
}

// heldFolder is a folder that a running product keeps in step.
type heldFolder struct {
	b     *bench
	p     *product
	dir   string
	item  string // id of the folder's item
	idle  int    // resident memory of the idle product, KiB
	opens *opens
}

// resident returns memory of all processes of the product, in KiB.
func (h *heldFolder) resident(which string) (sum int, err error) {
	for _, pid := range append(children(h.p.cmd.Process.Pid), h.p.cmd.Process.Pid) {
		kib, err := memoryKiB(pid, which)
		if err != nil {
			return 0, err
		}
		sum += kib
	}
	return sum, nil
}

// measured prints what some work of the product costs.
func (h *heldFolder) measured(what string, work func() error) error {
	for _, pid := range append(children(h.p.cmd.Process.Pid), h.p.cmd.Process.Pid) {
		if err := forgetPeak(pid); err != nil {
			return err
		}
	}
	h.opens.reset()
	anonymous := h.watchAnonymous()
	began, cpu := time.Now(), h.p.processor()
	err := work()
	took, spent, own := time.Since(began), h.p.processor()-cpu, anonymous()
	if err != nil {
		return err
	}
	most, err := h.resident("VmHWM")
	row(what, took.Seconds(), spent.Seconds(), (most-h.idle)/1024, fmt.Sprintf("%d MiB", own/1024), h.opens.text())
	return err
}

// watchAnonymous looks at the anonymous memory of the handler until the returned function is called, which returns the
// largest value.
func (h *heldFolder) watchAnonymous() (largest func() int) {
	done, result := make(chan bool), make(chan int)
	go func() {
		most := 0
		for {
			for _, pid := range children(h.p.cmd.Process.Pid) {
				if kib, err := memoryKiB(pid, "RssAnon"); err == nil {
					most = max(most, kib)
				}
			}
			select {
			case <-done:
				result <- most
				return
			case <-time.After(100 * time.Millisecond):
			}
		}
	}()
	return func() int { close(done); return <-result }
}

// first adds the folder, and waits until all its files are indexed.
func (h *heldFolder) first() error {
	return h.measured("first listing and first index", func() error {
		added, err := h.p.client.AddFiles(h.b.ctx, []string{h.dir}, api.AddOptions{})
		if err != nil {
			return err
		}
		if added.Items[0].Item == nil {
			return errors.New(added.Items[0].Error)
		}
		h.item = added.Items[0].Item.ID
		return h.p.swept(func(st api.SearchStatus) bool {
			return idle(st) && st.Items[api.StatusIndexed] >= h.b.files
		})
	})
}

// again changes one file, if one is named, and asks for a listing of the folder.
func (h *heldFolder) again(what, path string) error {
	if path != "" {
		text := "# A changed note\n\nThe harbour master has moved the red buoy.\n"
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return err
		}
	}
	before, err := api.GetItem.Call(h.b.ctx, h.p.client, api.ItemID{ID: h.item})
	if err != nil {
		return err
	}
	err = h.measured(what, func() error {
		if _, err := api.ReindexItem.Call(h.b.ctx, h.p.client, api.ReindexRequest{ID: h.item}); err != nil {
			return err
		}
		return h.p.swept(func(st api.SearchStatus) bool {
			now, err := api.GetItem.Call(h.b.ctx, h.p.client, api.ItemID{ID: h.item})
			return err == nil && now.LastChecked.After(before.LastChecked) && idle(st)
		})
	})
	if err != nil {
		return err
	}
	now, err := api.GetItem.Call(h.b.ctx, h.p.client, api.ItemID{ID: h.item})
	if err == nil && len(now.History) > 0 {
		fmt.Fprintf(os.Stderr, "%s: %+v\n", what, now.History[len(now.History)-1])
	}
	return err
}

// writeFiles writes small files of three types in folders, and returns their paths.
func writeFiles(dir string, n int) (paths []string, err error) {
	for i := range n {
		folder := filepath.Join(dir, fmt.Sprintf("part-%03d", i/filesInFolder))
		if i%filesInFolder == 0 {
			if err := os.MkdirAll(folder, 0o755); err != nil {
				return nil, err
			}
		}
		name, text := fileOf(i)
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return nil, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// fileOf returns the name and the text of a file: one of .4 to 4 KB, as HTML, Markdown or plain text.
func fileOf(i int) (name, text string) {
	var b strings.Builder
	title := fmt.Sprintf("Note %d of %s and %s", i, spelled(i), spelled(i*13+5))
	switch i % 3 {
	case 0:
		fmt.Fprintf(&b, "<html lang=en><title>%s</title><main><h1>%s</h1>", title, title)
	case 1:
		fmt.Fprintf(&b, "# %s\n\n", title)
	default:
		fmt.Fprintf(&b, "%s\n\n", title)
	}
	for part := range 1 + i%9 {
		fmt.Fprintf(&b, "Part %d speaks of %s. %s\n\n", part, spelled(i*7+part), filler)
	}
	return fmt.Sprintf("note-%06d%s", i, []string{".html", ".md", ".txt"}[i%3]), b.String()
}

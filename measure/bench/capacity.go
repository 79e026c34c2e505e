package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/defaults"
)

const (
	capacityHosts = 20
	// longest is the time that one phase may take.
	longest = 2 * time.Hour
	asks    = 40 // how often a list or a search is asked for
)

// A holding is what one machine holds and does with a number of items of one kind.
type holding struct {
	b      *bench
	items  int
	site   *site
	p      *product
	urls   []string
	values []held
}

// held is one row of the table, with what it is divided by items. A row without a share does not grow with items.
type held struct {
	what  string
	value float64
	unit  string
	share bool
}

// capacity registers and checks many small pages and many of 6 KB, each kind in a data folder of its own, and measures
// what they take: time, disk and memory.
func (b *bench) capacity() error {
	b.patience = longest
	for _, k := range []struct {
		name  string
		items int
		small bool
	}{{"pages of 500 bytes at most", b.small, true}, {"pages of 6 KB", b.large, false}} {
		if k.items == 0 {
			continue
		}
		h := &holding{b: b, items: k.items}
		if err := h.run(k.small); err != nil {
			return fmt.Errorf("%s: %w", k.name, err)
		}
		section(fmt.Sprintf("%s items, %s (load %s)", thousands(k.items), k.name, load()), "what", "measured", "an item")
		for _, m := range h.values {
			share := ""
			if m.share {
				share = fmt.Sprintf("%.3f", m.value/float64(h.items))
			}
			row(m.what, fmt.Sprintf("%.1f %s", m.value, m.unit), share)
		}
	}
	return nil
}

func (h *holding) run(small bool) (err error) {
	if h.site, err = newSite(); err != nil {
		return err
	}
	defer h.site.close()
	h.site.small = small
	h.urls = h.site.urls(capacityHosts, h.items/capacityHosts)
	h.items = len(h.urls)
	if h.p, err = h.b.startProduct("embedded", noTimer); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.p.stop(), os.RemoveAll(h.p.data)) }()
	for _, step := range []func() error{h.register, h.crawl, h.check, h.ask, h.keep, h.backup, h.restart} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func (h *holding) note(what string, value float64, unit string, share bool) {
	h.values = append(h.values, held{what, value, unit, share})
}

// timed notes how long work takes, and the processor time of all processes of the product.
func (h *holding) timed(what string, work func() error) error {
	began, cpu := time.Now(), h.p.processor()
	if err := work(); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	h.note(what, ms(time.Since(began)), "ms", true)
	h.note(what+", processor", ms(h.p.processor()-cpu), "ms", true)
	return nil
}

func (h *holding) register() error {
	return h.timed("registering", func() error { return h.p.add(h.urls) })
}

func (h *holding) crawl() error {
	err := h.timed("first crawl, the rest", func() error {
		return h.p.swept(func(st api.SearchStatus) bool { return idle(st) && h.site.served.Load() >= int64(h.items) })
	})
	if err != nil {
		return err
	}
	st, err := api.GetStatus.Call(h.b.ctx, h.p.client, api.StatusQuery{})
	h.note("indexed", float64(st.Items[api.StatusIndexed]), "items", false)
	return err
}

// check makes all items due, as they are once a day, and checks each. The site answers that nothing has changed.
func (h *holding) check() error {
	if err := makeDue(h.b.ctx, h.p.store); err != nil {
		return err
	}
	want := h.site.notMod.Load() + int64(h.items)
	return h.timed("a check of each item, 304", func() error {
		return h.p.swept(func(st api.SearchStatus) bool { return idle(st) && h.site.notMod.Load() >= want })
	})
}

// ask notes the medians of lists and searches through the API.
func (h *holding) ask() error {
	for _, a := range []struct {
		what string
		ask  func(n int) error
	}{
		{"a list of items, first page", func(int) error {
			_, err := api.ListItems.Call(h.b.ctx, h.p.client, api.ItemQuery{})
			return err
		}},
		{"a list of the items in error", func(int) error {
			_, err := api.ListItems.Call(h.b.ctx, h.p.client, api.ItemQuery{Status: api.StatusError})
			return err
		}},
		{"the status", func(int) error {
			_, err := api.GetStatus.Call(h.b.ctx, h.p.client, api.StatusQuery{})
			return err
		}},
		{"a search for a page", func(n int) error {
			_, err := api.Search.Call(h.b.ctx, h.p.client, api.SearchRequest{Q: fmt.Sprintf("page %d gauge", n*7%h.items)})
			return err
		}},
		{"a search for a word of all pages", func(int) error {
			_, err := api.Search.Call(h.b.ctx, h.p.client, api.SearchRequest{Q: "gauge"})
			return err
		}},
	} {
		var took []time.Duration
		for n := range asks {
			began := time.Now()
			if err := a.ask(n); err != nil {
				return fmt.Errorf("%s: %w", a.what, err)
			}
			took = append(took, time.Since(began))
		}
		h.note(a.what+", median", ms(percentile(took, 50)), "ms", false)
		h.note(a.what+", 95th percentile", ms(percentile(took, 95)), "ms", false)
	}
	return nil
}

// keep notes the disk and the memory.
func (h *holding) keep() error {
	for _, part := range []string{"store", "."} {
		size, err := sizeOf(filepath.Join(h.p.data, part))
		if err != nil {
			return err
		}
		name := map[string]string{"store": "store on disk", ".": "data folder on disk"}[part]
		h.note(name, float64(size), "bytes", true)
	}
	if err := defaults.Pause(h.b.ctx, quiet); err != nil {
		return err
	}
	for _, pid := range children(h.p.cmd.Process.Pid) {
		for which, what := range map[string]string{"VmHWM": "most memory of the handler, with the program's file",
			"RssAnon": "memory of the handler when idle, without it"} {
			kib, err := memoryKiB(pid, which)
			if err != nil {
				return err
			}
			h.note(what, float64(kib)/1024, "MiB", false)
		}
	}
	return nil
}

// sizeOf returns the size of all files below a folder.
func sizeOf(dir string) (n int64, err error) {
	return n, filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return ignoreMissing(err)
		}
		info, err := d.Info()
		if err == nil {
			n += info.Size()
		}
		return ignoreMissing(err)
	})
}

func (h *holding) backup() error {
	file := h.b.temp("backup")
	defer os.Remove(file)
	err := h.timed("backup while it runs", func() error {
		cmd := exec.CommandContext(h.b.ctx, "build/tidemark", "backup", "--data", h.p.data, file)
		cmd.Stderr = os.Stderr
		return cmd.Run()
	})
	if err != nil {
		return err
	}
	size, err := sizeOf(file)
	h.note("backup on disk", float64(size), "bytes", true)
	return err
}

// restart kills the processes and starts them again on the same folder.
func (h *holding) restart() error {
	_ = h.p.store.Close() // the writes of makeDue were already acknowledged
	pids := append(children(h.p.cmd.Process.Pid), h.p.cmd.Process.Pid)
	for _, pid := range pids {
		if p, err := os.FindProcess(pid); err == nil {
			_ = p.Kill()
		}
	}
	_ = h.p.cmd.Wait() // it was killed
	began := time.Now()
	p, err := h.b.startOn(h.p.data, "embedded", noTimer)
	if err != nil {
		return err
	}
	h.p = p
	h.note("restart after kill -9, until it answers that it is healthy", ms(time.Since(began)), "ms", false)
	st, err := api.GetStatus.Call(h.b.ctx, h.p.client, api.StatusQuery{})
	h.note("indexed after the restart", float64(st.Items[api.StatusIndexed]), "items", false)
	return err
}

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
)

const (
	aloneOnHost = 60 // pages, each of a host of its own
	checkPause  = 2 * time.Second
	onOneHost   = 20 // pages of one host, checked together at its pace
)

// editedSite serves pages whose text changes once, when the page is edited.
type editedSite struct{ edited sync.Map }

func (s *editedSite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !strings.HasPrefix(r.URL.Path, "/page/") {
		http.NotFound(w, r)
		return
	}
	state := "closed for repairs until further notice"
	if _, edited := s.edited.Load(r.Host + r.URL.Path); edited {
		state = "open again on every weekday from dawn to dusk"
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprintf(w, "<html lang=en><title>Page %s</title><main><h1>Page %[1]s of %s</h1><p>The lock is %s.</p><p>%s</p>"+
		"</main></html>", r.URL.Path, r.Host, state, filler[:300])
}

// edit changes a page.
func (s *editedSite) edit(url string) { s.edited.Store(strings.TrimPrefix(url, "http://"), true) }

// messages are the webhooks that a receiver has got: for each, how long after the commit of its change it came.
type messages struct {
	mu   sync.Mutex
	took map[string]time.Duration // by the address of the page
	more atomic.Int64             // messages that came again, or were no message of a change
}

func (m *messages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var event api.ChangeEvent
	now, err := time.Now(), json.NewDecoder(r.Body).Decode(&event)
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, known := m.took[event.Data.URL]; known || err != nil || event.Data.At.IsZero() {
		m.more.Add(1)
	} else {
		m.took[event.Data.URL] = now.Sub(event.Data.At)
	}
	w.WriteHeader(http.StatusNoContent)
}

// of waits for the messages about pages, and returns their delays.
func (m *messages) of(b *bench, urls []string) (all []time.Duration, err error) {
	err = b.wait(b.patience, 50*time.Millisecond, "a message for each change", func() (bool, error) {
		m.mu.Lock()
		defer m.mu.Unlock()
		all = nil
		for _, u := range urls {
			if took, known := m.took[u]; known {
				all = append(all, took)
			}
		}
		return len(all) == len(urls), nil
	})
	return all, err
}

// telling measures how long after the commit of a change its message reaches a receiver, on one machine and with a
// rule for each page: of pages that are checked one by one, and of the pages of one host that are checked together.
func (b *bench) telling() (err error) {
	web, got := &editedSite{}, &messages{took: map[string]time.Duration{}}
	server, port, err := serve(web)
	if err != nil {
		return err
	}
	defer server.Close()
	receiver, hook, err := serve(got)
	if err != nil {
		return err
	}
	defer receiver.Close()
	p, err := b.startProduct("embedded", "WEBHOOK_ALLOW_HOSTS=127.0.0.0/8")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.stop()) }()
	urls := append((&site{port: port}).urls(aloneOnHost, 1), (&site{port: port}).urls(aloneOnHost+1, onOneHost)...)
	alone, together := urls[:aloneOnHost], urls[len(urls)-onOneHost:]
	if err := p.watched(append(alone[:aloneOnHost:aloneOnHost], together...), hook); err != nil {
		return err
	}
	section(fmt.Sprintf("From the commit of a change to its receiver, one machine, embedded store (load %s)", load()),
		"checks", "messages", "median, s", "95th percentile, s", "longest, s", "aim of the 95th")
	for _, u := range alone {
		web.edit(u)
		if err := p.checkNow(u); err != nil {
			return err
		}
		time.Sleep(checkPause)
	}
	if err := got.row(b, "one page every two seconds", alone); err != nil {
		return err
	}
	for _, u := range together {
		web.edit(u)
	}
	if err := p.checkNow(together...); err != nil {
		return err
	}
	if err := got.row(b, fmt.Sprintf("%d pages of a host at its pace", onOneHost), together); err != nil {
		return err
	}
	if n := got.more.Load(); n > 0 {
		return fmt.Errorf("%d messages more than one for each change", n)
	}
	return nil
}

// row prints the delays of the messages about pages.
func (m *messages) row(b *bench, name string, urls []string) error {
	all, err := m.of(b, urls)
	if err != nil {
		return err
	}
	row(name, len(all), percentile(all, 50).Seconds(), percentile(all, 95).Seconds(), slices.Max(all).Seconds(),
		"≤ 5")
	return nil
}

// checkNow requests a check of pages.
func (p *product) checkNow(urls ...string) error {
	_, err := p.client.AddURLs(p.b.ctx, urls, api.AddOptions{Force: true})
	return err
}

// watched registers pages, waits until they are indexed, and makes a rule for each that sends webhooks to a port.
func (p *product) watched(urls []string, hook int) error {
	added, err := p.client.AddURLs(p.b.ctx, urls, api.AddOptions{})
	if err != nil {
		return err
	}
	if err := p.until(func(st api.SearchStatus) bool { return st.Items[api.StatusIndexed] == len(urls) }); err != nil {
		return err
	}
	if _, err := api.AddChannel.Call(p.b.ctx, p.client, api.ChannelSpec{Name: "ops", ChannelSettings: api.ChannelSettings{
		Kind: "webhook", URL: fmt.Sprintf("http://127.0.0.1:%d/", hook)}}); err != nil {
		return err
	}
	for _, it := range added.Items {
		spec := api.RuleSpec{Name: it.Item.ID, Channels: []string{"ops"}}
		spec.Filter.ItemID = it.Item.ID
		if _, err := api.AddRule.Call(p.b.ctx, p.client, api.NewRule{RuleSpec: spec}); err != nil {
			return err
		}
	}
	return nil
}

package main

import (
	"crypto/sha256"
	"encoding/gob"
	"errors"
	"io/fs"
	"os"
	"strings"
	"sync"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/sync/errgroup"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/web"
)

// past is a history as the product reads it: the text of each fetch, with equal texts stored once.
type past struct {
	Refetches []refetch
	State     []int // for each fetch, an index in States
	Raw       []int // a number for each distinct body
	States    []state
}

// A state is the extracted content of a page.
type state struct {
	Document extract.Document // the document, without the parts that no rule uses
}

// readPast reads a history from a repository of snapshots. If the cache names a file that an earlier call wrote, it
// reads that file instead.
func readPast(snapshots, cache string) (*past, error) {
	if p, err := loadPast(cache); cache != "" && (err == nil || !errors.Is(err, fs.ErrNotExist)) {
		return p, err
	}
	refetches, err := readRefetches(snapshots, ".html")
	if err != nil {
		return nil, err
	}
	p := &past{Refetches: refetches, State: make([]int, len(refetches)), Raw: make([]int, len(refetches))}
	if err := p.extract(snapshots); err != nil || cache == "" {
		return p, err
	}
	return p, p.save(cache)
}

// extract extracts every distinct body once.
func (p *past) extract(snapshots string) error {
	raws, names := map[string]int{}, []string(nil)
	for i, f := range p.Refetches {
		// The address is part of the key, because the extracted text depends on it.
		key := f.Blob + f.URL
		if _, seen := raws[key]; !seen {
			raws[key] = len(names)
			names = append(names, f.Blob)
		}
		p.Raw[i] = raws[key]
	}
	first := make([]string, len(names))
	for i := len(p.Refetches) - 1; i >= 0; i-- {
		first[p.Raw[i]] = p.Refetches[i].URL
	}
	var mu sync.Mutex
	stateOf, known := make([]int, len(names)), map[[32]byte]int{}
	var work errgroup.Group
	work.SetLimit(2)
	err := eachBlob(snapshots, names, func(i int, body []byte) error {
		work.Go(func() error {
			s, err := stateFrom(body, first[i])
			key := s.key()
			mu.Lock()
			defer mu.Unlock()
			n, seen := known[key]
			if !seen {
				n = len(p.States)
				known[key] = n
				p.States = append(p.States, s)
			}
			stateOf[i] = n
			return err
		})
		return nil
	})
	if err := errors.Join(err, work.Wait()); err != nil {
		return err
	}
	for i, raw := range p.Raw {
		p.State[i] = stateOf[raw]
	}
	return nil
}

func stateFrom(body []byte, url string) (state, error) {
	if url == "" {
		url = "https://page.example/"
	}
	doc, err := web.Extract(body, "text/html", url, extract.Limits{})
	doc.Text, doc.Links, doc.Images = "", nil, nil
	return state{Document: doc}, err
}

// key returns a hash of everything in the state that a rule may use.
func (s state) key() [32]byte {
	var b strings.Builder
	_ = gob.NewEncoder(&b).Encode(s) // cannot fail, because the state is plain data
	return sha256.Sum256([]byte(b.String()))
}

func loadPast(cache string) (*past, error) {
	file, err := os.Open(cache)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	z, err := zstd.NewReader(file)
	if err != nil {
		return nil, err
	}
	defer z.Close()
	p := &past{}
	return p, gob.NewDecoder(z).Decode(p)
}

func (p *past) save(cache string) error {
	file, err := os.Create(cache)
	if err != nil {
		return err
	}
	z, err := zstd.NewWriter(file)
	if err != nil {
		return errors.Join(err, file.Close())
	}
	return errors.Join(gob.NewEncoder(z).Encode(p), z.Close(), file.Close())
}

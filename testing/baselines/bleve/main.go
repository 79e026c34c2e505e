// Command bleve indexes chunks with bleve and answers queries, for a comparison with the embedded index. It prints
// the times and sizes as JSON.
//
//	bleve CHUNKS QUERIES FOLDER
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search/query"
)

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "want chunks, queries and a folder for the index")
		os.Exit(2)
	}
	told, err := run(os.Args[1], os.Args[2], os.Args[3])
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(told)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bleve:", err)
		os.Exit(1)
	}
}

// results are the measured times and sizes.
type results struct {
	Seconds float64
	Bytes   int64
	Times   map[string][]time.Duration
}

func run(chunks, queries, folder string) (results, error) {
	mapping := bleve.NewIndexMapping()
	mapping.DefaultAnalyzer = "standard"
	for _, field := range []string{"title", "heading", "body"} {
		text := bleve.NewTextFieldMapping()
		text.Store = field == "body"
		mapping.DefaultMapping.AddFieldMappingsAt(field, text)
	}
	mapping.DefaultMapping.AddFieldMappingsAt("host", bleve.NewKeywordFieldMapping())
	ix, err := bleve.New(folder, mapping)
	if err != nil {
		return results{}, err
	}
	defer ix.Close()
	told := results{Times: map[string][]time.Duration{}}
	if told.Seconds, err = fill(ix, chunks); err != nil {
		return told, err
	}
	if err := ask(ix, queries, told.Times); err != nil {
		return told, err
	}
	return told, filepath.WalkDir(folder, func(_ string, d fs.DirEntry, err error) error {
		if info, infoErr := d.Info(); err == nil && infoErr == nil && !d.IsDir() {
			told.Bytes += info.Size()
		}
		return err
	})
}

// fill indexes all chunks, in batches of the size that a crawl uses.
func fill(ix bleve.Index, name string) (seconds float64, err error) {
	batch, n := ix.NewBatch(), 0
	err = lines(name, func(line []byte) error {
		var c map[string]string
		if err := json.Unmarshal(line, &c); err != nil {
			return err
		}
		id := c["id"]
		delete(c, "id")
		if err := batch.Index(id, c); err != nil {
			return err
		}
		if n++; n%1300 != 0 {
			return nil
		}
		began := time.Now()
		err := ix.Batch(batch)
		seconds += time.Since(began).Seconds()
		batch.Reset()
		return err
	})
	began := time.Now()
	err = errors.Join(err, ix.Batch(batch))
	return seconds + time.Since(began).Seconds(), err
}

// ask measures one search for each query. The first query of each kind also runs once before, to warm up.
func ask(ix bleve.Index, name string, times map[string][]time.Duration) error {
	warm := map[string]bool{}
	return lines(name, func(line []byte) error {
		var q struct {
			Kind, Q, Host string
			Facets        bool
		}
		if err := json.Unmarshal(line, &q); err != nil {
			return err
		}
		if strings.Contains(q.Kind, "vector") || strings.Contains(q.Kind, "misspelt") {
			return nil // bleve is built without vectors, and is fuzzy only on request
		}
		request := bleve.NewSearchRequest(queryOf(q.Q, q.Host))
		request.Highlight = bleve.NewHighlight()
		if q.Facets {
			request.AddFacet("host", bleve.NewFacetRequest("host", 20))
		}
		if !warm[q.Kind] {
			warm[q.Kind] = true
			if _, err := ix.Search(request); err != nil {
				return err
			}
		}
		began := time.Now()
		_, err := ix.Search(request)
		times[q.Kind] = append(times[q.Kind], time.Since(began))
		return err
	})
}

// queryOf searches all fields for a text, with the weights of the embedded index.
func queryOf(text, host string) query.Query {
	var fields []query.Query
	for field, weight := range map[string]float64{"title": 10, "heading": 4, "body": 1} {
		switch {
		case strings.HasPrefix(text, `"`):
			q := bleve.NewMatchPhraseQuery(strings.Trim(text, `"`))
			q.SetField(field)
			q.SetBoost(weight)
			fields = append(fields, q)
		case strings.HasSuffix(text, "*"):
			q := bleve.NewPrefixQuery(strings.TrimSuffix(text, "*"))
			q.SetField(field)
			q.SetBoost(weight)
			fields = append(fields, q)
		default:
			q := bleve.NewMatchQuery(text)
			q.SetField(field)
			q.SetBoost(weight)
			fields = append(fields, q)
		}
	}
	found := query.Query(bleve.NewDisjunctionQuery(fields...))
	if host != "" {
		only := bleve.NewTermQuery(host)
		only.SetField("host")
		found = bleve.NewConjunctionQuery(found, only)
	}
	return found
}

// lines calls each with the lines of a file.
func lines(name string, each func([]byte) error) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	all := bufio.NewScanner(f)
	all.Buffer(nil, 1<<24)
	for all.Scan() {
		if err := each(all.Bytes()); err != nil {
			return err
		}
	}
	return all.Err()
}

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"time"

	udiff "github.com/aymanbagabas/go-udiff"

	"github.com/tidemark/tidemark/measure/internal/product"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/notify/letter"
)

// edit is a change of a page between two of its versions.
type edit struct {
	page, service string
	from, to      int // numbers of the versions of the page
	difference    string
	before, now   []byte
}

// overlaps reports whether two edits have a change in common.
func (e *edit) overlaps(o *edit) bool { return e.page == o.page && e.from < o.to && o.from < e.to }

// subjectQuestion asks which of some differences a subject is of.
type subjectQuestion struct {
	N           int      `json:"n"`
	Subject     string   `json:"subject"`
	Differences []string `json:"differences"`
}

// subjectAnswer is the right difference of a question, by its number from 1 on.
type subjectAnswer struct {
	N     int    `json:"n"`
	Right int    `json:"right"`
	Page  string `json:"page"`
}

const (
	questionsAsked = 100
	choices        = 4
	longestEdit    = 12_000 // bytes of a difference that people can be asked to read
)

// readEdits returns the edits of all pages: from each version to the next one, and then to the one after that.
func readEdits(repository string) (all []edit, err error) {
	versions, err := readRefetches(repository, ".md")
	if err != nil {
		return nil, err
	}
	names := make([]string, len(versions))
	for i, v := range versions {
		names[i] = v.Blob
	}
	texts := map[string][][]byte{}
	err = eachBlob(repository, names, func(i int, body []byte) error {
		texts[versions[i].Page] = append(texts[versions[i].Page], bytes.Clone(body))
		return nil
	})
	for _, ahead := range []int{1, 2} {
		for _, page := range slices.Sorted(maps.Keys(texts)) {
			service, _, ofService := strings.Cut(page, "/")
			if !ofService { // about the archive itself
				continue
			}
			for i := 0; i+ahead < len(texts[page]); i++ {
				e := edit{page: page, service: service, from: i, to: i + ahead}
				e.before, e.now = texts[page][i], texts[page][i+ahead]
				e.difference = udiff.Unified("before", "after", string(e.before), string(e.now))
				if len(e.difference) > 0 && len(e.difference) <= longestEdit {
					all = append(all, e)
				}
			}
		}
	}
	return all, err
}

// subject returns what the product writes about an edit, without the name of the page; "" if it tells nothing.
func (e *edit) subject(ctx context.Context) (string, error) {
	began, body := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC), e.before
	site := func(time.Time) (string, []byte, error) { return "text/markdown; charset=utf-8", body, nil }
	w, err := product.New(ctx, "https://page.example/terms.md", product.Every(time.Hour), site, began,
		func() float64 { return 0 })
	if err == nil {
		err = w.Rule(ctx, "default", api.RuleFilter{})
	}
	if err == nil {
		body = e.now
		err = w.CheckAt(ctx, began.Add(time.Hour), began.Add(2*time.Hour))
	}
	sent := w.Messages()
	if err != nil || len(sent) == 0 {
		return "", err
	}
	const name = "T"
	c := sent[0].Change
	c.Title = name
	return strings.TrimPrefix(letter.Subject(c), name+": "), nil
}

// others returns the differences that stand beside that of an edit: those of the same page first, then of the service,
// then of all.
func (e *edit) others(all []edit, rng *rand.Rand) (out []string) {
	found := []string{e.difference}
	order := rng.Perm(len(all))
	for _, near := range []func(*edit) bool{
		func(o *edit) bool { return o.page == e.page }, func(o *edit) bool { return o.service == e.service },
		func(*edit) bool { return true },
	} {
		for _, i := range order {
			o := &all[i]
			if len(found) < choices && near(o) && !o.overlaps(e) && !slices.Contains(found, o.difference) {
				found = append(found, o.difference)
			}
		}
	}
	return found[1:]
}

// writeSubjects writes questions into a file, and the answers into another one: which change of a page is a subject
// about?
func writeSubjects(out io.Writer, repository, file string, seed uint64) error {
	all, err := readEdits(repository)
	if err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	next := 0 // edits from one version to the next one come first
	for next < len(all) && all[next].to == all[next].from+1 {
		next++
	}
	for _, part := range [][]edit{all[:next], all[next:]} {
		rng.Shuffle(len(part), func(i, j int) { part[i], part[j] = part[j], part[i] })
	}
	var asked, answers bytes.Buffer
	n := 0
	for i := 0; i < len(all) && n < questionsAsked; i++ {
		subject, err := all[i].subject(context.Background())
		if err != nil {
			return fmt.Errorf("%s, version %d: %w", all[i].page, all[i].from, err)
		}
		others := all[i].others(all, rng)
		if subject == "" || len(others) < choices-1 {
			continue
		}
		n++
		right := rng.IntN(choices)
		err = errors.Join(
			json.NewEncoder(&asked).Encode(subjectQuestion{n, subject, slices.Insert(others, right, all[i].difference)}),
			json.NewEncoder(&answers).Encode(subjectAnswer{n, right + 1, all[i].page}))
		if err != nil {
			return err
		}
	}
	if err := os.WriteFile(file, asked.Bytes(), 0o644); err != nil {
		return err
	}
	fmt.Fprintf(out, "%d questions in %s, the answers in %[2]s.key\n", n, file)
	return os.WriteFile(file+".key", answers.Bytes(), 0o644)
}

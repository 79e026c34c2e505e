package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"text/tabwriter"

	"golang.org/x/net/html"

	"github.com/tidemark/tidemark/pkg/content/extract/jsonld"
	"github.com/tidemark/tidemark/pkg/content/field"
)

// knownPrices are the prices that pages of products show, as people have read them: the id of a page of WCXB, the
// amount and the currency, or none where the page shows no price.
//
//go:embed testdata/wcxb.prices
var knownPrices string

// shownPrice is what a page shows.
type shownPrice struct{ id, amount, currency string }

// readKnown parses a list of known prices.
func readKnown(list string) (all []shownPrice, err error) {
	for line := range strings.Lines(list) {
		line, _, _ = strings.Cut(line, "#")
		words := strings.Fields(line)
		switch {
		case len(words) == 0:
		case len(words) == 2 && words[1] == "none":
			all = append(all, shownPrice{id: words[0]})
		case len(words) == 3:
			all = append(all, shownPrice{words[0], words[1], words[2]})
		default:
			return nil, fmt.Errorf("%q: want id, amount and currency, or id and none", line)
		}
	}
	return all, nil
}

// reportPrices reports how often the price that is read from what a page declares is the one that it shows.
func reportPrices(out io.Writer, folder fs.FS, verbose bool) error {
	known, err := readKnown(knownPrices)
	if err != nil {
		return err
	}
	var right, wrong, missing, none, invented int
	for _, k := range known {
		results, address, err := readProduct(folder, k.id)
		if err != nil {
			return fmt.Errorf("%s: %w", k.id, err)
		}
		have := present(results)
		same := k.amount != "" && string(have.Value.Number) == k.amount && have.Value.Currency == k.currency
		switch {
		case same:
			right++
		case k.amount == "" && have.Value.None():
			none++
		case k.amount == "":
			invented++
		case have.Value.None():
			missing++
		default:
			wrong++
		}
		if verbose && !same && (k.amount != "" || !have.Value.None()) {
			fmt.Fprintf(out, "%s %s: have %q by %s %q %s, shown %s %s\n", k.id, address, have.Value.String(),
				have.Evidence.Source, have.Evidence.Excerpt, have.Evidence.Reason, k.amount, k.currency)
		}
	}
	all := max(1, right+wrong+missing)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "pages with a price\tright\twrong\tno price\tpages without one\tgiven\t")
	share := func(n int) float64 { return float64(n) / float64(all) }
	fmt.Fprintf(w, "%d\t%.3f\t%.3f\t%.3f\t%d\t%d\t\n", all, share(right), share(wrong), share(missing), none+invented,
		invented)
	return w.Flush()
}

// present returns what a product costs now.
func present(results []field.Result) (price field.Result) {
	for _, r := range results {
		if r.Name == field.Price && price.Name == "" || r.Name == field.SalePrice && !r.Value.None() {
			price = r
		}
	}
	return price
}

// readProduct reads the product of a page.
func readProduct(folder fs.FS, id string) (results []field.Result, address string, err error) {
	k, body, err := readKnownPage(folder, id)
	if err != nil {
		return nil, "", err
	}
	root, err := html.Parse(bytes.NewReader(body))
	if err != nil {
		return nil, "", err
	}
	return field.NewPage(root, jsonld.Of(root), k.URL).Product(), k.URL, nil
}

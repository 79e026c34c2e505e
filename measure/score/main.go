// Command score measures how well the main content of pages is extracted, on any folder of pages with ground truth,
// and how stable the result is when advertisements, tokens and clocks change.
//
//	score [-noise] [-v] [-first N] [-step N] [-with name=command]... DIR
//	score -changes [-cache FILE] [-labels FILE] [-v] DIR
//	score -metadata [-v] DIR
//	score -prices [-v] DIR
//	score -search [-index FILE] [-root DIR] [-v] DIR
//	score -answers [-v] DIR
//	score -facts [-v] [-first N] [-step N] [DIR]
//	score -aims [-v] [-first N] [-step N] DIR
//	score -seen FILE [-v] DIR
//	score -moving [-v] [-every 1h] DIR
//	score -courses N [-v] [-seed S] [-checks N]
//	score -subjects SEED DIR FILE
//	score -parts [-v] [-seed S] [-trials N] [DIR]
//
// DIR and its subfolders contain, for each page:
//
//	name.html   the page as it was fetched
//	name.txt    its main content, scored by words: precision, recall and F1, averaged over pages
//	name.keep   phrases from the content, one per line: found ones count for recall
//	name.drop   phrases from outside the content, one per line: found ones count against precision
//
// A page needs name.txt or name.keep. DIR may also be the article-extraction-benchmark as it is published, or a split
// of WCXB, which has pages of several types and is also scored by type. Scores are by single words, as in WCXB, and
// by runs of four words, as in the article-extraction-benchmark, where F1 is computed from the means of precision and
// recall.
//
// The extractors are tidemark (the text that contentHash covers), visible (all visible text, the baseline) and each
// command of -with. A command reads one page from its standard input and writes the content, as text, to its standard
// output. The module testing/baselines has such commands for other libraries, and a program that makes folders of
// this form from their test data. "× parsing" is the processor time relative to html.Parse on the same pages. It is
// unknown for a command. Code is intact when a block of code has the text of a pre element in the ground truth.
//
// With -noise, each page is extracted several times, each time with a different insertion of one kind of noise. A
// page whose content changed counts as a flip, because no reader would call it changed.
//
// With -changes, DIR is an archive in the form of OpenTermsArchive. It has two git repositories. The name of one ends
// in "snapshots"; it has a commit for each fetch that brought different bytes. The name of the other ends in
// "versions"; its messages link the fetches from which a version was recorded. The fetches are replayed in order,
// strictly online, by the product's own extraction and decisions, with each of its rules on and off, as rules of people
// tell them, and by six baselines, of which three mask every number, price and date. For the labels of changes, see
// docs/decisions.md; for the results, see docs/benchmarks.md.
//
// With -metadata, DIR has the form of WCXB: html/ID.html and ground-truth/ID.json. The extracted date and author are
// compared with the known ones.
//
// With -prices, DIR has the form of WCXB, too. The price that pages of products declare is compared with the one that
// they show, as people have read it: testdata/wcxb.prices.
//
// With -search DIR has questions, one per line of *.jsonl: q, corpus and right, the paths of the pages that answer it.
// The corpora are python, rust and policy, which are the Debian packages python3.11-doc, rust-doc and debian-policy,
// or postgresql, git and debian-reference: postgresql-doc-15, git-doc and debian-reference-en. All pages of these
// three that are installed are put into one index, and each question is a search over all of them. With -root the
// packages are below that folder, where "dpkg -x" has put them. If DIR has two files, their figures are compared.
//
// With -answers DIR has sets of questions with the expressions that their answers match, as testdata/answers. Printed
// are the ranks of the right pages, and for how many questions a passage of a right page that matches is among those
// that a model would get, within three budgets: by the product, and by SQLite's FTS5 over the same pieces and over such
// as a prototype has joined.
//
// With -facts the pages are made: facts of six kinds in six languages, in each of many spots where pages show facts, on
// pages of several kinds. A fact is found if it is in the text of both zones once. Its change is reported if four
// checks, two of each page, find one change of content whose passages have the new text once. If DIR has pages with
// ground truth, the same facts are put into them, ten for each page, in spots that are drawn: before the first known
// paragraph, in the middle, after the last one, and behind the element that holds them.
//
// With -aims the text of both zones is held against what must not grow: how much of navigation, of the header and
// footer of the site and of requests for consent is in it, and how much more a first crawl writes and embeds than of
// the main content alone, on these pages and on each tenth page of the documentation that -search is about.
//
// With -seen FILE has what a browser shows of pages of DIR, as the program testing/browser/seen writes it for the list
// in testdata/seen.pages: how many of these words are extracted, and which elements hold the others.
//
// With -moving DIR has pages that are never the same twice: pages.jsonl has a line for each (page, class, bodies, and
// tell: the checks at which something should be told, with the old and the new text), and PAGE/00.html, PAGE/01.html
// and so on are the bodies that its checks find. The product itself checks each page on a host of its own, by rules of
// its own, and the messages that it would send at once are counted. A fact is told at its check if the new text was
// added, or the old one removed, in anything that differs. It is shown if the new text is in an added passage of the
// message, and first if that is the first one.
//
// With -courses the pages are made, too: on each, one fact moves again and again, with or without a number that moves
// at each request. The product checks them by its own schedule, or by that of an item with an alert, until 40 moves
// were seen, for 400 days, or for the given number of checks. Of the moves that a check saw, those count as told whose
// new value is in an added passage of a message of that check, by the rule that people save without a choice. A
// message of a check that saw no move tells of the other number alone. Of 45 courses, each has another rhythm, ticker
// or alert; the rest is drawn.
//
// With -subjects DIR is the repository of versions of an archive as for -changes. FILE gets a hundred questions, as
// lines of JSON: the subject of the message that the product would send about a change between two versions, without
// the name of the page, and four differences, of which one is that of the change. The others are of other changes of
// the page, or else of the service. FILE.key gets the answers.
//
// With -parts an element of a page is chosen as a press in the dashboard does, the page is edited, and the element is
// searched for by what was chosen. Three fifths of the trials are on real pages, if DIR has the form of WCXB; the other
// pages are made. One to three edits are applied to the tree of the page, so it is known what the element has become:
// units are inserted, removed and ordered anew, elements are wrapped, classes change, adverts come, values change, the
// element is emptied or removed, or the page is built anew. Another thing is taken if anything is found but the
// element: an element that shows more or less than it, too.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/tidemark/tidemark/measure/internal/root"
)

func main() {
	err := root.Chdir()
	if err == nil {
		err = run(os.Args[1:], os.Stdout)
	}
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "score:", err)
		os.Exit(1)
	}
}

// options are what the program is asked to do.
type options struct {
	noisy, changes, metadata, prices, finding, made, aims, moving, answers, verbose bool
	cache, labels, index, root, seen                                                string
	parts                                                                           bool
	courses, most, step, first, trials                                              int
	seed, subjects                                                                  uint64
	every                                                                           time.Duration
	extractors                                                                      []extractor
	args                                                                            []string
}

func run(args []string, out io.Writer) error {
	o := options{extractors: []extractor{{"tidemark", false, tidemark}, {"zones", false, zones},
		{"visible", false, visible}}}
	if err := o.parse(args); err != nil {
		return err
	}
	switch {
	case o.made && len(o.args) == 0:
		return reportFacts(out, trials(max(1, o.step)), o.verbose)
	case o.courses > 0:
		return reportCourses(out, o.seed, o.courses, o.most, o.verbose)
	case o.parts && len(o.args) < 2:
		return reportParts(out, o.args, o.seed, o.trials, o.verbose)
	case o.subjects > 0 && len(o.args) == 2:
		return writeSubjects(out, o.args[0], o.args[1], o.subjects)
	case len(o.args) != 1 || o.step < 1 || o.first < 0:
		return errors.New("want one folder, a step of 1 or more and a first of 0 or more")
	}
	return o.report(out, o.args[0])
}

func (o *options) parse(args []string) error {
	flags := flag.NewFlagSet("score", flag.ContinueOnError)
	flags.Usage = root.Usage(flags)
	flags.BoolVar(&o.noisy, "noise", false, "count the pages whose content changes with noise of each kind")
	flags.BoolVar(&o.changes, "changes", false, "replay a history of fetches and say which changes are found")
	flags.StringVar(&o.cache, "cache", "", "with -changes: a file for what was read, written if it is not there")
	flags.StringVar(&o.labels, "labels", "", "with -changes: a file of labels that replace those of the archive")
	flags.BoolVar(&o.metadata, "metadata", false, "compare date and author with those known of the pages of WCXB")
	flags.BoolVar(&o.prices, "prices", false, "compare declared prices of products with those that pages of WCXB show")
	flags.BoolVar(&o.finding, "search", false, "ask questions and say where the pages are that answer them")
	flags.BoolVar(&o.answers, "answers", false, "ask questions and say how often a model would get the answer")
	flags.StringVar(&o.index, "index", "", "with -search: a file for the index, filled if it is not there")
	flags.StringVar(&o.root, "root", "", "with -search: the folder below which the packages are")
	flags.BoolVar(&o.made, "facts", false, "make pages with facts and say which facts and changes are found")
	flags.BoolVar(&o.aims, "aims", false, "measure the text of sites in both zones, and the size of a first crawl")
	flags.BoolVar(&o.moving, "moving", false, "watch pages that are never the same twice and say what is told of them")
	flags.DurationVar(&o.every, "every", time.Hour, "with -moving: the time between two checks")
	flags.IntVar(&o.courses, "courses", 0, "watch so many pages with a fact that moves, and say which moves are told")
	flags.Uint64Var(&o.seed, "seed", 1, "with -courses or -parts: which of all courses or trials")
	flags.IntVar(&o.most, "checks", 1500, "with -courses: the checks after which a course ends at the latest")
	flags.Uint64Var(&o.subjects, "subjects", 0, "write questions about subjects of messages, drawn with this number")
	flags.BoolVar(&o.parts, "parts", false, "choose parts of pages, edit the pages and say which parts are found again")
	flags.IntVar(&o.trials, "trials", 2000, "with -parts: how many")
	flags.StringVar(&o.seen, "seen", "", "a file with what a browser shows of the pages, to compare it")
	flags.BoolVar(&o.verbose, "v", false, "list what was missed and what was false, or a row for each page")
	flags.IntVar(&o.step, "step", 1, "look at each Nth page only")
	flags.IntVar(&o.first, "first", 0, "leave out as many pages at the beginning")
	flags.Func("with", "another extractor, as name=command with arguments; may be repeated", func(s string) error {
		name, command, _ := strings.Cut(s, "=")
		if name == "" || strings.TrimSpace(command) == "" {
			return errors.New("want name=command")
		}
		o.extractors = append(o.extractors, extractor{name, true, commandExtractor(strings.Fields(command))})
		return nil
	})
	err := flags.Parse(args)
	o.args = flags.Args()
	return err
}

// report reports about a folder.
func (o *options) report(out io.Writer, dir string) error {
	folder := os.DirFS(dir)
	switch {
	case o.changes:
		return reportChanges(out, dir, o.cache, o.labels, o.verbose)
	case o.moving:
		return reportMoving(out, folder, o.every, o.verbose)
	case o.metadata:
		return reportMetadata(out, folder, o.verbose)
	case o.prices:
		return reportPrices(out, folder, o.verbose)
	case o.finding:
		return reportSearch(out, dir, o.index, o.root, o.verbose)
	case o.answers:
		return reportAnswers(out, dir, o.verbose)
	case o.seen != "":
		return reportSeen(out, folder, o.seen, o.verbose)
	}
	pages, err := load(folder, o.first, o.step)
	if err != nil {
		return err
	}
	switch {
	case o.made:
		all, err := realTrials(pages)
		if err != nil {
			return err
		}
		return reportFacts(out, all, o.verbose)
	case o.aims:
		return reportAims(out, pages, o.verbose)
	}
	if err := report(out, pages, o.extractors, o.verbose); err != nil || !o.noisy {
		return err
	}
	return reportNoise(out, pages, o.extractors)
}

// reportNoise writes a row for each kind of noise, with the number of flips.
func reportNoise(out io.Writer, pages []page, extractors []extractor) error {
	fmt.Fprintf(out, "\npages whose content changes with noise\n\n")
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "noise\t")
	for _, e := range extractors {
		fmt.Fprint(w, e.name, "\t")
	}
	fmt.Fprintln(w)
	for _, kind := range noises {
		fmt.Fprint(w, kind.name, "\t")
		for _, e := range extractors {
			n, err := flips(pages, e, kind)
			if err != nil {
				return fmt.Errorf("%s with %s: %w", e.name, kind.name, err)
			}
			fmt.Fprintf(w, "%.3f\t", float64(n)/float64(len(pages)))
		}
		fmt.Fprintln(w)
	}
	return w.Flush()
}

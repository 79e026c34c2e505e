// Command reading draws comments of the code and sentences of the API and the dashboard at random. It is for a trial
// in which a reader who does not know Tidemark says in other words what each text means, and counts the texts that
// need a second reading.
//
//	reading [-seed N] [-comments N] [-sentences N] [DIR]
//
// The same seed draws the same texts from the same tree. Comments have at least eight words and are part of product
// code. Sentences of the dashboard are left out if a template would fill in a value, or if they are labels of the
// navigation.
package main

import (
	"flag"
	"fmt"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/measure/internal/root"
)

const (
	trialSeed      = 34
	trialComments  = 60
	trialSentences = 40
	leastWords     = 8
)

func main() {
	seed := flag.Uint64("seed", trialSeed, "seed of the draw")
	comments := flag.Int("comments", trialComments, "comments to draw")
	sentences := flag.Int("sentences", trialSentences, "sentences of the API and the dashboard to draw")
	flag.Usage = root.Usage(flag.CommandLine)
	flag.Parse()
	dir := "."
	if flag.NArg() > 0 {
		dir = flag.Arg(0)
	}
	err := root.Chdir()
	var t texts
	if err == nil {
		t, err = read(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "reading:", err)
		os.Exit(1)
	}
	r := rand.New(rand.NewPCG(*seed, 0))
	show(os.Stdout, "Comments", draw(r, t.comments, *comments))
	show(os.Stdout, "API and dashboard", draw(r, t.sentences, *sentences))
}

// texts holds all texts of a tree that may be drawn, each with the name of its file.
type texts struct{ comments, sentences []string }

func read(dir string) (t texts, err error) {
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		file, _ := filepath.Rel(dir, path)
		file = filepath.ToSlash(file)
		switch {
		case err != nil:
			return err
		case d.IsDir() && (file == "build" || file == "testing" || d.Name() == "testdata" || d.Name() == "node_modules" ||
			file != "." && strings.HasPrefix(d.Name(), ".")):
			return fs.SkipDir
		case strings.HasSuffix(file, ".go") && !strings.HasSuffix(file, "_test.go") && !strings.HasSuffix(file, ".gen.go"):
			return t.addGo(path, file)
		case strings.HasPrefix(file, "handlers/ui/") && strings.HasSuffix(file, ".html"):
			return t.addTemplate(path, file)
		}
		return nil
	})
	return t, err
}

// addGo adds the comments of a Go file. Those of pkg/api describe the API to its users.
func (t *texts) addGo(path, file string) error {
	f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	for _, group := range f.Comments {
		text := group.Text()
		if len(strings.Fields(text)) < leastWords {
			continue
		}
		if strings.HasPrefix(file, "pkg/api/") {
			t.sentences = append(t.sentences, sentencesOf(file, text)...)
		} else {
			t.comments = append(t.comments, file+"\n"+strings.TrimSpace(text))
		}
	}
	return nil
}

func (t *texts) addTemplate(path, file string) error {
	b, err := os.ReadFile(path)
	if err == nil {
		t.sentences = append(t.sentences, templateSentences(file, string(b))...)
	}
	return err
}

var (
	// markup matches tags, actions of templates, and whole elements that contain no sentences.
	markup = regexp.MustCompile(`(?s)<(?:script|style|nav)\b.*?</(?:script|style|nav)>|<[^>]*>|\{\{.*?\}\}`)

	// within matches tags that may stand in the middle of a sentence.
	within = regexp.MustCompile(`^</?(?:a|abbr|b|code|del|em|i|ins|kbd|mark|small|span|strong|time|wbr)\b`)

	// silent matches actions that write nothing.
	silent = regexp.MustCompile(`^\{\{-?\s*(?:/\*|(?:if|with|range|end|define|block|break|continue)\b|\$\w+\s*:?=)`)
)

// lost stands for a template value, or for the border between two alternatives of a text.
const lost = " \x00 "

// templateSentences returns the sentences of a template that a reader can judge. It omits sentences that lack a value
// and lists of navigation labels.
func templateSentences(file, template string) []string {
	text := markup.ReplaceAllStringFunc(template, func(m string) string {
		switch {
		case within.MatchString(m) || silent.MatchString(m):
			return ""
		case m[0] == '<':
			return "\n\n"
		}
		return lost
	})
	return slices.DeleteFunc(sentencesOf(file, text), func(s string) bool { return strings.Contains(s, lost[1:2]) })
}

var sentenceEnd = regexp.MustCompile(`[.?!](?:\s+|$)|\n\s*\n`)

func sentencesOf(file, text string) (all []string) {
	for start := 0; start < len(text); {
		end := len(text)
		if at := sentenceEnd.FindStringIndex(text[start:]); at != nil {
			end = start + at[1]
		}
		if words := strings.Fields(text[start:end]); len(words) >= leastWords {
			all = append(all, file+"\n"+strings.Join(words, " "))
		}
		start = end
	}
	return all
}

// draw returns at most n different texts. It changes the order of the given slice.
func draw(r *rand.Rand, all []string, n int) []string {
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:min(n, len(all))]
}

func show(w io.Writer, title string, drawn []string) {
	fmt.Fprintf(w, "# %s\n\n", title)
	for i, text := range drawn {
		file, body, _ := strings.Cut(text, "\n")
		fmt.Fprintf(w, "%d. %s\n   %s\n\n", i+1, file, strings.ReplaceAll(body, "\n", "\n   "))
	}
}

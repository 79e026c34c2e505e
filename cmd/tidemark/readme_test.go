package main

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
)

// tour runs the README's "Five minutes", and the parts of the guide that continue it, as a new user does. The demo
// site is served by its program, and the command talks to the whole app in memory.
type tour struct {
	*archived
	dir  string // stands for /tmp
	host string // stands for localhost:8099
}

const readmeHost = "localhost:8099"

// TestS13ReadmeTour runs every command of the tour, and checks that it prints what the documents show (S13).
func TestS13ReadmeTour(t *testing.T) {
	text := sectionOf(t, "README.md", "Five minutes") + sectionOf(t, "docs/guide.md", "Ask why")
	steps := stepsOf(text)
	if len(steps) < 10 {
		t.Fatalf("the tour has %d commands: %q", len(steps), steps)
	}
	checkIDs(t, text)
	r := newTour(t)
	for _, s := range steps {
		printed := r.run(s.command)
		if want, have := stable(s.command, s.prints), stable(s.command, printed); !fits(want, have) {
			t.Errorf("$ %s (-documents +printed):\n%s\nall of it:\n%s", s.command, cmp.Diff(want, have), printed)
		}
	}
}

// sectionOf returns a section of a document, by its heading.
func sectionOf(t *testing.T, doc, heading string) string {
	t.Helper()
	text, err := os.ReadFile("../../" + doc)
	must(t, err)
	_, rest, _ := strings.Cut(string(text), "\n## "+heading+"\n")
	section, _, ok := strings.Cut(rest, "\n## ")
	if !ok {
		t.Fatalf("%s has no section %q", doc, heading)
	}
	return section
}

// step is a command in a document, with the part of its output that the document shows.
type step struct{ command, prints string }

func stepsOf(section string) (steps []step) {
	for line := range strings.Lines(section) {
		line, code := strings.CutPrefix(line, "    ")
		command, begins := strings.CutPrefix(line, "$ ")
		switch {
		case code && begins:
			steps = append(steps, step{command: strings.TrimSpace(command)})
		case code && len(steps) > 0:
			steps[len(steps)-1].prints += line
		}
	}
	return steps
}

// checkIDs compares the ids in a text with those of the site's pages.
func checkIDs(t *testing.T, text string) {
	t.Helper()
	ids := map[string]bool{}
	for _, page := range regexp.MustCompile(`http://`+readmeHost+`/[\w/.-]+`).FindAllString(text, -1) {
		src, err := source.DefaultRules().ParseURL(page)
		must(t, err)
		ids[string(src.ID())] = true
	}
	for _, id := range anyID.FindAllString(text, -1) {
		if !ids[id] {
			t.Errorf("%s is the id of none of the pages that are named", id)
		}
	}
}

func newTour(t *testing.T) *tour {
	t.Helper()
	l, err := net.Listen("tcp", "localhost:0")
	must(t, err)
	r := &tour{dir: t.TempDir(), host: fmt.Sprintf("localhost:%d", l.Addr().(*net.TCPAddr).Port)}
	must(t, l.Close())
	r.archived = newArchived(t)
	must(t, os.CopyFS(filepath.Join(r.dir, "site"), os.DirFS("../../testdata/site")))
	server := filepath.Join(r.dir, "demosite")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", server, "../../tools/demosite")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	site := exec.Command(server, "-dir", filepath.Join(r.dir, "site"), "-addr", r.host, "-log",
		filepath.Join(r.dir, "site.log"))
	must(t, site.Start())
	ctx, stop := context.WithCancel(context.Background())
	worked := make(chan struct{})
	go r.work(ctx, worked)
	t.Cleanup(func() {
		stop()
		<-worked
		_ = site.Process.Kill()
		_ = site.Wait()
	})
	for range 1200 {
		if res, err := http.Get("http://" + r.host + "/"); err == nil {
			res.Body.Close()
			return r
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatal("the site does not answer")
	return nil
}

// work runs the jobs of the app until ctx ends, as a host does.
func (r *tour) work(ctx context.Context, done chan<- struct{}) {
	defer close(done)
	q := r.services.Store.Queue(registry.JobQueue)
	for ctx.Err() == nil {
		got, _ := q.Receive(ctx, 32, time.Minute)
		for _, m := range got {
			if job, err := registry.ParseJob(m.Body); err == nil && r.services.Worker.Process(ctx, job) == nil {
				_ = q.Delete(ctx, m)
			}
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// run runs a command and returns its output, with the site's address as the documents have it.
func (r *tour) run(line string) string {
	r.t.Helper()
	line = strings.NewReplacer("/tmp/", r.dir+"/", readmeHost, r.host).Replace(line)
	var out bytes.Buffer
	if args, ours := strings.CutPrefix(line, "build/tidemark "); ours {
		p := &terminal.Terminal{
			In: strings.NewReader(""), Out: &out, Err: &out, Name: "tidemark", Now: time.Now,
			Sleep: func(context.Context, time.Duration) error {
				time.Sleep(20 * time.Millisecond)
				return nil
			},
		}
		getenv := func(name string) string { return map[string]string{"TIDEMARK_SERVER": r.server}[name] }
		if code := run(r.t.Context(), p, getenv, shellWords(args)); code != command.OK {
			r.t.Errorf("$ %s: exit code %d\n%s", line, code, out.String())
		}
	} else {
		sh := exec.CommandContext(r.t.Context(), "sh", "-c", line)
		sh.Stdout, sh.Stderr = &out, &out
		if err := sh.Run(); err != nil {
			r.t.Errorf("$ %s: %v\n%s", line, err, out.String())
		}
	}
	return strings.ReplaceAll(out.String(), r.host, readmeHost)
}

// shellWords splits a command at spaces, except inside single quotes.
func shellWords(command string) (words []string) {
	for i, part := range strings.Split(command, "'") {
		if i%2 == 1 {
			words = append(words, part)
		} else {
			words = append(words, strings.Fields(part)...)
		}
	}
	return words
}

var (
	anyID = regexp.MustCompile(`url_[a-z2-7]{26}`)
	when  = regexp.MustCompile(`(\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\dZ?|\b\d+ (second|minute)s? ago\b|\bnow\b|\bin \d+ \w+`)
	gap   = regexp.MustCompile(` +`)
)

// stable returns the parts of an output that are equal in every run: without times, ids and widths of columns. Of a
// watch it returns the last lines.
func stable(command, text string) []string {
	text = gap.ReplaceAllString(when.ReplaceAllString(anyID.ReplaceAllString(text, "ID"), "WHEN"), " ")
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if strings.Contains(command, "--watch") {
		lines = lines[len(lines)-1:]
	}
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	lines = slices.DeleteFunc(lines, func(l string) bool { return l == "" }) // code in the Markdown has no empty lines
	if strings.Contains(command, "tidemark items") {
		slices.Sort(lines) // the order is that of ids, which depend on the port
	}
	return lines
}

// fits reports whether an output matches the expected one. In want, a line "…" stands for any lines, and "…" at the
// end of a line stands for any end of that line.
func fits(want, have []string) bool {
	switch {
	case len(want) == 0:
		return len(have) == 0
	case want[0] == "…":
		return fits(want[1:], have) || len(have) > 0 && fits(want, have[1:])
	case len(have) == 0:
		return false
	}
	begin, cut := strings.CutSuffix(want[0], "…")
	return (have[0] == want[0] || cut && strings.HasPrefix(have[0], begin)) && fits(want[1:], have[1:])
}

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/content/extract"
)

// article returns a page with a sentence in enough prose.
func article(sentence string) string {
	return `<html><title>T</title><body><main><h1>T</h1><p>` +
		strings.Repeat("The harbour has a quay, a crane and a lock. ", 12) + sentence + `</p></main></body></html>`
}

// committer returns a function that writes a file into a repository below a folder and commits it, half a day after
// the commit before. It notes the names of the commits.
func committer(t *testing.T, dir string, commits *[]string) func(repository, file, content, message string) {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	return func(repository, file, content, message string) {
		t.Helper()
		at = at.Add(12 * time.Hour)
		folder := filepath.Join(dir, repository)
		write(t, filepath.Join(folder, file), content)
		for _, args := range [][]string{{"add", "."}, {"commit", "-q", "-m", message}} {
			who := []string{"-C", folder, "-c", "user.name=t", "-c", "user.email=t@t.example"}
			c := exec.Command("git", append(who, args...)...)
			c.Env = append(os.Environ(), "GIT_COMMITTER_DATE="+at.Format(time.RFC3339))
			if out, err := c.CombinedOutput(); err != nil {
				t.Fatalf("git %v: %v: %s", args, err, out)
			}
		}
		head, err := git(folder, "rev-parse", "HEAD")
		if err != nil {
			t.Fatal(err)
		}
		*commits = append(*commits, strings.TrimSpace(head))
	}
}

// TestH13History replays an archive of one page with two files, from its two repositories.
func TestH13History(t *testing.T) {
	dir := t.TempDir()
	var commits []string
	commit := committer(t, dir, &commits)
	for _, repository := range []string{"a-snapshots", "a-versions"} {
		if out, err := exec.Command("git", "init", "-q", filepath.Join(dir, repository)).CombinedOutput(); err != nil {
			t.Fatalf("git init: %v: %s", err, out)
		}
	}
	const from = "Fetched\n\nX-source-document-location: https://site.example/terms"
	commit("a-snapshots", "Site/Terms.html", article("First."), from)
	commit("a-snapshots", "Site/Terms.html", article("Second."), from)
	commit("a-snapshots", "Site/Terms.html", article("Second. <!-- noise -->"), from)
	commit("a-snapshots", "Site/Terms.html", article("Third."), from)
	commit("a-snapshots", "Site/Zebra.html", article("Third."), from)
	commit("a-versions", "Site/Terms.md", "Second.", "Version\n\nhttps://example.org/a/commit/"+commits[1])
	labels := filepath.Join(dir, "labels")
	write(t, labels, "# why\n"+commits[3][:commitLength]+" change change hole: an edit\n")

	var out bytes.Buffer
	cache := filepath.Join(dir, "cache")
	for range 2 { // the second time from the cache
		out.Reset()
		if err := run([]string{"-changes", "-cache", cache, "-labels", labels, dir}, &out); err != nil {
			t.Fatal(err)
		}
	}
	rows := strings.Join(strings.Fields(out.String()), " ")
	for _, want := range []string{
		"5 fetches of 1 pages, 1 versions",
		"raw bytes 3 0.333 0.333 1.000 2.000 1.000", // with raw labels
		"raw bytes 3 0.667 0.667 1.000 0.500 1.000", // with repaired labels
		"contentHash alone 2 0.500 0.500 1.000 1.000 1.000",
		"with every rule 2 1.000 1.000 1.000 0.000 1.000",
		"told by default 2 1.000 1.000 1.000 0.000 1.000",
	} {
		if !strings.Contains(rows, want) {
			t.Errorf("want %s, have\n%s", want, out.String())
		}
	}
}

func write(t *testing.T, file, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
}

// played returns a history of one page. Each letter is a check: its text, in upper case if the check brought a
// change.
func played(checks string) ([]item, []*facts, labels) {
	it := item{name: "page"}
	l := labels{verdicts: map[string]bool{}}
	var known []*facts
	for i, c := range checks {
		text := strings.ToLower(string(c))
		commit := strings.Repeat(string(rune('a'+i)), commitLength)
		l.verdicts[commit] = string(c) != text
		it.checks = append(it.checks, check{
			refetch: refetch{Commit: commit, At: time.Unix(int64(i)*86400, 0)}, state: i, raw: i,
		})
		blocks := []extract.Block{{Kind: extract.Paragraph, Text: strings.Repeat("Here is "+text+" of it. ", 20)}}
		known = append(known, factsOf(&state{Document: extract.Document{Title: "T", Blocks: blocks, VisibleText: text}}))
	}
	return []item{it}, known, l
}

// TestH13Counting checks which alarms count as found, false and late.
func TestH13Counting(t *testing.T) {
	for _, tc := range []struct {
		name, checks                         string
		alarms, right, changes, found, early int
	}{
		{"nothing happens", "aaaa", 0, 0, 0, 0, 0},
		{"a change is found at once", "aaBb", 1, 1, 1, 1, 1},
		{"a false alarm", "aabb", 1, 0, 0, 0, 0},
		{"the return from noise is false, too", "aaba", 2, 0, 0, 0, 0},
		{"an alarm two checks later counts as late", "aAab", 1, 1, 1, 1, 0},
		{"three checks later it is false, and the change is lost", "aAaab", 1, 0, 1, 0, 0},
		{"one alarm finds two changes", "aAB", 1, 1, 2, 2, 1},
		{"a change at the end is missed", "aaA", 0, 0, 1, 0, 0},
	} {
		items, known, l := played(tc.checks)
		o := l.replay(items, known, tidemarkWith("", rules{}))
		if o.alarms != tc.alarms || o.right != tc.right || o.changes != tc.changes || o.found != tc.found ||
			o.atOnce != tc.early {
			t.Errorf("%s: have %+v", tc.name, o)
		}
	}
}

// TestH13Rules checks which changes each rule silences.
func TestH13Rules(t *testing.T) {
	for _, tc := range []struct {
		name, checks  string
		rules         rules
		alarms, right int
	}{
		{"a return", "aaba", rules{states: true}, 1, 0},
		{"a flap", "aababab", rules{states: true}, 1, 0},
		{"a new state", "aabC", rules{states: true}, 2, 1},
	} {
		items, known, l := played(tc.checks)
		if o := l.replay(items, known, tidemarkWith("", tc.rules)); o.alarms != tc.alarms || o.right != tc.right {
			t.Errorf("%s: have %d alarms, %d right", tc.name, o.alarms, o.right)
		}
	}
}

// TestH13Told checks what rules of people tell: a return, unless it is left out; a change beside the main content,
// unless the rule is for the main content alone; and no number, if all are masked.
func TestH13Told(t *testing.T) {
	alarms := func(name string, items []item, known []*facts, l labels) int {
		for _, m := range methods() {
			if m.name == name {
				return l.replay(items, known, m).alarms
			}
		}
		t.Fatalf("no method %s", name)
		return 0
	}
	for _, tc := range []struct {
		name, checks string
		beside       bool
		alarms       int
	}{
		{"told by default", "aaba", false, 2},
		{"told by default, without reverted", "aaba", false, 1},
		{"told by default", "aabc", true, 2},
		{"told, main alone", "aabc", true, 0},
		{"told, main alone", "aabc", false, 2},
		{"numbers masked, both zones", "aabc", true, 2},
		{"numbers masked, main alone", "aabc", true, 0},
		{"numbers masked, both zones", "aa12", false, 1}, // from a letter to a number
	} {
		items, known, l := played(tc.checks)
		if tc.beside {
			for i, f := range known {
				rest := extract.Block{Kind: extract.Paragraph, Text: strings.Repeat("The quay is old. ", 20)}
				f.Document.Blocks[0].Zone = extract.Beside
				f.Document.Blocks = []extract.Block{rest, f.Document.Blocks[0]}
				known[i] = factsOf(f.state)
			}
		}
		if have := alarms(tc.name, items, known, l); have != tc.alarms {
			t.Errorf("%s of %s, beside %v: %d alarms, want %d", tc.name, tc.checks, tc.beside, have, tc.alarms)
		}
	}
	for text, want := range map[string]string{"49.00 EUR on 3 March 2027": "# on # # #", "£1,299 or 12 %": "# or #",
		"at 17:30": "at #", "no number": "no number"} {
		if have := movingText.ReplaceAllString(text, "#"); have != want {
			t.Errorf("%s: %s, want %s", text, have, want)
		}
	}
}

func TestH13Labels(t *testing.T) {
	file := filepath.Join(t.TempDir(), "labels")
	write(t, file, "# comment\n\n0123456789 change change why\nabcdefabcd same same\n9999999999 change same disputed\n")
	l, err := readLabels(file)
	if err != nil || len(l.verdicts) != 2 || l.disputes != 1 {
		t.Fatalf("have %+v, %v", l, err)
	}
	for commit, want := range map[string]bool{"0123456789ff": true, "abcdefabcdff": false, "9999999999ff": true} {
		if l.change(check{refetch: refetch{Commit: commit}, version: true}) != want {
			t.Errorf("%s: want %v", commit, want)
		}
	}
	write(t, file, "0123456789 change\n")
	if _, err := readLabels(file); err == nil {
		t.Error("a line with one verdict is taken")
	}
}

// TestH13TextProfile checks that rare words and the order of words do not count, and that frequent words do.
func TestH13TextProfile(t *testing.T) {
	text := strings.Repeat("quay lock ", 300)
	same := textProfile(strings.Repeat("lock quay ", 300) + "crane")
	if textProfile(text) != same {
		t.Error("a rare word changes the profile")
	}
	if textProfile(text+strings.Repeat("crane ", 10)) == same {
		t.Error("a frequent word does not change the profile")
	}
}

// TestH11Furniture checks that a line which moved on one page of a host explains the same move on the next page, but
// not on the first page, not after a long time, and not together with another change.
func TestH11Furniture(t *testing.T) {
	a, b := &item{name: "a"}, &item{name: "b"}
	text := func(lines ...string) *facts { return &facts{state: &state{}, lines: lines} }
	plain, menu, edit := text("x"), text("x", "menu"), text("y", "menu")
	day := func(n int) time.Time { return time.Unix(int64(n)*86400, 0) }
	h := &furniture{moves: map[move]sighting{}}
	for i, tc := range []struct {
		item        *item
		before, now *facts
		at          time.Time
		want        bool
	}{
		{a, nil, plain, day(0), false},
		{b, nil, plain, day(0), false},
		{a, plain, menu, day(1), false}, // the first move
		{b, plain, edit, day(1), false}, // with an edit
		{b, plain, menu, day(2), true},
		{b, menu, plain, day(3), false}, // the line goes for the first time
		{a, menu, plain, day(3), true},
		{b, plain, menu, day(90), false}, // the last move is too old
	} {
		if have := h.explains(tc.item, tc.before, tc.now, tc.at); have != tc.want {
			t.Errorf("step %d: have %v, want %v", i, have, tc.want)
		}
	}
}

package main

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/app"
)

// manDir keeps what TestL2ManPagesAndCompletions writes: `make release` packs it.
var manDir = flag.String("man.dir", "", "folder for man pages and completion scripts")

// TestL2ManPagesAndCompletions writes a man page for every command and a completion script for every shell, twice
// with equal results. A test writes them, so that the binary needs no library for man pages.
func TestL2ManPagesAndCompletions(t *testing.T) {
	dir := *manDir
	if dir == "" {
		dir = t.TempDir()
	}
	writeHelp(t, dir)
	again := t.TempDir()
	writeHelp(t, again)
	names, err := filepath.Glob(filepath.Join(again, "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	pages := 0
	for _, name := range names {
		rel, err := filepath.Rel(again, name)
		if err != nil {
			t.Fatal(err)
		}
		have := readText(t, filepath.Join(dir, rel))
		if have != readText(t, name) {
			t.Errorf("%s differs from run to run", rel)
		}
		if strings.HasSuffix(rel, ".1") {
			pages++
		}
		if home, _ := os.UserHomeDir(); len(home) > len("/root") && strings.Contains(have, home) {
			t.Errorf("%s names a folder of whoever built it", rel)
		}
	}
	shown := root(&terminal.Terminal{}, app.ReadSources(noEnv, nil, ""))
	shown.InitDefaultCompletionCmd()
	commands := countShown(shown)
	if pages != commands {
		t.Errorf("%d man pages for %d commands", pages, commands)
	}
	start := readText(t, filepath.Join(dir, "man", "tidemark-start.1"))
	for _, want := range []string{`.TH "TIDEMARK-START" "1"`, `\fB--port\fP`, "Run Tidemark on this machine"} {
		if !strings.Contains(start, want) {
			t.Errorf("tidemark-start.1 lacks %q:\n%s", want, start)
		}
	}
	for name, want := range map[string]string{
		"tidemark.bash": "complete -o default", "_tidemark": "#compdef tidemark", "tidemark.fish": "complete -c tidemark",
		"tidemark.ps1": "Register-ArgumentCompleter",
	} {
		if !strings.Contains(readText(t, filepath.Join(dir, "completions", name)), want) {
			t.Errorf("completions/%s lacks %q", name, want)
		}
	}
}

func noEnv(string) string { return "" }

// writeHelp writes man pages into dir/man and completion scripts into dir/completions.
func writeHelp(t *testing.T, dir string) {
	t.Helper()
	man, completions := filepath.Join(dir, "man"), filepath.Join(dir, "completions")
	for _, d := range []string{man, completions} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	all := root(&terminal.Terminal{}, app.ReadSources(noEnv, nil, ""))
	all.InitDefaultCompletionCmd()
	all.DisableAutoGenTag = true // the tag has the day of the build
	// All releases have the same day, so that a page changes only when its text changes.
	day := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	head := &doc.GenManHeader{Section: "1", Source: "Tidemark", Manual: "Tidemark", Date: &day}
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	check(doc.GenManTree(all, head, man))
	check(all.GenBashCompletionFileV2(filepath.Join(completions, "tidemark.bash"), true))
	check(all.GenZshCompletionFile(filepath.Join(completions, "_tidemark")))
	check(all.GenFishCompletionFile(filepath.Join(completions, "tidemark.fish"), true))
	check(all.GenPowerShellCompletionFileWithDesc(filepath.Join(completions, "tidemark.ps1")))
}

// countShown counts the commands that help shows, cmd and those below it.
func countShown(cmd *cobra.Command) int {
	n := 1
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			n += countShown(c)
		}
	}
	return n
}

func readText(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

package root

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestChdir checks that a program finds the top from a module below it, and stays where it is outside.
func TestChdir(t *testing.T) {
	top, err := filepath.Abs(filepath.Join("..", "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	outside, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for from, want := range map[string]string{
		filepath.Join(top, "measure"):                    top,
		filepath.Join(top, "pkg", "app"):                 top,
		filepath.Join(top, "docs", "integrations", "go"): top,
		top:     top,
		outside: outside,
	} {
		t.Chdir(from)
		if err := Chdir(); err != nil {
			t.Fatal(err)
		}
		if have, err := os.Getwd(); err != nil || have != want {
			t.Errorf("from %s to %s, want %s; %v", from, have, want, err)
		}
	}
}

// TestUsage checks that the help of a program has its flags, and says what a path is relative to.
func TestUsage(t *testing.T) {
	var said strings.Builder
	flags := flag.NewFlagSet("/tmp/bench", flag.ContinueOnError)
	flags.SetOutput(&said)
	flags.String("tools", ".tools", "folder for Azurite")
	flags.Usage = Usage(flags)
	if err := flags.Parse([]string{"-help"}); err != flag.ErrHelp {
		t.Fatal(err)
	}
	for _, want := range []string{"Usage of bench:\n", "folder for Azurite", "relative to its top"} {
		if !strings.Contains(said.String(), want) {
			t.Errorf("the help lacks %q: %s", want, &said)
		}
	}
}

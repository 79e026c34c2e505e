package source_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/base/goldentest"
	"github.com/tidemark/tidemark/pkg/identity/lineage"
	"github.com/tidemark/tidemark/pkg/identity/source"
)

const (
	goldenFile   = "testdata/golden.txt"
	versionsFile = "testdata/versions.txt"
	versionMark  = "# version: "
)

// golden is the golden file: the version under which it was made, and its lines in blocks.
type golden struct {
	version string
	blocks  []block
}

// block is one case, or lines of comment when input is empty.
type block struct {
	quoted string   // the input as written in the file
	output []string // normalized, display, id, contentGroupId; empty for a new case
	text   string   // a line of comment
}

func readGolden(t *testing.T) (g golden) {
	t.Helper()
	for line := range strings.Lines(read(t, goldenFile)) {
		line = strings.TrimSuffix(line, "\n")
		version, isVersion := strings.CutPrefix(line, versionMark)
		output, isOutput := strings.CutPrefix(line, "\t")
		switch {
		case isVersion:
			g.version = version
			g.blocks = append(g.blocks, block{text: versionMark})
		case isOutput:
			last := &g.blocks[len(g.blocks)-1]
			last.output = append(last.output, output)
		case strings.HasPrefix(line, `"`):
			g.blocks = append(g.blocks, block{quoted: line})
		default:
			g.blocks = append(g.blocks, block{text: line})
		}
	}
	return g
}

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func (g golden) cases() (cases []block) {
	for _, b := range g.blocks {
		if b.quoted != "" {
			cases = append(cases, b)
		}
	}
	return cases
}

func (g golden) String() string {
	var b strings.Builder
	for _, block := range g.blocks {
		switch {
		case block.text == versionMark:
			fmt.Fprintln(&b, versionMark+g.version)
		case block.quoted == "":
			fmt.Fprintln(&b, block.text)
		default:
			fmt.Fprintf(&b, "%s\n\t%s\n", block.quoted, strings.Join(block.output, "\n\t"))
		}
	}
	return b.String()
}

// digest returns a digest of all inputs and outputs.
func (g golden) digest() string {
	h := sha256.New()
	for _, c := range g.cases() {
		fmt.Fprintf(h, "%s\n%q\n", c.quoted, c.output)
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

// outputs returns the outputs of the code for a case.
func outputs(t *testing.T, c block) []string {
	t.Helper()
	raw, err := strconv.Unquote(c.quoted)
	if err != nil {
		t.Fatalf("%s: %v", c.quoted, err)
	}
	s := parseURL(t, raw)
	return []string{s.Normalized, s.Display, string(s.ID()), s.ContentGroupID()}
}

// urlVersion returns the component whose number must be raised when a golden case changes.
func urlVersion(t *testing.T) string {
	t.Helper()
	c := lineage.Current.Component("url")
	if c == "" {
		t.Fatal("lineage.Current has no url component")
	}
	return c
}

// TestGolden proves B6: no existing case changes under one version. versions.txt has one line for each version so
// far. Its digests prevent edits of the golden file together with the code.
func TestGolden(t *testing.T) {
	g, version := readGolden(t), urlVersion(t)
	if goldentest.Update() {
		updateGolden(t, g, version)
		g = readGolden(t)
	}
	if g.version != version {
		t.Fatalf("B6: the golden file was made under %q, lineage.Current says %q; %s", g.version, version,
			goldentest.Accept(t))
	}
	for _, c := range g.cases() {
		checkCase(t, c, version)
	}
	if !strings.Contains(read(t, versionsFile), version+" "+g.digest()+"\n") {
		t.Errorf("B6: golden.txt is not what %s was released with; raise url in lineage.Current", version)
	}
}

func checkCase(t *testing.T, c block, version string) {
	t.Helper()
	if have := outputs(t, c); strings.Join(have, "\n") != strings.Join(c.output, "\n") {
		t.Errorf("B6: %s changed without raising %s in lineage.Current\nhave %q\nwant %q", c.quoted, version, have, c.output)
	}
}

// updateGolden fills in new cases. Under the same version it first checks that the file is the released one and that
// no case in it would change.
func updateGolden(t *testing.T, g golden, version string) {
	t.Helper()
	if g.version == version {
		old := golden{}
		for _, c := range g.cases() {
			if c.output != nil {
				checkCase(t, c, version)
				old.blocks = append(old.blocks, c)
			}
		}
		if !strings.Contains(read(t, versionsFile), version+" "+old.digest()+"\n") {
			t.Errorf("B6: cases of %s were edited or removed", version)
		}
		if t.Failed() {
			t.FailNow()
		}
	}
	for i, b := range g.blocks {
		if b.quoted != "" {
			g.blocks[i].output = outputs(t, b)
		}
	}
	g.version = version
	write(t, goldenFile, g.String())
	write(t, versionsFile, withDigest(read(t, versionsFile), version, g.digest()))
}

// withDigest replaces or appends the line of one version.
func withDigest(file, version, digest string) string {
	var b strings.Builder
	for line := range strings.Lines(file) {
		if !strings.HasPrefix(line, version+" ") {
			b.WriteString(line)
		}
	}
	return b.String() + version + " " + digest + "\n"
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestGoldenInputsAreDistinct checks that no case is repeated.
func TestGoldenInputsAreDistinct(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range readGolden(t).cases() {
		if seen[c.quoted] {
			t.Errorf("%s is there twice", c.quoted)
		}
		seen[c.quoted] = true
	}
}

// TestGoldenOutputsAreSound checks properties that every case must have under any rules.
func TestGoldenOutputsAreSound(t *testing.T) {
	for _, c := range readGolden(t).cases() {
		raw, _ := strconv.Unquote(c.quoted)
		sound(t, source.DefaultRules(), raw)
		if strings.Contains(strings.Join(c.output, " "), "secret") && !strings.Contains(c.quoted, "secret=6") {
			t.Errorf("%s: a secret stays in %q", c.quoted, c.output)
		}
	}
}

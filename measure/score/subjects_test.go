package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestSubjects checks the questions about a page of which each version has another fee: the right difference has what
// the subject says, no other one does, and the name of the page is not said.
func TestSubjects(t *testing.T) {
	dir, file := t.TempDir(), filepath.Join(t.TempDir(), "questions")
	if out, err := exec.Command("git", "init", "-q", filepath.Join(dir, "versions")).CombinedOutput(); err != nil {
		t.Fatalf("git init: %v: %s", err, out)
	}
	var commits []string
	commit := committer(t, dir, &commits)
	for i := range 6 {
		text := fmt.Sprintf("# Terms of the quay\n\nThe old quay is of granite.\n\nThe fee is %d EUR.\n", 49+7*i)
		commit("versions", "Quay/Terms.md", text, "version")
		commit("versions", "README.md", fmt.Sprint("Read it, in version ", i), "version")
	}
	if err := run([]string{"-subjects", "1", filepath.Join(dir, "versions"), file}, &bytes.Buffer{}); err != nil {
		t.Fatal(err)
	}
	asked, answers := linesOf[subjectQuestion](t, file), linesOf[subjectAnswer](t, file+".key")
	if len(asked) != len(answers) || len(asked) < 5 {
		t.Fatalf("%d questions, %d answers", len(asked), len(answers))
	}
	for i, q := range asked {
		old, now, _ := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(q.Subject, "fee "), " EUR"), " → ")
		for n, d := range q.Differences {
			right := strings.Contains(d, "-The fee is "+old+" EUR") && strings.Contains(d, "+The fee is "+now+" EUR")
			if right != (n+1 == answers[i].Right) || len(q.Differences) != choices {
				t.Errorf("question %d, %q, answer %d: %s", q.N, q.Subject, answers[i].Right, d)
			}
		}
	}
	if err := run([]string{"-subjects", "1", dir, file}, &bytes.Buffer{}); err == nil {
		t.Error("a folder that is no repository has questions")
	}
}

// linesOf reads a file of lines of JSON.
func linesOf[T any](t *testing.T, file string) (all []T) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		var one T
		if err := json.Unmarshal([]byte(line), &one); err != nil {
			t.Fatal(err)
		}
		all = append(all, one)
	}
	return all
}

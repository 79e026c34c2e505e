package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// module writes a module with one function and its test.
func module(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module small\n\ngo 1.25\n",
		"a.go":   "package small\n\nfunc larger(a, b int) int {\n\tif a > b {\n\t\treturn a\n\t}\n\treturn b\n}\n",
		"a_test.go": "package small\n\nimport \"testing\"\n\n" +
			"func TestLarger(t *testing.T) {\n\tif larger(2, 1) != 2 {\n\t\tt.Error(larger(2, 1))\n\t}\n}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestK12Try checks that a test kills the mutant it detects, that an undetected mutant survives and makes the command
// fail, and that the tree does not change.
func TestK12Try(t *testing.T) {
	dir := module(t)
	path := filepath.Join(dir, "a.go")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f := &file{name: "a.go", text: text}
	of := func(old, by string) mutant {
		from := strings.Index(string(text), old)
		return mutant{file: f, function: "larger", kind: byHand, rule: by, from: from, to: from + len(old), text: by,
			by: stage{dir: "."}}
	}
	var said strings.Builder
	err = try(t.Context(), dir, []mutant{of("a > b", "a < b"), of("a > b", "a >= b")}, 1, &said)
	if err == nil || !strings.Contains(err.Error(), "1 mutants need a test") {
		t.Errorf("the error is %v", err)
	}
	for _, want := range []string{"a > b → a < b\n\tkilled by ..TestLarger,", "\nsurvived: a.go:larger: a >= b\n",
		"2 mutants: 2 written", "; 1 killed, 0 equivalent, 1 neither\n"} {
		if !strings.Contains(said.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, said.String())
		}
	}
	if after, err := os.ReadFile(path); err != nil || string(after) != string(text) {
		t.Errorf("the tree was touched: %v\n%s", err, after)
	}
	err = try(t.Context(), dir, []mutant{of("int {", "int { c := a")}, 1, &said)
	if err == nil || !strings.Contains(err.Error(), "does not compile") {
		t.Errorf("of one that does not compile: %v", err)
	}
}

// TestK12ProofThatIsWrong checks that a proof is refuted when a test kills its mutant.
func TestK12ProofThatIsWrong(t *testing.T) {
	f := &file{name: "a.go", text: []byte("a > b")}
	m := mutant{file: f, function: "f", kind: byHand, rule: "r", to: 5, text: "a >= b"}
	defer func(were []equivalent) { equivalents = were }(equivalents)
	equivalents = []equivalent{{m.name(), "a > b", "if they are equal it makes no difference which of them is taken"}}
	var said strings.Builder
	if err := report(&said, []outcome{{mutant: m}}); err != nil {
		t.Errorf("of one that survives by a proof: %v", err)
	}
	if err := report(&said, []outcome{{mutant: m, killed: true, by: "TestX"}}); err == nil {
		t.Errorf("no error:\n%s", said.String())
	}
	equivalents[0].old = "another change"
	if err := report(&said, []outcome{{mutant: m}}); err == nil {
		t.Errorf("a proof of another change is taken:\n%s", said.String())
	}
}

// TestFailedTest checks how the output of failed tests is read.
func TestFailedTest(t *testing.T) {
	for _, tt := range []struct{ said, want string }{
		{"--- FAIL: TestA (0.00s)\n    a_test.go:8: 1\nFAIL\n", "TestA"},
		{"    --- FAIL: TestA/one (0.00s)\n--- FAIL: TestB (0.00s)\n", "TestB"},
		{"panic: test timed out after 1m0s\n\trunning tests:\n\t\tTestSlow (1m0s)\n", "TestSlow (does not end)"},
		{"fatal error: sync: unlock of unlocked mutex\n\ngoroutine 9:\npkg/x.TestLock(0x0)\n", "TestLock (fatal error)"},
		{"--- FAIL: TestA (0.00s)\npanic: nil map [recovered]\n", "TestA (panics)"},
		{"signal: killed\n", "tests"},
	} {
		if have := failedTest(tt.said); have != tt.want {
			t.Errorf("of %q: %q, want %q", tt.said, have, tt.want)
		}
	}
}

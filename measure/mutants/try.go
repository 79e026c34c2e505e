package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

// An outcome is the result of a mutant.
type outcome struct {
	mutant mutant
	killed bool
	by     string        // the test that detected the change, and its message
	took   time.Duration // processor time of the tests
}

// A trier tries mutants.
type trier struct {
	root, tmp string
	out       io.Writer

	mu    sync.Mutex
	usual map[stage]func() (time.Duration, error) // runs a stage without a change and returns its time
}

// try runs, for each mutant, the tests that should detect it, and reports the results.
func try(ctx context.Context, root string, all []mutant, jobs int, out io.Writer) error {
	tmp, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	t := &trier{root: root, tmp: tmp, out: out, usual: map[stage]func() (time.Duration, error){}}
	outcomes := make([]outcome, len(all))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(jobs)
	for i, m := range all {
		g.Go(func() (err error) {
			outcomes[i], err = t.one(ctx, fmt.Sprint(i), m)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	return report(out, outcomes)
}

// most is the largest time for a stage.
const most = 10 * time.Minute

// unchanged runs a stage once on the unchanged code, because a test that also fails without a change detects nothing.
// It returns the time that the stage needed.
func (t *trier) unchanged(ctx context.Context, s stage) (time.Duration, error) {
	t.mu.Lock()
	usual := t.usual[s]
	if usual == nil {
		name := fmt.Sprint("unchanged", len(t.usual))
		usual = sync.OnceValues(func() (time.Duration, error) {
			defer t.clean(name)
			failed, took, err := t.test(ctx, s, name, "", most)
			// A test that depends on time may fail on a busy machine, so it is tried again.
			for again := 0; again < 2 && err == nil && failed.test != ""; again++ {
				failed, took, err = t.test(ctx, s, name, "", most)
			}
			if err == nil && failed.test != "" {
				err = fmt.Errorf("%s fails without a change, in %s:\n%s", failed.test, s.dir, failed.output)
			}
			return took, err
		})
		t.usual[s] = usual
	}
	t.mu.Unlock()
	return usual()
}

// one tries a mutant.
func (t *trier) one(ctx context.Context, name string, m mutant) (outcome, error) {
	o := outcome{mutant: m}
	overlay, err := t.overlay(name, m)
	if err != nil {
		return o, err
	}
	defer t.clean(name)
	for _, s := range m.stages() {
		usual, err := t.unchanged(ctx, s)
		if err != nil {
			return o, err
		}
		failed, took, err := t.test(ctx, s, name, overlay, min(most, 5*usual+time.Minute))
		o.took += took
		if err != nil {
			return o, fmt.Errorf("%s: %w", m.name(), err)
		}
		if failed.test != "" {
			o.killed, o.by = true, s.dir+"."+failed.test
			break
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	fmt.Fprintln(t.out, o)
	return o, nil
}

// overlay writes the file of a mutant, and the file that makes the compiler use it.
func (t *trier) overlay(name string, m mutant) (string, error) {
	changed := filepath.Join(t.tmp, name+".go")
	if err := os.WriteFile(changed, m.mutated(), 0o600); err != nil {
		return "", err
	}
	list, _ := json.Marshal(map[string]any{"Replace": map[string]string{ // strings always encode
		filepath.Join(t.root, filepath.FromSlash(m.file.name)): changed,
	}})
	path := filepath.Join(t.tmp, name+".json")
	return path, os.WriteFile(path, list, 0o600)
}

// build builds the test binary of a package with a change, and returns its path. Later stages use the same binary.
func (t *trier) build(ctx context.Context, dir, name, overlay string) (binary string, err error) {
	binary = filepath.Join(t.tmp, name+"-"+strings.ReplaceAll(dir, "/", "-")+".test")
	if _, err := os.Stat(binary); err == nil {
		return binary, nil
	}
	build := exec.CommandContext(ctx, "nice", "go", "test", "-c", "-vet=off", "-ldflags=-s -w", "-overlay="+overlay,
		"-o", binary, "./"+dir)
	build.Dir = t.root
	if said, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("does not compile: %w\n%s", err, said)
	}
	return binary, nil
}

// clean removes the binaries of a mutant.
func (t *trier) clean(name string) {
	binaries, _ := filepath.Glob(filepath.Join(t.tmp, name+"-*.test")) // the pattern is valid
	for _, binary := range binaries {
		_ = os.Remove(binary) // the whole folder is removed at the end anyway
	}
}

// A failure is the name of the failed test, or "" if no test failed, and the output of the tests.
type failure struct{ test, output string }

// test runs the tests of a stage.
func (t *trier) test(ctx context.Context, s stage, name, overlay string,
	limit time.Duration) (failed failure, took time.Duration, err error) {
	binary, err := t.build(ctx, s.dir, name, overlay)
	if err != nil {
		return failed, 0, err
	}
	// A change may cause endless allocation. No test needs as much address space as this limit.
	const bounded = `ulimit -v 8000000 2>/dev/null; exec nice "$0" "$@"`
	args := append([]string{"-c", bounded, binary, "-test.failfast", "-test.timeout", limit.String()},
		strings.Fields(s.args)...)
	cmd := exec.CommandContext(ctx, "sh", args...)
	cmd.Dir = filepath.Join(t.root, filepath.FromSlash(s.dir))
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	err = cmd.Run()
	if cmd.ProcessState != nil {
		took = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	if err == nil || ctx.Err() != nil {
		return failed, took, ctx.Err()
	}
	if _, ran := errors.AsType[*exec.ExitError](err); !ran {
		return failed, took, err
	}
	return failure{failedTest(said.String()), said.String()}, took, nil
}

var (
	failedLine  = regexp.MustCompile(`(?m)^--- FAIL: (\S+)`)
	runningLine = regexp.MustCompile(`(?m)^\s+(Test\S+) \(`)
	testFrame   = regexp.MustCompile(`(?m)^\S+\.(Test\w+)\(`)
)

// failedTest finds the name of the failed test in a test's output.
func failedTest(said string) string {
	how := ""
	switch {
	case strings.Contains(said, "panic: test timed out"):
		how = " (does not end)"
	case strings.Contains(said, "\nfatal error: "), strings.HasPrefix(said, "fatal error: "):
		how = " (fatal error)"
	case strings.Contains(said, "panic: "):
		how = " (panics)"
	}
	for _, name := range []*regexp.Regexp{failedLine, runningLine, testFrame} {
		if found := name.FindStringSubmatch(said); found != nil {
			return found[1] + how
		}
	}
	return "tests" + how
}

package folder

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestLogs(t *testing.T) {
	var shown bytes.Buffer
	l, err := openLogs(t.TempDir(), "", "", slog.LevelWarn, &shown)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	l.Info("only kept")
	l.Warn("told")
	l.Hush()
	l.Error("kept after the hush")
	kept, err := os.ReadFile(l.Name)
	if n := strings.Count(string(kept), "\n"); err != nil || n != 3 {
		t.Errorf("%d lines are kept, want 3: %s (%v)", n, kept, err)
	}
	if n := strings.Count(shown.String(), "\n"); n != 1 || !strings.Contains(shown.String(), "msg=told") {
		t.Errorf("shown is %s, want what was told", &shown)
	}
}

// TestL5LogFormat checks that the file and standard error have the format that is set, and that another is refused.
func TestL5LogFormat(t *testing.T) {
	var shown bytes.Buffer
	l, err := openLogs(t.TempDir(), "json", "", slog.LevelWarn, &shown)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	l.Warn("told", "n", 1)
	if kept, err := os.ReadFile(l.Name); err != nil || string(kept) != shown.String() ||
		!strings.HasSuffix(shown.String(), `"level":"WARN","msg":"told","n":1}`+"\n") {
		t.Errorf("kept %s, shown %s (%v)", kept, &shown, err)
	}
	if _, err := openLogs(t.TempDir(), "xml", "", slog.LevelWarn, &shown); err == nil ||
		!strings.Contains(err.Error(), "LOG_FORMAT") {
		t.Errorf("xml is accepted: %v", err)
	}
}

// TestS16LogLevel checks that neither the file nor standard error gets what is below the level (S16).
func TestS16LogLevel(t *testing.T) {
	var shown bytes.Buffer
	for least, want := range map[string]string{"debug": "DIWE WE", "": "IWE WE", "warn": "WE WE", "error": "E E"} {
		shown.Reset()
		l, err := openLogs(t.TempDir(), "", least, slog.LevelWarn, &shown)
		if err != nil {
			t.Fatal(err)
		}
		for level, name := range map[slog.Level]string{slog.LevelDebug: "D", slog.LevelInfo: "I", slog.LevelWarn: "W",
			slog.LevelError: "E"} {
			l.Log(t.Context(), level, name)
		}
		kept, err := os.ReadFile(l.Name)
		have := ""
		for _, name := range strings.Fields("D I W E") {
			if strings.Contains(string(kept), "msg="+name) {
				have += name
			}
		}
		have += " "
		for _, name := range strings.Fields("D I W E") {
			if strings.Contains(shown.String(), "msg="+name) {
				have += name
			}
		}
		if have != want || err != nil {
			t.Errorf("LOG_LEVEL=%s: %q, want %q (%v)", least, have, want, err)
		}
		l.Close()
	}
	if _, err := openLogs(t.TempDir(), "", "loud", slog.LevelWarn, &shown); err == nil ||
		!strings.Contains(err.Error(), "LOG_LEVEL") {
		t.Errorf("loud is accepted: %v", err)
	}
}

// TestL5LogRotates fills log files as two processes do. Each line is whole, in order and in one file, the files are
// bounded, and the oldest are removed.
func TestL5LogRotates(t *testing.T) {
	name := filepath.Join(t.TempDir(), "log")
	const max, lines = 1000, 900
	one, two := &logFile{name: name, max: max}, &logFile{name: name, max: max}
	if err := errors.Join(one.open(), two.open()); err != nil {
		t.Fatal(err)
	}
	defer one.Close()
	defer two.Close()
	for n := range lines {
		f := one
		if n%3 == 0 {
			f = two
		}
		if _, err := fmt.Fprintf(f, "line %03d\n", n); err != nil {
			t.Fatal(err)
		}
	}
	var all []string
	for n := keptLogs; n >= 0; n-- {
		path := fmt.Sprint(name, ".", n)
		if n == 0 {
			path = name
		}
		text, err := os.ReadFile(path)
		if err != nil || len(text) > max+len("line 000\n") || n > 0 && len(text) < max/2 {
			t.Errorf("%s has %d bytes (%v)", path, len(text), err)
		}
		all = append(all, strings.Fields(strings.ReplaceAll(string(text), "line ", ""))...)
	}
	slices.Sort(all) // the other process may still write to the older file
	for i, n := range all {
		if want := lines - len(all) + i; n != fmt.Sprintf("%03d", want) {
			t.Fatalf("line %d of %d is %s, want %03d", i, len(all), n, want)
		}
	}
	if files, _ := filepath.Glob(name + "*"); len(files) != keptLogs+1 {
		t.Errorf("have %v", files)
	}
}

// TestL5LogThatCannotRotate checks that the log continues in the same file when it cannot be renamed.
func TestL5LogThatCannotRotate(t *testing.T) {
	name := filepath.Join(t.TempDir(), "log")
	f := &logFile{name: name, max: 10}
	err := errors.Join(f.open(), os.WriteFile(name+".3", nil, 0o600), os.MkdirAll(filepath.Join(name+".4", "full"), 0o700))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for range 3 {
		if _, err := f.Write([]byte("a line\n")); err != nil {
			t.Fatal(err)
		}
	}
	if text, err := os.ReadFile(name); err != nil || string(text) != "a line\na line\na line\n" {
		t.Errorf("have %q (%v)", text, err)
	}
}

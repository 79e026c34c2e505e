package secrets

import (
	"encoding/base64"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func text(n byte) string {
	return base64.StdEncoding.EncodeToString([]byte(strings.Repeat(string('a'+n), 32)))
}

func load(o Options) *Keys {
	o.Log = slog.New(slog.DiscardHandler)
	return Load(o)
}

// TestP1Sealed checks that a secret is decrypted only with the same key and for the same purpose (P1).
func TestP1Sealed(t *testing.T) {
	k := load(Options{Key: text(0)})
	sealed, err := k.Seal("hunter2", "mail", "password", "mail.example:587")
	if err != nil || strings.Contains(sealed, "hunter2") {
		t.Fatal(sealed, err)
	}
	if got, old, err := k.Open(sealed, "mail", "password", "mail.example:587"); got != "hunter2" || old || err != nil {
		t.Fatal(got, old, err)
	}
	for _, parts := range [][]string{{"mail2", "password", "mail.example:587"}, {"mail", "token", "mail.example:587"},
		{"mail", "password", "evil.example:587"}, {"mail", "password", "mail.example:25"},
		{"mail\npassword", "mail.example:587"}, {"mail", "password\nmail.example:587"}, {}} {
		if got, _, err := k.Open(sealed, parts...); err == nil {
			t.Errorf("%q opens it: %q", parts, got)
		}
	}
	if again, _ := k.Seal("hunter2", "mail", "password", "mail.example:587"); again == sealed {
		t.Error("the same secret looks the same twice")
	}
	for _, broken := range []string{"", ".", "x.y", sealed[:len(sealed)-4], sealed + "AAAA", strings.ToUpper(sealed)} {
		if got, _, err := k.Open(broken, "mail", "password", "mail.example:587"); err == nil {
			t.Errorf("%q opens: %q", broken, got)
		}
	}
	if _, _, err := load(Options{Key: text(1)}).Open(sealed, "mail", "password", "mail.example:587"); err == nil ||
		!strings.Contains(err.Error(), "is missing") {
		t.Errorf("another key: %v", err)
	}
	if s := fmt.Sprintf("%v %+v %#v %s", k, k, k, k); strings.Contains(s, "0x61") || strings.Contains(s, "97") {
		t.Errorf("the key is printed: %s", s)
	}
}

// TestP1Property checks that any text comes back for its own purpose, and for no other (P1).
func TestP1Property(t *testing.T) {
	k := load(Options{Key: text(0)})
	rapid.Check(t, func(t *rapid.T) {
		secret, parts := rapid.String().Draw(t, "secret"), rapid.SliceOf(rapid.String()).Draw(t, "parts")
		other := rapid.SliceOf(rapid.String()).Draw(t, "other")
		sealed, err := k.Seal(secret, parts...)
		if err != nil {
			t.Fatal(err)
		}
		if got, _, err := k.Open(sealed, parts...); err != nil || got != secret {
			t.Fatal(got, err)
		}
		if _, _, err := k.Open(sealed, other...); (err == nil) != (fmt.Sprintf("%q", other) == fmt.Sprintf("%q", parts)) {
			t.Fatalf("%q opens what is for %q: %v", other, parts, err)
		}
	})
}

// TestP1FormerKeys checks that what a former key has encrypted is decrypted, and reported as old: SECRETS_KEY_OLD, and
// the file after SECRETS_KEY was set (P1).
func TestP1FormerKeys(t *testing.T) {
	dir := t.TempDir()
	file := load(Options{Folder: dir})
	inFile, err := file.Seal("a")
	if err != nil {
		t.Fatal(err)
	}
	set := load(Options{Folder: dir, Key: text(0)})
	if got, old, err := set.Open(inFile); got != "a" || !old || err != nil {
		t.Error("of the file:", got, old, err)
	}
	bySetting, _ := set.Seal("b")
	if got, old, err := load(Options{Key: text(1), Old: text(0)}).Open(bySetting); got != "b" || !old || err != nil {
		t.Error("of SECRETS_KEY_OLD:", got, old, err)
	}
	if got, old, err := load(Options{Folder: dir, Old: text(0)}).Open(bySetting); got != "b" || !old || err != nil {
		t.Error("of SECRETS_KEY_OLD, back to the file:", got, old, err)
	}
}

// TestP1KeyFile checks that the key file is made once, for its owner only, that it is never overwritten, and that
// Tidemark starts with a reason when it cannot be used (P1).
func TestP1KeyFile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	path := filepath.Join(dir, FileName)
	first := load(Options{Folder: dir})
	if _, err := os.Stat(path); err == nil || first.Problem() != "" {
		t.Errorf("the file is made before a key is needed, or: %s", first.Problem())
	}
	sealed, err := first.Seal("a")
	if err != nil {
		t.Fatal(err)
	}
	if got, old, err := load(Options{Folder: dir}).Open(sealed); got != "a" || old || err != nil {
		t.Error("after a restart:", got, old, err)
	}
	if all, _ := os.ReadDir(dir); len(all) != 1 {
		t.Errorf("%d files", len(all))
	}
	if runtime.GOOS != "windows" {
		for range 2 {
			if fi, err := os.Stat(path); err != nil || fi.Mode().Perm() != 0o600 {
				t.Fatal(fi.Mode(), err)
			}
			if err := os.Chmod(path, 0o644); err != nil {
				t.Fatal(err)
			}
			load(Options{Folder: dir})
		}
	}
	for _, broken := range []string{"", "x", text(0)[:20]} {
		if err := os.WriteFile(path, []byte(broken), 0o600); err != nil {
			t.Fatal(err)
		}
		k := load(Options{Folder: dir})
		if now, _ := os.ReadFile(path); string(now) != broken || !strings.Contains(k.Problem(), FileName) {
			t.Errorf("%q became %q; %s", broken, now, k.Problem())
		}
		if _, err := k.Seal("a"); err == nil || k.Derive("mute links") != nil {
			t.Error("a broken key encrypts")
		}
		if _, _, err := k.Open(sealed); err == nil || !strings.Contains(err.Error(), "is missing") {
			t.Error(err)
		}
	}
	blocked := filepath.Join(dir, FileName, "folder") // below a file
	if _, err := load(Options{Folder: blocked}).Seal("a"); err == nil || !strings.Contains(err.Error(), "cannot be used") {
		t.Error(err)
	}
	if k := load(Options{}); !strings.Contains(k.Problem(), Setting) {
		t.Error(k.Problem())
	}
}

func TestP1ParseKey(t *testing.T) {
	for _, good := range []string{text(0), " " + text(0) + "\n", strings.TrimRight(text(0), "="),
		strings.Repeat("0aF9", 16), "-_" + text(0)[2:]} {
		if key, err := ParseKey(good); err != nil || len(key) != 32 {
			t.Errorf("%q: %v", good, err)
		}
	}
	for _, bad := range []string{"", "hunter2", text(0)[1:], text(0) + text(0), "@Microsoft.KeyVault(x)"} {
		if _, err := ParseKey(bad); err == nil || bad != "" && strings.Contains(err.Error(), bad) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	var none *Keys
	if none.Problem() == "" || none.Derive("x") != nil {
		t.Error("no keys")
	}
	one, other := load(Options{Key: text(0)}), load(Options{Key: text(1)})
	if a := string(one.Derive("a")); a == string(one.Derive("b")) || a == string(other.Derive("a")) || len(a) != 32 {
		t.Error("derived keys are equal")
	}
}

package app

import (
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// configured returns the settings with a settings file of this content, and the environment.
func configured(t *testing.T, text string, environ map[string]string) *Sources {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, ConfigFile), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var lines []string
	for name, value := range environ {
		lines = append(lines, name+"="+value)
	}
	return ReadSources(env(environ), lines, dir)
}

// TestL10EnvironmentWins checks where values come from, and that the file's count as set.
func TestL10EnvironmentWins(t *testing.T) {
	s := configured(t, "# of ours\nPORT: 8080\nCRAWL_CONTACT: me@example.com # nobody else\nLISTEN:\nNO_PROXY: ~\n"+
		"CREDENTIAL_WIKI: bearer https://wiki.example hunter2\nCRAWL_SOFT_404: false\nSEARCH_INDEX: 'ab'\n",
		map[string]string{"CRAWL_CONTACT": "you@example.com", "SEARCH_INDEX": ""})
	if s.Err != nil {
		t.Fatal(s.Err)
	}
	for name, want := range map[string][2]string{"PORT": {"8080", "file"}, "CRAWL_CONTACT": {"you@example.com",
		"environment"}, "LISTEN": {"", "default"}, "CRAWL_SOFT_404": {"false", "file"}, "NO_PROXY": {"", "default"},
		"SEARCH_INDEX": {"ab", "file"}, "CREDENTIAL_WIKI": {"bearer https://wiki.example hunter2", "file"}} {
		if have := [2]string{s.Get(name), s.from(name)}; have != want {
			t.Errorf("%s: have %q, want %q", name, have, want)
		}
	}
	c, err := Load(s.Get, s.Names()...)
	if err != nil || c.Soft404 || c.Fetch.Contact != "you@example.com" {
		t.Errorf("%v %+v", err, c.Fetch)
	}
	for _, one := range s.Shown() {
		if strings.Contains(one.Value, "hunter2") || one.Name == "CREDENTIAL_WIKI" && one.Value != "set" {
			t.Errorf("%+v", one)
		}
	}
}

// TestL10RefusedFiles checks the errors of files that cannot be used. They have the line and no values.
func TestL10RefusedFiles(t *testing.T) {
	for text, want := range map[string]string{
		"CRAWL_DELY: hunter2\n":                        `:1: there is no setting "CRAWL_DELY"; `,
		"# a\nCRAWL_ALLOWED_HOSTS: a\n":                "did you mean CRAWL_ALLOW_HOSTS?",
		"TIDEMARK_DATA: /x\n":                          "TIDEMARK_DATA is read from the environment only",
		"HTTPS_PROXY: http://x\n":                      "from the environment only",
		"TIDEMARK_SERVER: https://x\n":                 "from the environment only",
		"CREDENTIAL_<NAME>: x\n":                       "there is no setting",
		"PORT: 1\nPORT: hunter2\n":                     ":2: PORT: given again",
		"CRAWL_ALLOW_HOSTS: [hunter2]\n":               "write one value; several are separated by commas",
		"PORT: &a 1\nLISTEN: *a\n":                     "LISTEN: write one value",
		"PORT: {hunter2: 1}\n":                         "write one value",
		"- PORT\n":                                     "write a line NAME: value",
		"{PORT: 1}\n":                                  "write a line NAME: value",
		"PORT: 1\n---\nPORT: 2\n":                      "a second document",
		"PORT: 'hunter2\n":                             ConfigFile,
		"API_KEYS: \"a\\0b\"\n":                        "NUL",
		strings.Repeat("# hunter2\n", 7000):            "more than 65536 bytes",
		strings.Repeat("X: 1\n", 40):                   "and 20 more",
		"LIMIT_X: 1\nBASE_PATH: /a\nCRAWL_CONTCT: b\n": ":3: ",
	} {
		s := configured(t, text, nil)
		if !fault.Is(s.Err, fault.Invalid) || !strings.Contains(s.Err.Error(), want) ||
			strings.Contains(s.Err.Error(), "hunter2") {
			t.Errorf("%.40q: %v, want %q", text, s.Err, want)
		}
	}
	for _, text := range []string{"", "\n", "# nothing\n", "---\n", "---\n# x\nPORT: 1\n...\n"} {
		if s := configured(t, text, nil); s.Err != nil {
			t.Errorf("%q: %v", text, s.Err)
		}
	}
	missing := filepath.Join(t.TempDir(), "other.yaml")
	if s := ReadSources(env(map[string]string{configSetting: missing}), nil, ""); s.Err == nil || s.Path != missing {
		t.Errorf("%s: %v", s.Path, s.Err)
	}
}

// TestL10SecretsAreForTheirOwner checks that a file that others can read may have no secret.
func TestL10SecretsAreForTheirOwner(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no modes")
	}
	for text, refused := range map[string]bool{"PORT: 1\n": false, "SEARCH_API_KEY: k\n": true, "SECRETS_KEY:\n": false,
		"PORT: 1\nCREDENTIAL_A: secret hunter2\n": true, "API_KEYS: x\n": true} {
		dir := t.TempDir()
		file := filepath.Join(dir, ConfigFile)
		for mode, open := range map[os.FileMode]bool{0o600: false, 0o640: true, 0o604: true} {
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(file, mode); err != nil {
				t.Fatal(err)
			}
			s := ReadSources(env(nil), nil, dir)
			if (s.Err != nil) != (refused && open) || s.Err != nil && !strings.Contains(s.Err.Error(), "chmod 600 "+file) {
				t.Errorf("%q with %o: %v", text, mode, s.Err)
			}
			if _, err := s.Change("API_KEYS", "a"); open && !refused && err == nil {
				if c, _ := s.Change("API_KEYS", "a"); c.Save() == nil {
					t.Error("a secret was written where others read it")
				}
			}
		}
	}
}

// TestL10ChangesKeepTheRest checks that a change of the file keeps comments, order and empty lines.
func TestL10ChangesKeepTheRest(t *testing.T) {
	const text = "# head\n\n# the port\nPORT: 7071  # ours\n#LISTEN: 0.0.0.0\n\nAPI_KEYS: |\n  a read 1\n\n  # b\n" +
		"# after\nCRAWL_CONTACT: \"a\\\n  b\"\n  # indented\nSEARCH_INDEX:\n# end\n"
	for _, tt := range []struct{ name, value, was, is string }{
		{"PORT", "8080", "7071  # ours", "8080  # ours"}, {"PORT", "", "PORT: 7071  # ours\n", ""},
		{"LISTEN", "[::]:1", "#LISTEN: 0.0.0.0\n", "#LISTEN: 0.0.0.0\nLISTEN: '[::]:1'\n"},
		{"API_KEYS", "b read 2", " |\n  a read 1\n\n  # b\n", " b read 2\n"},
		{"API_KEYS", "a\nb", " |\n  a read 1\n\n  # b\n", " |-\n    a\n    b\n"},
		{"CRAWL_CONTACT", "me@a.example", "\"a\\\n  b\"", "me@a.example"},
		{"SEARCH_INDEX", "true", "SEARCH_INDEX:\n", "SEARCH_INDEX: true\n"},
		{"CRAWL_ALLOW_HOSTS", "*.lan, a # b", "# end\n", "# end\nCRAWL_ALLOW_HOSTS: '*.lan, a # b'\n"},
		{"CRAWL_CONTACT", " x", "\"a\\\n  b\"", "' x'"},
	} {
		s := configured(t, text, nil)
		c, err := s.Change(tt.name, tt.value)
		if err != nil || c.Save() != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		have, err := os.ReadFile(s.Path)
		want := strings.Replace(text, tt.was, tt.is, 1)
		if diff := cmp.Diff(want, string(have)); err != nil || diff != "" {
			t.Errorf("%s=%q: %v (-want +have)\n%s", tt.name, tt.value, err, diff)
		}
		again := ReadSources(env(nil), nil, filepath.Dir(s.Path))
		wanted := maps.Clone(s.file)
		if wanted[tt.name] = tt.value; tt.value == "" {
			delete(wanted, tt.name)
		}
		if again.Err != nil || !maps.Equal(again.file, wanted) || c.Get(tt.name) != tt.value {
			t.Errorf("%s: %v %v", tt.name, again.Err, again.file)
		}
	}
}

// TestL10ChangesThatAreRefused checks that nothing is written for a name that the file cannot have, for what the
// environment sets, and for a file that cannot be changed line by line.
func TestL10ChangesThatAreRefused(t *testing.T) {
	for _, tt := range []struct {
		text, name string
		kind       fault.Kind
		want       string
	}{
		{"", "CRAWL_DELAY", fault.Invalid, "did you mean CRAWL_M"}, {"", "TIDEMARK_DATA", fault.Invalid, "environment only"},
		{"", "CRAWL_CONTACT", fault.Conflict, "is set in the environment"},
		{"---\nPORT: 1\n...\n", "LISTEN", fault.Invalid, "in an editor"},
		{"NONE: 1\n", "PORT", fault.Invalid, "there is no setting"},
	} {
		s := configured(t, tt.text, map[string]string{"CRAWL_CONTACT": "x"})
		_, err := s.Change(tt.name, "1")
		if !fault.Is(err, tt.kind) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v", tt.name, err)
		}
		if have, _ := os.ReadFile(s.Path); string(have) != tt.text {
			t.Errorf("%s: written: %q", tt.name, have)
		}
	}
}

// TestL10FileKeepsItsPlace checks that a written file keeps its mode, and a link that leads to it.
func TestL10FileKeepsItsPlace(t *testing.T) {
	s := configured(t, "PORT: 1\n", nil)
	real := filepath.Join(t.TempDir(), "real.yaml")
	if err := os.Rename(s.Path, real); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(real, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, s.Path); err != nil {
		t.Fatal(err)
	}
	c, err := s.Change("PORT", "2")
	if err != nil || c.Save() != nil {
		t.Fatal(err)
	}
	link, _ := os.Lstat(s.Path)
	info, err := os.Stat(real)
	text, _ := os.ReadFile(real)
	if err != nil || link.Mode()&os.ModeSymlink == 0 || info.Mode().Perm() != 0o640 || string(text) != "PORT: 2\n" {
		t.Errorf("%v %v %v %q", err, link.Mode(), info.Mode(), text)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(real), ".*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestL10HandlerHasTheSettingsOfItsServer checks that a handler that starts again keeps the settings of the server's
// start, and knows which of them a person has set.
func TestL10HandlerHasTheSettingsOfItsServer(t *testing.T) {
	s := configured(t, "PORT: 8080\nSEARCH_INDEX: a\n", map[string]string{"CRAWL_CONTACT": "x"})
	name, value, _ := strings.Cut(s.Handed(), "=")
	if err := os.WriteFile(s.Path, []byte("PORT: 1\nBAD: 2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	h := ReadSources(env(map[string]string{name: value, "CRAWL_CONTACT": "x", "STORAGE": "embedded"}), nil, "")
	if h.Err != nil || h.Get("PORT") != "8080" || h.from("PORT") != "file" || h.from("CRAWL_CONTACT") != "environment" ||
		h.Get("STORAGE") != "embedded" || h.from("STORAGE") != "default" || h.Path != s.Path {
		t.Errorf("%+v", h)
	}
}

package ui

import (
	"encoding/json"
	"fmt"
	"image/png"
	"io/fs"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestU9Contrast checks that each pair of colours in docs/design.md is readable in light and dark mode (WCAG 2.2,
// 1.4.3).
func TestU9Contrast(t *testing.T) {
	css, err := fs.ReadFile(files, "static/style.css")
	if err != nil {
		t.Fatal(err)
	}
	schemes := regexp.MustCompile(`:root \{([^}]*--paper[^}]*)\}`).FindAllStringSubmatch(string(css), -1)
	if len(schemes) != 2 {
		t.Fatalf("%d schemes", len(schemes))
	}
	doc, err := os.ReadFile("../../docs/design.md")
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile("(?m)^\\| `(--[a-z-]+)`, [^|]*\\|(.*)\\|$")
	name := regexp.MustCompile("--[a-z-]+")
	pairs := 0
	for i, scheme := range schemes {
		colours := map[string]string{}
		for _, m := range regexp.MustCompile(`(--[a-z-]+): (#[0-9a-f]+)`).FindAllStringSubmatch(scheme[1], -1) {
			colours[m[1]] = m[2]
		}
		for _, m := range row.FindAllStringSubmatch(string(doc), -1) {
			for _, text := range name.FindAllString(m[2], -1) {
				pairs++
				if c := contrast(t, colours[text], colours[m[1]]); c < 4.5 {
					t.Errorf("scheme %d: %s on %s: %.2f", i+1, text, m[1], c)
				}
			}
		}
	}
	if pairs < 40 {
		t.Errorf("%d pairs", pairs)
	}
}

func contrast(t *testing.T, a, b string) float64 {
	x, y := luminance(t, a), luminance(t, b)
	return (max(x, y) + .05) / (min(x, y) + .05)
}

// luminance returns the relative luminance of WCAG 2.2.
func luminance(t *testing.T, colour string) float64 {
	t.Helper()
	hex := strings.TrimPrefix(colour, "#")
	if len(hex) == 3 {
		hex = string([]byte{hex[0], hex[0], hex[1], hex[1], hex[2], hex[2]})
	}
	n, err := strconv.ParseUint(hex, 16, 32)
	if err != nil || len(hex) != 6 {
		t.Fatalf("no colour: %q", colour)
	}
	part := func(v uint64) float64 {
		c := float64(v&255) / 255
		if c <= .04045 {
			return c / 12.92
		}
		return math.Pow((c+.055)/1.055, 2.4)
	}
	return .2126*part(n>>16) + .7152*part(n>>8) + .0722*part(n)
}

// TestU9OneStylesheet checks that no template has a style of its own, and that the stylesheet or the script knows
// each class in templates.
func TestU9OneStylesheet(t *testing.T) {
	var known strings.Builder
	for _, name := range []string{"style.css", "live.js"} {
		b, err := fs.ReadFile(files, "static/"+name)
		if err != nil {
			t.Fatal(err)
		}
		known.Write(b)
	}
	class := regexp.MustCompile(`class="([^"]*)"`)
	action := regexp.MustCompile(`\{\{[^}]*\}\}`)
	err := fs.WalkDir(files, "templates", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := fs.ReadFile(files, path)
		if strings.Contains(string(b), "style=") || strings.Contains(string(b), "<style") {
			t.Errorf("%s has a style of its own", path)
		}
		for _, m := range class.FindAllStringSubmatch(action.ReplaceAllString(string(b), " "), -1) {
			for c := range strings.FieldsSeq(m[1]) {
				if !strings.Contains(known.String(), "."+c) {
					t.Errorf("%s has the class %s, which nothing knows", path, c)
				}
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestU7Installable checks that the manifest names existing icons of the stated sizes, and that it starts at the
// first page.
func TestU7Installable(t *testing.T) {
	b, err := fs.ReadFile(files, "static/manifest.webmanifest")
	if err != nil {
		t.Fatal(err)
	}
	var m struct {
		Name  string
		Start string `json:"start_url"`
		Icons []struct{ Src, Sizes, Type string }
	}
	if err := json.Unmarshal(b, &m); err != nil || m.Name == "" || m.Start != "../" || len(m.Icons) < 3 {
		t.Fatalf("%+v, %v", m, err)
	}
	h := New(Options{})
	for _, icon := range m.Icons {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", Root+"/static/"+icon.Src, nil))
		if w.Code != http.StatusOK || w.Header().Get("Content-Type") != icon.Type {
			t.Errorf("%s: %d %s", icon.Src, w.Code, w.Header().Get("Content-Type"))
		}
		if icon.Type != "image/png" {
			continue
		}
		size, err := png.DecodeConfig(w.Body)
		if have := fmt.Sprintf("%dx%d", size.Width, size.Height); err != nil || have != icon.Sizes {
			t.Errorf("%s is %s, not %s: %v", icon.Src, have, icon.Sizes, err)
		}
	}
}

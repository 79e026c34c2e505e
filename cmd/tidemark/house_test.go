package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	unescape "html"
	"io"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	gocmp "github.com/google/go-cmp/cmp"
	xhtml "golang.org/x/net/html"

	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/form"
)

// house is the whole app with its three doors for people and programs: HTTP, the command line and the dashboard.
type house struct{ *archived }

// send sends a request, and returns the status and the text of the answer.
func (h house) send(method, path string, body any) (int, string) {
	h.t.Helper()
	text, err := json.Marshal(body)
	must(h.t, err)
	req, err := http.NewRequestWithContext(h.t.Context(), method, h.server+"/api/"+path, bytes.NewReader(text))
	must(h.t, err)
	res, err := http.DefaultClient.Do(req)
	must(h.t, err)
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	must(h.t, err)
	return res.StatusCode, string(answer)
}

// http sends a request and reads the answer into a value.
func (h house) http(method, path string, body, into any) {
	h.t.Helper()
	status, answer := h.send(method, path, body)
	if status >= 300 {
		h.t.Fatalf("%s %s %+v: %d %s", method, path, body, status, answer)
	}
	must(h.t, json.Unmarshal([]byte(answer), into))
}

// run runs a command, and returns its exit code and what it prints.
func (h house) run(args ...string) (int, string) {
	var out bytes.Buffer
	p := &terminal.Terminal{Out: &out, Err: &out, In: strings.NewReader(""), Name: "tidemark", Now: time.Now}
	getenv := func(name string) string { return map[string]string{"TIDEMARK_SERVER": h.server}[name] }
	code := run(h.t.Context(), p, getenv, args)
	return code, out.String()
}

// command runs a command and returns what it prints.
func (h house) command(args ...string) string {
	h.t.Helper()
	code, out := h.run(args...)
	if code != 0 {
		h.t.Fatalf("%q: %d %s", args, code, out)
	}
	return out
}

// page returns a page of the dashboard.
func (h house) page(path string) string {
	h.t.Helper()
	res, err := http.Get(h.server + "/api/ui" + path)
	must(h.t, err)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	must(h.t, err)
	if res.StatusCode != http.StatusOK {
		h.t.Fatalf("%s: %d %s", path, res.StatusCode, text)
	}
	return string(text)
}

// seen returns a page as a person reads it: its text, with the values of its inputs, and without what is not chosen.
func (h house) seen(path string) string { return visible(h.t, h.page(path)) }

func visible(t *testing.T, html string) string {
	t.Helper()
	doc, err := goquery.NewDocumentFromReader(strings.NewReader(html))
	must(t, err)
	doc.Find("script, datalist, option:not([selected])").Remove()
	doc.Find("input[type=checkbox]:not([checked])").Each(func(_ int, box *goquery.Selection) {
		box.Closest("label").Remove()
	})
	doc.Find("input:not([type]), input[type=number]").Each(func(_ int, in *goquery.Selection) {
		in.ReplaceWithNodes(&xhtml.Node{Type: xhtml.TextNode, Data: " " + in.AttrOr("value", "") + " "})
	})
	return doc.Text()
}

var shownAtFirst = regexp.MustCompile(`name="was" value="([^"]*)"`)

// post types values into the form at a path, which has what it showed at first, and returns the answer.
func (h house) post(path string, typed url.Values) (int, string) {
	h.t.Helper()
	if was := shownAtFirst.FindStringSubmatch(h.page(path)); was != nil {
		typed.Set("was", unescape.UnescapeString(was[1]))
	}
	return h.submit(path, typed)
}

// submit sends a form, and returns the answer as a person reads it.
func (h house) submit(path string, typed url.Values) (int, string) {
	h.t.Helper()
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.PostForm(h.server+"/api/ui"+path, typed)
	must(h.t, err)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	must(h.t, err)
	return res.StatusCode, visible(h.t, string(text))
}

// save types values into the form at a path, and saves it.
func (h house) save(path string, typed url.Values) {
	h.t.Helper()
	if !typed.Has("do") {
		typed.Set("do", "save")
	}
	if status, text := h.post(path, typed); status != http.StatusSeeOther {
		h.t.Fatalf("%s: %d %s", path, status, text)
	}
}

// formats have a value of each format that a description names, and a wrong one.
var formats = map[string][2]string{"length": {"3h", "x"}, "zone": {"Asia/Tokyo", "Mars"}, "clock": {"07:30", "25:99"},
	"rule": {"^x", strings.Repeat("x", 501)}, "size": {"800x600", "1x1"}, "languages": {"de", "?"},
	"host": {"b.example", "a b"}, "lines": {"one\ntwo", ""}}

// arguments have a value of each kind of text that a flag takes.
var arguments = map[string]string{"SELECTOR": "#x", "EXPRESSION": "^x", "URL": "https://b.example/x",
	"PATTERN": "/x/**", "SEARCH": "tag=sea"}

// valueOf returns a value of a setting, made of its description.
func valueOf(f form.Field) any {
	text := cmp.Or(arguments[f.Argument], formats[f.Format][0], "some")
	var chosen []string
	for _, c := range f.Choices {
		chosen = append(chosen, c.Value)
	}
	if n := len(chosen); n > 0 {
		text = chosen[n-1]
	}
	t := f.Type
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case f.Switch:
		return api.Patch{}
	case f.Format == "list":
		return strings.Join(chosen[:2], ",")
	case t.Kind() == reflect.Slice && len(chosen) > 1:
		return chosen[:2]
	case t.Kind() == reflect.Slice:
		return []string{text}
	case t.Kind() == reflect.Bool:
		return true
	case t.Kind() == reflect.Int:
		return max(f.Max-1, 1)
	case t.Kind() == reflect.Float64:
		return 0.25
	}
	return text
}

// tooMany returns more entries than a list may have by its description; nil for what is no list of free texts.
func tooMany(f form.Field) (all []string) {
	one, isList := valueOf(f).([]string)
	for i := range f.Most + 1 {
		if isList && f.Most > 0 && len(f.Choices) == 0 {
			all = append(all, one[0]+strconv.Itoa(i))
		}
	}
	return all
}

// wrongOf returns a value that a setting may not have by its description; nil if it may have any.
func wrongOf(f form.Field) any {
	t := f.Type
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	var wrong any
	switch bad := formats[f.Format][1]; {
	case len(f.Choices) > 0 && f.Format != "weekday":
		wrong = "nonsense"
	case f.Max > 0:
		return f.Max + 1
	case f.Format == "share":
		return 2
	case bad != "":
		wrong = bad
	default:
		return nil
	}
	if t.Kind() == reflect.Slice {
		wrong = []any{wrong}
	}
	return wrong
}

// sampleOf returns settings with a value for each leaf, made of its description, or a particular one: nil for none.
func sampleOf[T any](t *testing.T, particular map[string]any) (out T) {
	t.Helper()
	p := api.Patch{}
	for _, f := range form.Of[T]().Fields {
		if _, isLeaf := form.Inputs(out)[f.Path]; !isLeaf {
			continue
		}
		value, given := particular[f.Path]
		if !given {
			value = valueOf(f)
		}
		top, _, _ := strings.Cut(f.Path, ".")
		if whole, given := particular[top]; given {
			value = whole
			f.Path = top
		}
		if value != nil && !(f.Switch && p.Sets(f.Path)) {
			p.Set(value, strings.Split(f.Path, ".")...)
		}
	}
	text, err := json.Marshal(p)
	must(t, err)
	must(t, json.Unmarshal(text, &out))
	return out
}

// parsed reads settings from JSON.
func parsed[T any](t *testing.T, texts ...string) (all []T) {
	t.Helper()
	for _, text := range texts {
		var one T
		must(t, json.Unmarshal([]byte(text), &one))
		all = append(all, one)
	}
	return all
}

// flagsOf returns the flags that set what settings have, besides what the command sets by default.
func flagsOf[T any](s T) (args []string) {
	typed, usual := form.Inputs(s), form.Inputs(*new(T))
	for _, f := range form.Of[T]().Fields {
		values, isLeaf := typed[f.Path]
		if f.Flag == "" || isLeaf && slices.Equal(values, usual[f.Path]) {
			continue
		}
		for _, value := range values {
			for line := range strings.SplitSeq(value, "\n") {
				switch f.Format {
				case "lines":
					line = value
				case "share":
					n, _ := strconv.ParseFloat(line, 64)
					line = strconv.FormatFloat(n/100, 'g', -1, 64)
				}
				if flag := "--" + f.Flag + "=" + line; line != "" && !slices.Contains(args, flag) {
					args = append(args, flag)
				}
			}
		}
		for sep, ends := range map[string][2]string{"..": {"min", "max"}, "-": {"from", "to"}, "": {"text", "cron"}} {
			least, most := typed.Get(f.Path+"."+ends[0]), typed.Get(f.Path+"."+ends[1])
			if least+most != "" && !isLeaf && f.Flag != "when" {
				args = append(args, "--"+f.Flag+"="+least+sep+most)
			}
		}
	}
	return args
}

// shownOf returns what is to be read of each leaf that is set: its value, or of a switch that is on its label.
func shownOf[T any](s T) map[string]string {
	out, usual := map[string]string{}, form.Inputs(*new(T))
	for path, values := range form.Inputs(s) {
		f, _ := form.Of[T]().Field(path)
		for _, value := range values {
			if f.Type.Kind() == reflect.Slice {
				value = strings.ReplaceAll(value, ", ", "\n")
			}
			for line := range strings.SplitSeq(value, "\n") {
				switch {
				case line == "" || slices.Equal(values, usual[path]):
				case f.IsSwitch():
					out[path] = f.Label
				case f.Type.Kind() == reflect.Int:
					n, _ := strconv.Atoi(line)
					out[path] = words.Thousands(n)
				default:
					out[path+" "+line] = f.Text(line)
				}
			}
		}
	}
	return out
}

// lost returns the paths of the settings that one value has and another has not, a part of an object by itself.
func lost[T any](was, is T) (paths []string) {
	before, after, usual := form.Inputs(was), form.Inputs(is), form.Inputs(*new(T))
	for _, path := range slices.Sorted(maps.Keys(before)) {
		within := func(whole string) bool { return strings.HasPrefix(path, whole+".") }
		if !slices.Equal(before[path], usual[path]) && slices.Equal(after[path], usual[path]) &&
			!slices.ContainsFunc(paths, within) {
			paths = append(paths, path)
		}
	}
	return paths
}

// patchOf returns the patch that has settings, and removes others.
func patchOf(t *testing.T, s any, null []string) api.Patch {
	t.Helper()
	text, err := json.Marshal(s)
	must(t, err)
	p, err := api.ParsePatch(text)
	must(t, err)
	for _, path := range null {
		p.Set(nil, strings.Split(path, ".")...)
	}
	return p
}

// clearing returns the flags that remove settings.
func clearing(null []string) (args []string) {
	for _, path := range null {
		args = append(args, "--clear", path)
	}
	return args
}

// readers are what other doors show of a thing.
type readers[T any] struct {
	http          func() T
	command, page func() string
	said, seen    func(T) map[string]string // what is to be read there
}

// throughEachDoor writes samples, which together have each leaf apart from some, through each door in turn, and reads
// them through each other.
func throughEachDoor[T any](t *testing.T, samples []T, writers map[string]func(s T, null []string), r readers[T],
	apart ...string) {
	t.Helper()
	for path, usual := range form.Inputs(*new(T)) {
		has := func(s T) bool { return !slices.Equal(form.Inputs(s)[path], usual) }
		if !slices.Contains(apart, path) && !slices.ContainsFunc(samples, has) {
			t.Errorf("no sample has %s", path)
		}
	}
	for _, door := range slices.Sorted(maps.Keys(writers)) {
		last := samples[len(samples)-1]
		for _, want := range samples {
			writers[door](want, lost(last, want))
			last = want
			readThrough(t, door, want, r)
		}
	}
}

// readThrough checks that each door shows settings that another one has set.
func readThrough[T any](t *testing.T, door string, want T, r readers[T]) {
	t.Helper()
	if diff := gocmp.Diff(want, r.http()); diff != "" {
		t.Fatalf("%T, by %s (-want +have):\n%s", want, door, diff)
	}
	check := func(where, have string, want map[string]string) {
		t.Helper()
		for path, text := range want {
			if !strings.Contains(strings.ToLower(have), strings.ToLower(text)) {
				t.Errorf("%s, by %s: %q is not at the %s:\n%s", path, door, text, where, have)
			}
		}
	}
	check("command line", r.command(), r.said(want))
	check("dashboard", r.page(), r.seen(want))
}

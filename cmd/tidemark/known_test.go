package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/handlers/ui"
	"github.com/tidemark/tidemark/pkg/api"
)

// fillAll sets every field, with texts that can be recognised, but for the marks of further pages.
func fillAll(v reflect.Value, n *int) {
	*n++
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fillAll(v.Elem(), n)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fillAll(v.Index(0), n)
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fillAll(key, n)
		fillAll(value, n)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(noon))
			return
		}
		for i := range v.NumField() {
			if name := v.Type().Field(i).Name; v.Field(i).CanSet() && name != "Continuation" {
				fillAll(v.Field(i), n)
			}
		}
	case reflect.Interface:
		v.Set(reflect.ValueOf(fmt.Sprintf("word%d", *n)))
	case reflect.String:
		v.SetString(fmt.Sprintf("word%d", *n))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Float32, reflect.Float64:
		v.SetFloat(.5)
	default:
		v.SetInt(int64(*n))
	}
}

// full is an API that answers each question with all that the answer may have.
func full(t *testing.T) (server *httptest.Server, item api.ItemDetail) {
	mux := http.NewServeMux()
	for _, e := range api.Routes() {
		at := slices.IndexFunc(e.Answers, func(a reflect.Type) bool { return a.Kind() == reflect.Struct })
		if at < 0 {
			continue
		}
		answer, n := reflect.New(e.Answers[at]), 100
		fillAll(answer.Elem(), &n)
		body, err := json.Marshal(answer.Interface())
		must(t, err)
		if of, is := answer.Interface().(*api.ItemDetail); is {
			item = *of
		}
		method, path, _ := strings.Cut(e.Pattern(), " ")
		mux.HandleFunc(method+" /api/"+path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write(body)
		})
	}
	server = httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server, item
}

// goValue is how Go prints a value that no words were found for.
var goValue = regexp.MustCompile(`<nil>|map\[|\{0x|%!|&\{|0xc0|\{word|\[word\d+ |\[\{`)

// unescaped replaces what stands in HTML for signs by which Go values are known.
var unescaped = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&")

// TestV4NoGoValueIsPrinted checks that commands and pages put every field of an item, a tag, a change and a result into
// words, and that both have all texts of an item (V4).
func TestV4NoGoValueIsPrinted(t *testing.T) {
	server, item := full(t)
	id := "url_" + strings.Repeat("a", 26)
	look := func(door, text string) string {
		if bad := goValue.FindStringIndex(text); bad != nil {
			t.Errorf("%s prints %q", door, text[max(0, bad[0]-60):min(len(text), bad[1]+60)])
		}
		return text
	}
	shown := map[string]string{}
	for _, line := range []string{"show " + id, "show --all " + id, "why " + id, "fields " + id,
		"fields " + id + " price", "items", "tag list", "tag show shop", "changes", "changes why 1", "search x",
		"retrieve x", "diff " + id, "pick " + id,
		"pick " + id + " --element 3", "pick " + id + " --element 3 --save", "watch " + id + " --priority 3",
		"watch " + id + " --undo", "tag set shop --priority 3"} {
		var out, errOut bytes.Buffer
		p := &terminal.Terminal{In: strings.NewReader(""), Out: &out, Err: &errOut, Name: "tidemark", Pager: "cat",
			Now: func() time.Time { return noon }, Sleep: func(context.Context, time.Duration) error { return nil }}
		env := func(name string) string { return map[string]string{"TIDEMARK_SERVER": server.URL}[name] }
		if code := run(t.Context(), p, env, strings.Fields(line)); code != 0 {
			t.Errorf("%s: exit code %d\n%s", line, code, &errOut)
		}
		shown[line] = look(line, out.String()+errOut.String())
	}
	dashboard := ui.New(ui.Options{Client: api.NewClient(server.URL, "", nil)})
	for _, path := range []string{"/items/" + id, "/items/" + id + "/experts", "/tell?more=page&item=" + id,
		"/items/" + id + "/diff",
		"/items/" + id + "/pick", "/items/" + id + "/pick?element=3", "/items/" + id + "/fields/price",
		"/items/" + id + "/read", "/items", "/tags", "/tags/shop", "/",
		"/changes/1", "/search?q=x"} {
		w := httptest.NewRecorder()
		dashboard.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", ui.Root+path, nil))
		if w.Code != http.StatusOK {
			t.Errorf("%s: %d\n%s", path, w.Code, w.Body)
		}
		shown[path] = look(path, unescaped.Replace(w.Body.String()))
	}
	of := reflect.ValueOf(item.Item)
	for f := range of.Type().Fields() {
		if f.Type.Kind() == reflect.String {
			for _, door := range []string{"show " + id, "/items/" + id + "/experts"} {
				if word := of.FieldByIndex(f.Index).String(); !strings.Contains(shown[door], word) {
					t.Errorf("%s: %s is missing", door, f.Name)
				}
			}
		}
	}
}

package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/tidemark/tidemark/pkg/api"
)

// answered returns the answers to lines of a server over standard input.
func answered(t *testing.T, input string) (answers []string) {
	t.Helper()
	in, feed := io.Pipe()
	out, said := io.Pipe()
	done := make(chan error, 1)
	server := New(Options{Client: api.NewClient("http://127.0.0.1:1", "", nil), Version: "1"})
	go func() {
		err := server.Run(t.Context(), Piped(in, said))
		said.Close()
		done <- err
	}()
	go func() { // the last message is a ping, whose answer is awaited
		_, _ = io.WriteString(feed, input+"\n"+`{"jsonrpc":"2.0","id":"last","method":"ping"}`+"\n")
	}()
	d, last := json.NewDecoder(out), false
	for {
		var one json.RawMessage
		err := d.Decode(&one)
		if err == io.EOF && last {
			break
		}
		if err != nil {
			t.Fatalf("after %q: %v", answers, err)
		}
		if strings.Contains(string(one), `"last"`) {
			last = true
			feed.Close()
		} else {
			answers = append(answers, string(one))
		}
	}
	select {
	case err := <-done:
		if err != nil {
			t.Errorf("at the end of the input: %v", err)
		}
	case <-time.After(10 * time.Second):
		t.Error("the server does not end with its input")
	}
	return answers
}

const hello = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",` +
	`"capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`

func ping(id any) string { return fmt.Sprintf(`{"jsonrpc":"2.0","id":%v,"method":"ping"}`, id) }

// TestY12EndOfInput checks that requests are answered although the input ends right after them (Y12).
func TestY12EndOfInput(t *testing.T) {
	for range 20 { // without the wait, an answer is lost now and then
		var out bytes.Buffer
		server := New(Options{Client: api.NewClient("http://127.0.0.1:1", "", nil), Version: "1"})
		in := hello + "\n" + ping(1) + "\n[" + ping(2) + "," + ping(3) + "]\n"
		if err := server.Run(t.Context(), Piped(strings.NewReader(in), &out)); err != nil {
			t.Fatal(err)
		}
		for id := range 4 {
			if !strings.Contains(out.String(), fmt.Sprintf(`"id":%d,"result"`, id)) {
				t.Fatalf("request %d has no answer:\n%s", id, out.String())
			}
		}
	}
}

// TestY12BadLines checks that no line ends the server over standard input, and that each is answered (Y12).
func TestY12BadLines(t *testing.T) {
	ok := func(id any) string { return fmt.Sprintf(`"id":%v,"result"`, id) }
	for name, tc := range map[string]struct {
		lines string
		want  []string // parts of the answers
	}{
		"no JSON":              {"not json\n" + ping(1), []string{`"id":null,"error":{"code":-32700`, ok(1)}},
		"a mark":               {"\ufeff" + ping(1), []string{ok(1)}},
		"blank lines and CRLF": {"\r\n\n" + ping(1) + "\r\n", []string{ok(1)}},
		"over several lines":   {"{\n  \"jsonrpc\": \"2.0\",\n  \"id\": 1,\n\n  \"method\": \"ping\"\n}", []string{ok(1)}},
		"two in a line":        {ping(1) + ping(2), []string{ok(1), ok(2)}},
		"cut off":              {`{"jsonrpc":` + "\n" + ping(1), []string{`"code":-32700`, ok(1)}},
		"cut off in a list":    {`[{"jsonrpc":"2.0",` + "\n" + ping(1) + "\n" + ping(2), []string{"-32700", ok(1), ok(2)}},
		"a stray bracket":      {"[\n" + ping(1) + "\n" + ping(2), []string{"-32700", ok(1), ok(2)}},
		"more after a batch":   {"[\n" + ping(1) + "] x\n" + ping(2), []string{"-32700", ok(1), ok(2)}},
		"a number":             {"42\n" + ping(1), []string{`"id":null,"error":{"code":-32600`, ok(1)}},
		"another version": {`{"jsonrpc":"1.0","id":7,"method":"ping"}` + "\n" + ping(1),
			[]string{`"id":7,"error":{"code":-32600`, ok(1)}},
		"an odd id": {`{"jsonrpc":"2.0","id":{},"method":"ping"}` + "\n" + ping(1),
			[]string{`"id":null,"error":{"code":-32600`, ok(1)}},
		"an unknown method":    {`{"jsonrpc":"2.0","id":1,"method":"foo/bar"}`, []string{`"code":-32601`}},
		"an unknown notice":    {`{"jsonrpc":"2.0","method":"foo/bar"}` + "\n" + ping(1), []string{ok(1)}},
		"a batch":              {"[" + ping(1) + "," + ping(2) + "]", []string{"[", ok(1), ok(2), "]"}},
		"a batch over lines":   {"[\n" + ping(1) + ",\n" + ping(2) + "\n]", []string{"[", ok(1), ok(2), "]"}},
		"a batch with a fault": {`[3,` + ping(2) + "]", []string{"[", `-32600`, ok(2), "]"}},
		"a batch of notices":   {`[{"jsonrpc":"2.0","method":"notifications/initialized"}]`, nil},
		"an empty batch":       {"[]", []string{`"code":-32600`}},
		"a large batch":        {"[" + strings.Repeat("1,", 20) + "1]", []string{`21 messages`}},
		"an id twice":          {"[" + ping(1) + "," + ping(1) + "]", []string{"[", `-32600`, "]"}},
		"a line without end":   {strings.Repeat("x", maxLine+1) + "\n" + ping(1), []string{`"code":-32700`, ok(1)}},
	} {
		all := answered(t, hello+"\n"+`{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"+tc.lines)
		first := slices.IndexFunc(all, func(a string) bool { return strings.Contains(a, "protocolVersion") })
		if first < 0 {
			t.Fatalf("%s: the server does not say hello: %q", name, all)
		}
		have := strings.Join(slices.Delete(all, first, first+1), "\n")
		for _, part := range tc.want {
			if n := strings.Count(have, part); n == 0 || n > 1 && strings.HasSuffix(part, `"result"`) {
				t.Errorf("%s: %s is there %d times in\n%s", name, part, n, have)
			}
		}
		if twice := strings.Contains(have, "has no answer yet"); twice != (name == "an id twice") {
			t.Errorf("%s: a message was read twice: %v\n%s", name, twice, have)
		}
		if len(tc.want) == 0 && have != "" {
			t.Errorf("%s: %s", name, have)
		}
	}
}

// TestY12Arguments checks what is accepted instead of the types of a tool's input (Y12).
func TestY12Arguments(t *testing.T) {
	type input struct {
		Words string   `json:"words"`
		Top   int      `json:"top,omitempty"`
		Tags  []string `json:"tags,omitempty"`
		fresh
	}
	for given, want := range map[string]string{
		`{"words":"tide","top":null,"tags":null}`: `{"words":"tide"}`,
		`{"words":7,"top":"5","recheck":"true"}`:  `{"recheck":true,"top":5,"words":"7"}`,
		`{"top":5.0,"tags":"x"}`:                  `{"tags":["x"],"top":5}`,
		`{"tags":"[\"a\",\"b\"]","maxAge":7}`:     `{"maxAge":"7","tags":["a","b"]}`,
		`{"tags":"[draft","top":"2"}`:             `{"tags":["[draft"],"top":2}`,
		`"{words"`:                                `"{words"`,
		`{"tags":["a",1]}`:                        `{"tags":["a","1"]}`,
		`"{\"words\":\"tide\"}"`:                  `{"words":"tide"}`,
		`null`:                                    `{}`,
		``:                                        `{}`,
		`{"top":"many","recheck":"often","odd":[]}`: `{"odd":[],"recheck":"often","top":"many"}`,
		`{"top":1.5,"words":{"a":1}}`:               `{"top":1.5,"words":{"a":1}}`,
		`[1]`:                                       `[1]`,
	} {
		if have := fitted(reflect.TypeFor[input](), json.RawMessage(given)); string(have) != want {
			t.Errorf("%s: have %s, want %s", given, have, want)
		}
	}
}

// FuzzPiped checks that any input is answered by lines of JSON, and that a message after it is read (Y12).
func FuzzPiped(f *testing.F) {
	f.Add("[\n{\"jsonrpc\"\n:1,")
	f.Add("\ufeff{}{]")
	f.Fuzz(func(t *testing.T, input string) {
		var out bytes.Buffer
		conn, _ := Piped(strings.NewReader(input+"\n"+ping(`"end"`)+"\n"+ping(`"end"`)+"\n"), &out).Connect(t.Context())
		read := 0
		for {
			m, err := conn.Read(t.Context())
			if err != nil {
				break
			}
			read++
			if calls(m) {
				_ = conn.Write(t.Context(), &jsonrpc.Response{ID: m.(*jsonrpc.Request).ID, Result: json.RawMessage("{}")})
			}
		}
		if strings.Count(input, "[")+strings.Count(input, "{") == 0 && read == 0 {
			t.Errorf("%q: nothing was read", input)
		}
		for line := range strings.Lines(out.String()) {
			if !json.Valid([]byte(line)) {
				t.Errorf("%q: answered by %q", input, line)
			}
		}
	})
}

package openai

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/llm/llmtest"
	"pgregory.net/rapid"
)

// rig is a model behind a client whose pauses take no time.
type rig struct {
	*llmtest.Server
	model  *Embedder
	client *Client
	pauses []time.Duration
	log    bytes.Buffer
}

func newRig(t *testing.T, adjust ...func(*Options)) *rig {
	t.Helper()
	r := &rig{Server: llmtest.NewServer(t, "tide-embed", 8)}
	o := Options{
		BaseURL: r.URL + "/", Key: llmtest.Key,
		Log: slog.New(slog.NewTextHandler(&r.log, nil)),
		Sleep: func(ctx context.Context, d time.Duration) error {
			r.pauses = append(r.pauses, d)
			return ctx.Err()
		},
		Now:    func() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) },
		Jitter: func() float64 { return 0 },
	}
	for _, a := range adjust {
		a(&o)
	}
	var err error
	if r.client, err = New(o); err != nil {
		t.Fatal(err)
	}
	r.model = r.client.Embedder("tide-embed")
	return r
}

func texts(n int) (out []string) {
	for i := range n {
		out = append(out, fmt.Sprintf("text %d", i))
	}
	return out
}

// check compares each vector with the expected one of its text.
func check(t *testing.T, texts []string, vectors [][]float32) {
	t.Helper()
	if len(vectors) != len(texts) {
		t.Fatalf("have %d vectors, want %d", len(vectors), len(texts))
	}
	for i, text := range texts {
		if !slices.EqualFunc(vectors[i], llmtest.Vector(text, 8), near) {
			t.Fatalf("vector %d is not that of %.40q", i, text)
		}
	}
}

func near(a, b float32) bool { return a-b < 1e-5 && b-a < 1e-5 }

func TestEmbed(t *testing.T) {
	r := newRig(t)
	if r.model.Model() != "tide-embed" || r.model.Dimension() != 0 {
		t.Errorf("model %q, dimension %d before the first answer", r.model.Model(), r.model.Dimension())
	}
	want := texts(5)
	vectors, err := r.model.Embed(t.Context(), want)
	if err != nil {
		t.Fatal(err)
	}
	check(t, want, vectors)
	if u := r.client.usage(); u != (usage{Requests: 1, Tokens: 10}) || r.model.Dimension() != 8 {
		t.Errorf("usage %+v, dimension %d", u, r.model.Dimension())
	}
	if vectors, err := r.model.Embed(t.Context(), nil); len(vectors) > 0 || err != nil || r.Requests() != 1 {
		t.Errorf("nothing asked: %d vectors, %v, %d requests", len(vectors), err, r.Requests())
	}
	if _, err := r.model.Embed(t.Context(), []string{"a", " \n"}); !fault.Is(err, fault.Invalid) || r.Requests() != 1 {
		t.Errorf("a blank text: %v, %d requests", err, r.Requests())
	}
}

// TestEmbedKeepsOrder checks that each text gets its vector, for any number and size of texts, and that no request
// exceeds the bounds.
func TestEmbedKeepsOrder(t *testing.T) {
	r := newRig(t)
	r.MaxInputs = batchTexts
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 60).Draw(rt, "texts")
		var want []string
		for i := range n {
			want = append(want,
				fmt.Sprintf("text %d %s", i, strings.Repeat("潮", rapid.SampledFrom([]int{0, 1, 900}).Draw(rt, "length"))))
		}
		r.MaxRunes = 5000
		var faults []llmtest.Fault
		for range rapid.IntRange(0, 3).Draw(rt, "disorderly answers") {
			faults = append(faults, llmtest.Disorder)
		}
		r.Break(faults...)
		vectors, err := r.model.Embed(t.Context(), want)
		if err != nil {
			rt.Fatal(err)
		}
		check(t, want, vectors)
	})
}

// TestEmbedIsBounded checks that there are as few requests as their bounds allow, at most four at once, and no more
// after a failure.
func TestEmbedIsBounded(t *testing.T) {
	long := slices.Repeat([]string{strings.Repeat("潮", 5000)}, 8)
	for _, tc := range []struct {
		name  string
		texts []string
		want  int
	}{
		{"32 texts", texts(100), 4},
		{"16,000 tokens", long, 3},
		{"one text of more", []string{strings.Repeat("潮", 8000) + strings.Repeat("tide", 8000), "b"}, 2},
	} {
		r := newRig(t)
		r.MaxRunes = 100_000
		if _, err := r.model.Embed(t.Context(), tc.texts); err != nil || r.Requests() != tc.want {
			t.Errorf("%s: %d requests, %v", tc.name, r.Requests(), err)
		}
	}

	r := newRig(t)
	r.Break(slices.Repeat([]llmtest.Fault{func(http.ResponseWriter, *llmtest.Answer) bool {
		time.Sleep(2 * time.Millisecond)
		return false
	}}, 30)...)
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			if _, err := r.model.Embed(t.Context(), texts(320)); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if most := r.MostAtOnce(); most > 4 {
		t.Errorf("%d requests at once", most)
	}

	r = newRig(t)
	r.Break(slices.Repeat([]llmtest.Fault{llmtest.Status(429, "3600")}, 10)...)
	if _, err := r.model.Embed(t.Context(), texts(320)); !fault.Is(err, fault.Throttled) || r.Requests() > 4 {
		t.Errorf("%d requests after a failure, %v", r.Requests(), err)
	}
}

// TestEmbedTriesAgain checks that temporary failures are retried after the pause that the service asks for.
func TestEmbedTriesAgain(t *testing.T) {
	status := llmtest.Status
	for _, tc := range []struct {
		name   string
		faults []llmtest.Fault
		pauses []time.Duration
		kind   fault.Kind
		after  time.Duration
	}{
		{name: "429 in seconds", faults: []llmtest.Fault{status(429, "7")}, pauses: []time.Duration{7 * time.Second}},
		{name: "429 in a fraction", faults: []llmtest.Fault{status(429, "0.25")},
			pauses: []time.Duration{250 * time.Millisecond}},
		{name: "429 until a date", faults: []llmtest.Fault{status(429, "Sun, 01 Mar 2026 12:00:09 GMT")},
			pauses: []time.Duration{9 * time.Second}},
		{name: "429 without a word", faults: []llmtest.Fault{status(429, "")}, pauses: []time.Duration{time.Second / 2}},
		{name: "429 for long is the caller's", faults: []llmtest.Fault{status(429, "3600")}, kind: fault.Throttled,
			after: time.Hour},
		{name: "500 twice", faults: []llmtest.Fault{status(500, ""), status(502, "")},
			pauses: []time.Duration{time.Second / 2, time.Second}},
		{name: "503 with a pause", faults: []llmtest.Fault{status(503, "3")}, pauses: []time.Duration{3 * time.Second}},
		{name: "a broken connection", faults: []llmtest.Fault{llmtest.Cut}, pauses: []time.Duration{time.Second / 2}},
		{
			name: "four times 500", faults: []llmtest.Fault{status(500, ""), status(500, ""), status(500, ""), status(500, "")},
			pauses: []time.Duration{time.Second / 2, time.Second, 2 * time.Second}, kind: fault.Unavailable,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := newRig(t)
			r.Break(tc.faults...)
			vectors, err := r.model.Embed(t.Context(), []string{"tide"})
			if fault.KindOf(err) != tc.kind || fault.RetryAfter(err) != tc.after {
				t.Errorf("have %v (%v), want %q after %v", err, fault.RetryAfter(err), tc.kind, tc.after)
			}
			if diff := cmp.Diff(tc.pauses, r.pauses); diff != "" {
				t.Errorf("pauses (-want +have):\n%s", diff)
			}
			if tc.kind == "" {
				check(t, []string{"tide"}, vectors)
			}
		})
	}
}

// TestEmbedRefusals checks that permanent failures are reported at once and name the setting, and that no vector of a
// wrong answer is used.
func TestEmbedRefusals(t *testing.T) {
	for _, tc := range []struct {
		name   string
		fault  llmtest.Fault
		adjust func(*Options)
		model  string
		kind   fault.Kind
		says   string
	}{
		{name: "another key", adjust: func(o *Options) { o.Key = "sk-other" }, kind: fault.Blocked,
			says: "LITELLM_MASTER_KEY"},
		{name: "no key", adjust: func(o *Options) { o.Key = "" }, kind: fault.Blocked, says: "LITELLM_MASTER_KEY"},
		{name: "forbidden", fault: llmtest.Status(403, ""), kind: fault.Blocked, says: "LITELLM_MASTER_KEY"},
		{name: "another model", model: "other", kind: fault.Invalid, says: "EMBEDDINGS_MODEL"},
		{name: "another path", adjust: func(o *Options) { o.BaseURL += "x" }, kind: fault.Invalid, says: "OPENAI_BASE_URL"},
		{name: "redirected", fault: llmtest.Redirect("https://elsewhere.example/v1/embeddings"), kind: fault.Invalid,
			says: "OPENAI_BASE_URL"},
		{name: "nobody there", adjust: func(o *Options) { o.BaseURL = "http://127.0.0.1:1/v1" }, kind: fault.Unavailable,
			says: "OPENAI_BASE_URL"},
		{name: "a page", fault: llmtest.NotJSON, kind: fault.Unavailable, says: "answer"},
		{name: "a vector missing", fault: llmtest.Missing, kind: fault.Unavailable, says: "1 vectors for 2 texts"},
		{name: "no index", fault: llmtest.NoIndex, kind: fault.Unavailable, says: "which text"},
		{name: "an index of none", fault: llmtest.WrongIndex, kind: fault.Unavailable, says: "which text"},
		{name: "base64 unasked", fault: llmtest.Base64, kind: fault.Unavailable, says: "answer"},
		{name: "a number missing", fault: llmtest.Shorter, kind: fault.Unavailable, says: "7 numbers"},
		{name: "zeros", fault: llmtest.Zeros, kind: fault.Unavailable, says: "direction"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := newRig(t, func(o *Options) {
				if tc.adjust != nil {
					tc.adjust(o)
				}
			})
			if tc.fault != nil {
				r.Break(tc.fault)
			}
			if tc.model != "" {
				r.model = r.client.Embedder(tc.model)
			}
			vectors, err := r.model.Embed(t.Context(), texts(2))
			if !fault.Is(err, tc.kind) || !strings.Contains(err.Error(), tc.says) {
				t.Errorf("have %v (%s), want %s that says %q", err, fault.KindOf(err), tc.kind, tc.says)
			}
			if len(vectors) != 2 || vectors[0] != nil || vectors[1] != nil || r.model.Dimension() != 0 {
				t.Errorf("something of the answer is believed: %v, dimension %d", vectors, r.model.Dimension())
			}
			if said := fmt.Sprint(err, r.log.String()); strings.Contains(said, llmtest.Key) ||
				strings.Contains(said, "sk-other") {
				t.Errorf("the key is told: %s", said)
			}
		})
	}
}

// TestDimension checks that a model has one dimension: that of its name, or of its first answer.
func TestDimension(t *testing.T) {
	r := newRig(t)
	for model, want := range map[string]int{
		"text-embedding-3-small": 1536, "openai/text-embedding-3-large": 3072, "nomic-embed-text": 0,
	} {
		if have := r.client.Embedder(model).Dimension(); have != want {
			t.Errorf("%s: have %d, want %d", model, have, want)
		}
	}
	r.Model = "text-embedding-3-small"
	_, err := r.client.Embedder("text-embedding-3-small").Embed(t.Context(), texts(1))
	if !fault.Is(err, fault.Unavailable) {
		t.Errorf("8 numbers of a model that has 1536: %v", err)
	}
	r.Model = "tide-embed"
	if _, err := r.model.Embed(t.Context(), texts(1)); err != nil {
		t.Fatal(err)
	}
	r.Dimension = 9
	if _, err := r.model.Embed(t.Context(), texts(1)); !fault.Is(err, fault.Unavailable) {
		t.Errorf("a model that changes its dimension: %v", err)
	}
}

// TestEmbedHalves checks that a request that is too large for the service is halved, and that a text that is too long
// is cut.
func TestEmbedHalves(t *testing.T) {
	t.Run("too many texts", func(t *testing.T) {
		r := newRig(t)
		r.MaxInputs = 3
		vectors, err := r.model.Embed(t.Context(), texts(32))
		if err != nil {
			t.Fatal(err)
		}
		check(t, texts(32), vectors)
	})
	t.Run("one text too long", func(t *testing.T) {
		r := newRig(t)
		r.MaxRunes = 500
		want := texts(8)
		long := strings.Repeat("tide ", 300)
		want[5] = long
		vectors, err := r.model.Embed(t.Context(), want)
		if err != nil {
			t.Fatal(err)
		}
		want[5] = long[:375]
		check(t, want, vectors)
	})
	t.Run("whatever it is, it is refused", func(t *testing.T) {
		r := newRig(t)
		r.MaxInputs = 0
		_, err := r.model.Embed(t.Context(), []string{strings.Repeat("x", 1000), "b"})
		if !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), "EMBEDDINGS_MODEL") || r.Requests() > 5 {
			t.Errorf("have %v after %d requests", err, r.Requests())
		}
	})
}

// TestEmbedKeepsWhatItHas checks that vectors received before a failure are returned with the error.
func TestEmbedKeepsWhatItHas(t *testing.T) {
	r := newRig(t)
	want := texts(2 * batchTexts)
	r.Break(nil, llmtest.Status(429, "3600"))
	vectors, err := r.model.Embed(t.Context(), want)
	if !fault.Is(err, fault.Throttled) {
		t.Fatalf("have %v", err)
	}
	var had []string
	for i, v := range vectors {
		if v != nil {
			had = append(had, want[i])
			check(t, want[i:i+1], vectors[i:i+1])
		}
	}
	if len(had) != batchTexts || !slices.Equal(had, r.Texts()) {
		t.Errorf("%d vectors of %d that were sent", len(had), len(r.Texts()))
	}
}

// TestEmbedEndsWithItsCaller checks that pauses end when the caller's context does.
func TestEmbedEndsWithItsCaller(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r := newRig(t)
	r.Break(func(w http.ResponseWriter, a *llmtest.Answer) bool {
		cancel()
		return llmtest.Status(500, "")(w, a)
	})
	if _, err := r.model.Embed(ctx, texts(1)); !fault.Is(err, fault.Unavailable) || len(r.pauses) > 0 ||
		r.Requests() != 1 {
		t.Errorf("have %v, %d pauses, %d requests", err, len(r.pauses), r.Requests())
	}
}

func TestCheckBaseURL(t *testing.T) {
	for _, tc := range []struct {
		url string
		ok  bool
	}{
		{"http://localhost:4000", true}, {"https://api.openai.com/v1", true}, {"https://gateway.example/openai/v1/", true},
		{"", false}, {"api.openai.com/v1", false}, {"ftp://x", false}, {"https://key@host/v1", false}, {"https:///v1", false},
		{"https://host/v1?key=x", false}, {"https://host/v1#x", false}, {"http://[::1", false},
	} {
		if err := CheckBaseURL(tc.url); (err == nil) != tc.ok {
			t.Errorf("%q: %v", tc.url, err)
		}
	}
	if _, err := New(Options{BaseURL: "localhost"}); !fault.Is(err, fault.Invalid) {
		t.Errorf("New: %v", err)
	}
}

// TestKeyIsNotTold checks that a key that a service repeats is removed from every message.
func TestKeyIsNotTold(t *testing.T) {
	for _, pad := range []string{"", strings.Repeat(" ", 2990), strings.Repeat("x", maxMessage-5)} {
		r := newRig(t)
		r.Break(slices.Repeat([]llmtest.Fault{func(w http.ResponseWriter, _ *llmtest.Answer) bool {
			w.WriteHeader(http.StatusBadGateway)
			fmt.Fprint(w, pad, "Bearer "+llmtest.Key)
			return true
		}}, maxTries)...)
		_, err := r.model.Embed(t.Context(), texts(1))
		if said := fmt.Sprint(err, r.log.String()); !fault.Is(err, fault.Unavailable) ||
			strings.Contains(said, llmtest.Key[:6]) {
			t.Errorf("%s", said)
		}
	}
}

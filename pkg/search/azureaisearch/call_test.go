package azureaisearch

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/search/searchtest/aisearch"
)

// TestRefusals checks that the answer to a whole request becomes a kind of error. A long requested pause is returned;
// a short one is waited for.
func TestRefusals(t *testing.T) {
	for _, tc := range []struct {
		status int
		after  string
		times  int
		kind   fault.Kind
		pause  time.Duration
	}{
		{429, "3600", 1, fault.Throttled, time.Hour},
		{503, "3600", 1, fault.Throttled, time.Hour},
		{429, "", 100, fault.Throttled, 0},
		{503, "", 100, fault.Unavailable, 0},
		{503, "", 3, "", 0},
		{429, "1", 1, "", 0},
		{500, "", 100, fault.Unavailable, 0},
		{403, "", 1, fault.Unavailable, 0},
		{404, "", 1, fault.Unavailable, 0},
		{301, "", 1, fault.Unavailable, 0},
		{400, "", 1, fault.Internal, 0},
	} {
		t.Run(fmt.Sprintf("%d %s", tc.status, tc.after), func(t *testing.T) {
			ix, server := created(t, 0)
			server.Fail(aisearch.Fault{Op: "index", Status: tc.status, RetryAfter: tc.after, Times: tc.times})
			p := page("a", "one")
			p.Known = &search.Contents{}
			err := ix.Put(t.Context(), p)
			if fault.KindOf(err) != tc.kind || fault.RetryAfter(err) != tc.pause {
				t.Errorf("have %v of kind %q with a pause of %v", err, fault.KindOf(err), fault.RetryAfter(err))
			}
			if err != nil && strings.Contains(err.Error(), aisearch.Key) {
				t.Errorf("the key is in %v", err)
			}
		})
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 11, 3, 9, 30, 0, 0, time.UTC)
	for _, tc := range []struct {
		value string
		want  time.Duration
	}{
		{"", 0}, {"soon", 0}, {"-5", 0}, {"7", 7 * time.Second}, {"99999999999999", 24 * time.Hour},
		{"9999999", 24 * time.Hour},
		{now.Add(time.Minute).Format(http.TimeFormat), time.Minute}, {now.Add(-time.Minute).Format(http.TimeFormat), 0},
	} {
		want := tc.want
		if tc.value == "99999999999999" && fmt.Sprint(^uint(0)) == "4294967295" {
			want = 0 // too large for 32 bits
		}
		if have := retryAfter(tc.value, now); have != want {
			t.Errorf("%q: have %v, want %v", tc.value, have, want)
		}
	}
}

func TestNobodyAnswers(t *testing.T) {
	ix, err := Open(Options{Endpoint: "http://127.0.0.1:1", Index: "pages", Key: "key", Client: quick()})
	must(t, err)
	if _, err := ix.Count(t.Context()); !fault.Is(err, fault.Unavailable) {
		t.Errorf("have %v", err)
	}
}

func TestOpenRefuses(t *testing.T) {
	good := Options{Endpoint: "https://name.search.windows.net", Index: "pages", Key: "key"}
	if _, err := Open(good); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		field string
		edit  func(*Options)
	}{
		{"endpoint", func(o *Options) { o.Endpoint = "" }},
		{"endpoint", func(o *Options) { o.Endpoint = "name.search.windows.net" }},
		{"endpoint", func(o *Options) { o.Endpoint = "http://name.search.windows.net" }}, // the key would be in the clear
		{"endpoint", func(o *Options) { o.Endpoint = "https://user@name.search.windows.net" }},
		{"endpoint", func(o *Options) { o.Endpoint = "https://name.search.windows.net?api-key=key" }},
		{"index", func(o *Options) { o.Index = "" }},
		{"index", func(o *Options) { o.Index = "Pages" }},
		{"index", func(o *Options) { o.Index = "a--b" }},
		{"index", func(o *Options) { o.Index = "a')/docs" }},
		{"index", func(o *Options) { o.Index = strings.Repeat("a", 129) }},
		{"dimensions", func(o *Options) { o.Dimensions = 1 }},
		{"dimensions", func(o *Options) { o.Dimensions = 4097 }},
	} {
		o := good
		tc.edit(&o)
		if _, err := Open(o); fault.FieldOf(err) != tc.field {
			t.Errorf("%+v: have %v", o, err)
		}
	}
}

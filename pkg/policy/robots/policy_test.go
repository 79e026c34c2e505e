package robots

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var now = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// TestDecide is RFC 9309 §2.3.1 as a table (A11).
func TestDecide(t *testing.T) {
	day := 24 * time.Hour
	failing := State{HasCopy: true, Failures: 3, FailingSince: now.Add(-time.Hour)}
	for _, tc := range []struct {
		name    string
		reply   Reply
		state   State
		verdict Verdict
		holds   time.Duration
		next    State
	}{
		{"200 is used", Reply{Status: 200}, State{}, UseBody, day, State{HasCopy: true}},
		{"200 ends a failure", Reply{Status: 200}, failing, UseBody, day, State{HasCopy: true}},
		{"204 is a file without rules", Reply{Status: 204}, State{}, UseBody, day, State{HasCopy: true}},
		{"304 keeps the copy", Reply{Status: 304}, failing, UseCopy, day, State{HasCopy: true}},
		{"304 without a copy tells nothing", Reply{Status: 304}, State{}, DisallowAll, firstRetry,
			State{Failures: 1, FailingSince: now}},
		{"301 without a target is unavailable", Reply{Status: 301}, State{}, AllowAll, day, State{}},
		{"too many redirects are unavailable", Reply{TooManyRedirects: true}, State{HasCopy: true}, AllowAll, day, State{}},
		{"404 allows", Reply{Status: 404}, State{HasCopy: true}, AllowAll, day, State{}},
		{"410 allows", Reply{Status: 410}, State{}, AllowAll, day, State{}},
		{"401 allows", Reply{Status: 401}, State{}, AllowAll, day, State{}},
		{"403 allows", Reply{Status: 403}, failing, AllowAll, day, State{}},
		{"429 is unreachable", Reply{Status: 429}, State{}, DisallowAll, firstRetry, State{Failures: 1, FailingSince: now}},
		{"429 says when", Reply{Status: 429, RetryAfter: 6 * time.Hour}, State{}, DisallowAll, 6 * time.Hour,
			State{Failures: 1, FailingSince: now}},
		{"Retry-After is capped", Reply{Status: 503, RetryAfter: 99 * day}, State{}, DisallowAll, day,
			State{Failures: 1, FailingSince: now}},
		{"500 is unreachable", Reply{Status: 500}, State{}, DisallowAll, firstRetry, State{Failures: 1, FailingSince: now}},
		{"999 is unreachable", Reply{Status: 999}, State{}, DisallowAll, firstRetry, State{Failures: 1, FailingSince: now}},
		{"101 is unreachable", Reply{Status: 101}, State{}, DisallowAll, firstRetry, State{Failures: 1, FailingSince: now}},
		{"no answer is unreachable", Reply{Failed: true}, State{}, DisallowAll, firstRetry,
			State{Failures: 1, FailingSince: now}},
		{"a stale copy outlives failures", Reply{Failed: true}, failing, UseCopy, 8 * firstRetry,
			State{HasCopy: true, Failures: 4, FailingSince: now.Add(-time.Hour)}},
		{"pauses stop growing", Reply{Status: 500}, State{Failures: 1000, FailingSince: now.Add(-day)}, DisallowAll, maxRetry,
			State{Failures: 1001, FailingSince: now.Add(-day)}},
		{"a day short of patience", Reply{Status: 500}, State{Failures: 9, FailingSince: now.Add(day - patience)},
			DisallowAll, maxRetry, State{Failures: 10, FailingSince: now.Add(day - patience)}},
		{"after 30 days it is unavailable", Reply{Status: 500},
			State{HasCopy: true, Failures: 9, FailingSince: now.Add(-patience)}, AllowAll, day,
			State{Failures: 10, FailingSince: now.Add(-patience)}},
		{"after 30 days no answer is unavailable", Reply{Failed: true}, State{Failures: 9, FailingSince: now.Add(-patience)},
			AllowAll, day, State{Failures: 10, FailingSince: now.Add(-patience)}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, next := Decide(tc.reply, tc.state, now)
			if got.Verdict != tc.verdict || got.Expires.Sub(now) != tc.holds {
				t.Errorf("have %s for %v (%s), want %s for %v", got.Verdict, got.Expires.Sub(now), got.Reason, tc.verdict, tc.holds)
			}
			if diff := cmp.Diff(tc.next, next); diff != "" {
				t.Error(diff)
			}
			if got.Reason == "" {
				t.Error("no reason is given")
			}
		})
	}
}

func TestLifetime(t *testing.T) {
	for header, want := range map[string]time.Duration{
		"":                                  defaultLifetime,
		"public":                            defaultLifetime,
		"max-age=3600":                      time.Hour,
		"public, Max-Age=3600, immutable":   time.Hour,
		`max-age="3600"`:                    time.Hour,
		"max-age=0":                         minLifetime,
		"max-age=5":                         minLifetime,
		"max-age=31536000":                  defaultLifetime,
		"max-age=99999999999999999999":      defaultLifetime,
		"max-age=-1":                        minLifetime,
		"max-age=soon":                      minLifetime,
		"max-age":                           minLifetime,
		"no-cache":                          minLifetime,
		"private, no-store, max-age=7200":   minLifetime,
		"s-maxage=60, max-age=7200, public": 2 * time.Hour,
	} {
		if got := lifetime(header); got != want {
			t.Errorf("lifetime(%q) = %v, want %v", header, got, want)
		}
	}
}

// TestDecideProperties checks, for any replies, that a host is asked again within a day and never sooner than
// firstRetry, that only a good reply or the end of patience opens a host, and that the copy is used only if there is
// one.
func TestDecideProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s State
		at := now
		for range rapid.IntRange(1, 60).Draw(t, "replies") {
			r := Reply{
				Status: rapid.SampledFrom([]int{0, 100, 200, 206, 301, 304, 401, 404, 429, 500, 503}).Draw(t, "status"),
				Failed: rapid.Bool().Draw(t, "failed"),
				CacheControl: rapid.SampledFrom([]string{"", "no-store", "max-age=9", "max-age=9999", "max-age=9999999"}).Draw(t,
					"cache"),
				RetryAfter: time.Duration(rapid.Int64Range(0, int64(90*time.Hour)).Draw(t, "retry")),
			}
			d, next := Decide(r, s, at)
			if hold := d.Expires.Sub(at); hold < firstRetry || hold > defaultLifetime {
				t.Fatalf("%+v holds for %v", r, hold)
			}
			if d.Verdict == UseCopy && !s.HasCopy {
				t.Fatalf("%+v uses a copy that is not there", r)
			}
			if d.Verdict == AllowAll && (r.Failed || r.Status == 429 || r.Status >= 500) && at.Sub(s.FailingSince) < patience {
				t.Fatalf("%+v opens the host", r)
			}
			s, at = next, d.Expires
		}
	})
}

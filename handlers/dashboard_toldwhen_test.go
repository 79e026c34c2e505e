package handlers

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// TestToldWhenListsEachAlert checks that the list of pages says what alerts for one page, for a tag, for a host and for
// a search tell, each thing once and that of the page alone first; and that the alert of a tag is named by it.
func TestToldWhenListsEachAlert(t *testing.T) {
	r := newRig(t)
	id, _ := r.priced()
	does := func(method, path, body string) {
		t.Helper()
		if w := do(t, r, method, path, body); w.Code >= 300 {
			t.Fatalf("%s %s: %d %s", method, path, w.Code, w.Body)
		}
	}
	does("POST", "/api/channels", `{"name":"hook","kind":"webhook","url":"https://h.example/"}`)
	does("PATCH", "/api/items/"+id, `{"tags":["lamp"]}`)
	for i, filter := range []string{`"tag":"lamp"},"when":{"field":"price","op":"<","value":40}`, `"host":"port.example","kind":"listed"}`,
		`"items":"tag=lamp","added":"(?i)recall"}`, `"tag":"other","added":"(?i)never"}`, `"itemId":"` + id + `"}`,
		`"kind":"listed"}`, `"host":"other.example","added":"(?i)never"}`, `"items":"tag=lamp&find=x1x","added":"(?i)never"}`} {
		r.token = fmt.Sprint("t", i)
		does("POST", "/api/rules", `{"name":"`+r.token+`","channels":["hook"],"anyway":true,"filter":{`+filter+`}`)
	}
	body := strings.Join(strings.Fields(shows(t, r, "/api/ui/items?tag=lamp")), " ")
	told := regexp.MustCompile(`told when </span>([^<]*)`).FindStringSubmatch(body)
	if told == nil || !strings.HasPrefix(told[1], "anything changes; ") || strings.Contains(told[1], "never") ||
		strings.Count(told[1], "a list has a new entry") != 1 || !strings.Contains(told[1], "the price is below 40") ||
		!strings.Contains(told[1], "“recall” appears") {
		t.Errorf("%q", told)
	}
	const tagged = "Pages with the tag lamp"
	for q, says := range map[string]string{"tag=lamp": tagged, "q=tag%3Dlamp": tagged,
		"q=host%3Da.example%26tag%3Dlamp": "Pages of a.example with the tag lamp", "q=lamp": "Pages with the words lamp"} {
		shows(t, r, "/api/ui/tell?"+q, "<p>"+says+"</p>", `placeholder="`+says+`"`)
	}
	shows(t, r, "/api/ui/?kind=gone,failing,watchBroken", ">No problems<")
	shows(t, r, "/api/ui/?kind=listed", ">No matching changes<")
}

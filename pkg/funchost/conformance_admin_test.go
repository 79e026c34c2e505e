package funchost

import (
	"encoding/json"
	"testing"
	"time"
)

func TestConformanceAdmin(t *testing.T) {
	t.Parallel()
	app := timerApp("0 0 0 1 1 *", "").with(queueApp).with(files{"Hello/function.json": helloJSON, "a.b/function.json": helloJSON})
	r := started(t, app)
	rows := []struct {
		name, method, path, body string
		status                   int
	}{
		{"H33 queue function", "POST", "/admin/functions/Q", `{"input":"hi"}`, 202},
		{"H33 input must be text", "POST", "/admin/functions/Q", `{"input":{}}`, 400},
		{"H33 input must be there", "POST", "/admin/functions/Q", `{}`, 400},
		{"H33 body must be JSON", "POST", "/admin/functions/Q", ``, 400},
		{"H33 unknown function", "POST", "/admin/functions/None", `{"input":"hi"}`, 404},
		{"list", "GET", "/admin/functions", "", 200},
		{"one", "GET", "/admin/functions/q", "", 200},
		{"status of one", "GET", "/admin/functions/Q/status", "", 200},
		{"ping", "GET", "/admin/host/ping", "", 200},
		{"unknown", "GET", "/admin/nothing", "", 404},
		{"status takes GET only", "DELETE", "/admin/host/status", "", 404},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			if resp, body := r.request(row.method, row.path, row.body); resp.StatusCode != row.status {
				t.Errorf("have %d %s, want %d", resp.StatusCode, body, row.status)
			}
		})
	}
	t.Run("H33 run by hand has no message behind it", func(t *testing.T) {
		e := r.waitCalls(t, 1)[0].envelope(t)
		if have := string(e.Metadata["DequeueCount"]); have != `"0"` {
			t.Errorf("DequeueCount %s", have)
		}
		if have := string(e.Metadata["ExpirationTime"]); have != `"9999-12-31T23:59:59+00:00"` {
			t.Errorf("ExpirationTime %s", have)
		}
		if _, ok := e.Metadata["Id"]; ok {
			t.Error("Id present")
		}
	})
	t.Run("H33 timer", func(t *testing.T) {
		if resp, _ := r.request("POST", "/admin/functions/T", "{}"); resp.StatusCode != 202 {
			t.Errorf("status %d", resp.StatusCode)
		}
		if c := r.waitCalls(t, 2)[1]; c.URI != "/T" || c.pastDue(t) {
			t.Errorf("have %s %s", c.URI, c.Body)
		}
	})
	t.Run("H34 status is Running and lists what did not load", func(t *testing.T) {
		_, body := r.request("GET", "/admin/host/status", "")
		var page statusPage
		if err := json.Unmarshal([]byte(body), &page); err != nil || page.State != "Running" || len(page.Errors) != 1 {
			t.Errorf("have %s (%v)", body, err)
		}
	})
}

func TestDrainAndResume(t *testing.T) {
	t.Parallel()
	r := started(t, queueApp)
	r.request("POST", "/admin/host/drain", "")
	// The poll under way when the drain came is over by then.
	time.Sleep(300 * time.Millisecond)
	r.send("jobs", "x")
	time.Sleep(300 * time.Millisecond)
	if _, calls, _ := r.snapshot(); len(calls) != 0 {
		t.Errorf("%d calls while drained", len(calls))
	}
	r.request("POST", "/admin/host/resume", "")
	r.waitCalls(t, 1)
}

func TestRestart(t *testing.T) {
	t.Parallel()
	r := started(t, helloApp)
	for n := 2; n <= 5; n++ {
		r.request("POST", "/admin/host/restart", "")
		r.waitStarts(t, n)
		if resp, _ := r.request("GET", "/api/hello", ""); resp.StatusCode != 200 && resp.StatusCode != 502 {
			t.Errorf("status %d", resp.StatusCode)
		}
	}
}

func TestConformanceAuth(t *testing.T) {
	t.Parallel()
	app := helloApp.with(files{"Order/function.json": orderJSON})
	r := started(t, app, with(func(o *Options) {
		o.Auth = true
		o.Keys = Keys{Master: "m", Host: []string{"h", ""}, Functions: map[string][]string{"Hello": {"f"}, "Other": {"o"}}}
	}))
	rows := []struct {
		name, path, header string
		status             int
	}{
		{"H34 function level without key", "/api/hello", "", 401},
		{"H34 function key in header", "/api/hello", "f", 200},
		{"H34 function key in query", "/api/hello?code=f", "", 200},
		{"H34 host key", "/api/hello", "h", 200},
		{"H34 master key", "/api/hello", "m", 200},
		{"H34 another function's key", "/api/hello", "o", 401},
		{"H34 header wins over query", "/api/hello?code=f", "wrong", 401},
		{"H34 anonymous", "/api/order", "", 200},
		{"H34 admin without key", "/admin/host/status", "", 401},
		{"H34 admin with host key", "/admin/host/status", "h", 401},
		{"H34 admin with master key", "/admin/host/status", "m", 200},
		{"H34 ping is open", "/admin/host/ping", "", 200},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			var header []string
			if row.header != "" {
				header = []string{"x-functions-key", row.header}
			}
			resp, body := r.request("GET", row.path, "", header...)
			if resp.StatusCode != row.status || (row.status == 401 && body != "") {
				t.Errorf("have %d %q, want %d", resp.StatusCode, body, row.status)
			}
		})
	}
}

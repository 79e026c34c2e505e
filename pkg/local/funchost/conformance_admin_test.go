package funchost

import "testing"

func TestConformanceAdmin(t *testing.T) {
	t.Parallel()
	r := started(t, timerApp("0 0 0 1 1 *", "").with(queueApp).with(files{"Hello/function.json": helloJSON}))
	rows := []struct {
		name, method, path, body string
		status                   int
	}{
		{"body must be JSON", "POST", "/admin/functions/T", ``, 400},
		{"queue function", "POST", "/admin/functions/Q", `{"input":"hi"}`, 400},
		{"HTTP function", "POST", "/admin/functions/Hello", `{}`, 400},
		{"unknown function", "POST", "/admin/functions/None", `{}`, 404},
		{"unknown area", "POST", "/admin/host/restart", `{}`, 404},
		{"list", "GET", "/admin/functions", "", 404},
		{"timer", "POST", "/admin/functions/T", `{}`, 202},
		{"timer, whatever the case", "POST", "/Admin/Functions/t/", `{"input":""}`, 202},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			if resp, body := r.request(row.method, row.path, row.body); resp.StatusCode != row.status {
				t.Errorf("have %d %s, want %d", resp.StatusCode, body, row.status)
			}
		})
	}
	for _, c := range r.waitCalls(t, 2) {
		if c.URI != "/T" || c.pastDue(t) {
			t.Errorf("have %s %s", c.URI, c.Body)
		}
	}
}

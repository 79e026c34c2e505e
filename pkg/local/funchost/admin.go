package funchost

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"
)

// maxAdminBody bounds the body of an admin request.
const maxAdminBody = 1 << 20

// isAdmin reports whether a path belongs to the host's management API.
func isAdmin(path string) bool {
	first, _, more := strings.Cut(strings.Trim(path, "/"), "/")
	return more && strings.EqualFold(first, "admin")
}

// admin is the management API of the host.
type admin struct {
	functions []*function
	invoker   *invoker
	tasks     *tasks
}

// serve runs a timer function on request, POST /admin/functions/NAME. It answers 202 at once and runs the function
// afterwards. This host implements no other part of the management API.
func (a *admin) serve(w http.ResponseWriter, r *http.Request) {
	f := a.named(r)
	if f == nil {
		refuse(w, http.StatusNotFound,
			"this host's management API knows POST /admin/functions/NAME only, of a function of the app")
		return
	}
	var body struct{}
	err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxAdminBody)).Decode(&body)
	switch {
	case errors.Is(err, errSlowBody):
		refuseBody(w, err)
	case err != nil:
		refuse(w, http.StatusBadRequest, "want a JSON object as body, such as {}")
	case f.trigger.Type != timerTrigger:
		refuse(w, http.StatusBadRequest, "only timer functions can be run by hand")
	default:
		a.runByHand(f)
		w.WriteHeader(http.StatusAccepted)
	}
}

// named returns the function whose name is in the path of a request to the management API.
func (a *admin) named(r *http.Request) *function {
	name, ok := strings.CutPrefix(strings.ToLower(strings.Trim(r.URL.Path, "/")), "admin/functions/")
	i := slices.IndexFunc(a.functions, func(f *function) bool { return strings.EqualFold(f.name, name) })
	if !ok || i < 0 || r.Method != http.MethodPost {
		return nil
	}
	return a.functions[i]
}

func (a *admin) runByHand(f *function) {
	now := time.Now()
	e := timerEnvelope(f, timerStatus{Next: f.schedule.next(now)}, false, now)
	a.tasks.run(func(ctx context.Context) {
		// invoke logs the outcome. No caller waits for it.
		a.invoker.invoke(ctx, f, e)
	})
}

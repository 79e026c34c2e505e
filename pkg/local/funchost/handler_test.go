package funchost

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"
)

// The test binary doubles as the handler: if the host starts it with controlVar set, it reports every request to the
// test that controls it, and answers as that test says.

const controlVar = "FUNCHOST_TEST_CONTROL"

func TestMain(m *testing.M) {
	if control := os.Getenv(controlVar); control != "" {
		runHandler(control)
		return
	}
	os.Exit(m.Run())
}

// start is what a handler process reports when it starts.
type start struct {
	Args, Env []string
	Dir       string
	Pid       int
}

// startOrder is the test's instruction for a start.
type startOrder struct {
	Exit   *int          // exit at once with this code
	Mute   bool          // never listen
	Stdout string        // print
	Stderr string        // print
	Delay  time.Duration // before listening
	Root   int           // status of GET /; 200 when zero
	Deaf   bool          // answer 413 without reading the body
}

// call is one request as the handler process received it.
type call struct {
	Method, URI, Host string
	Header            http.Header
	Chunked           bool
	Length            int64
	Body              []byte
	Pid               int
	At                time.Time
}

// reply is the test's instruction for a call. A zero reply means 200 and {}.
type reply struct {
	Status  int
	Header  map[string]string
	Body    string
	NoBody  bool          // write nothing, not even {}
	Sleep   time.Duration // before the answer; reports whether the client hangs up first
	Chunks  []string      // written and flushed one at a time, with a Pause between them
	Pause   time.Duration
	Exit    *int // exit with this code without answering
	BareMIM bool // leave the Content-Type to be detected
}

func runHandler(control string) {
	dir, _ := os.Getwd()
	var order startOrder
	ask(control+"/start", start{Args: os.Args[1:], Env: os.Environ(), Dir: dir, Pid: os.Getpid()}, &order)
	os.Stdout.WriteString(order.Stdout)
	os.Stderr.WriteString(order.Stderr)
	if order.Exit != nil {
		os.Exit(*order.Exit)
	}
	if order.Mute {
		select {}
	}
	time.Sleep(order.Delay)
	addr := "127.0.0.1:" + os.Getenv("FUNCTIONS_CUSTOMHANDLER_PORT")
	http.ListenAndServe(addr, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet && r.URL.Path == "/" {
			w.WriteHeader(max(order.Root, 200))
			return
		}
		if order.Deaf {
			w.WriteHeader(http.StatusRequestEntityTooLarge)
			io.WriteString(w, "too large")
			return
		}
		body, _ := io.ReadAll(r.Body)
		c := call{
			Method: r.Method, URI: r.RequestURI, Host: r.Host, Header: r.Header, Length: r.ContentLength,
			Chunked: len(r.TransferEncoding) > 0, Body: body, Pid: os.Getpid(), At: time.Now(),
		}
		var rep reply
		ask(control+"/call", c, &rep)
		rep.write(w, r, control)
	}))
}

func ask(url string, question, answer any) {
	b, _ := json.Marshal(question)
	resp, err := http.Post(url, "application/json", bytes.NewReader(b))
	if err != nil {
		os.Exit(99)
	}
	defer resp.Body.Close()
	json.NewDecoder(resp.Body).Decode(answer)
}

func (rep reply) write(w http.ResponseWriter, r *http.Request, control string) {
	select {
	case <-time.After(rep.Sleep):
	case <-r.Context().Done():
		var none struct{}
		ask(control+"/cancelled", none, &none)
		return
	}
	if rep.Exit != nil {
		os.Exit(*rep.Exit)
	}
	if !rep.BareMIM {
		w.Header().Set("Content-Type", "application/json")
	}
	for k, v := range rep.Header {
		w.Header().Set(k, v)
	}
	w.WriteHeader(max(rep.Status, 200))
	for _, chunk := range rep.Chunks {
		io.WriteString(w, chunk)
		w.(http.Flusher).Flush()
		time.Sleep(rep.Pause)
	}
	switch {
	case rep.Body != "":
		io.WriteString(w, rep.Body)
	case !rep.NoBody && len(rep.Chunks) == 0 && rep.Status != http.StatusNoContent:
		io.WriteString(w, "{}")
	}
}

// control is the test's end of the handler process.
type control struct {
	server    *httptest.Server
	mu        sync.Mutex
	starts    []start
	calls     []call
	cancelled int
	onStart   func(n int) startOrder // n counts from 1
	onCall    func(n int, c call) reply
}

func newControl(t *testing.T) *control {
	c := &control{}
	mux := http.NewServeMux()
	mux.HandleFunc("/start", func(w http.ResponseWriter, r *http.Request) {
		var s start
		json.NewDecoder(r.Body).Decode(&s)
		c.mu.Lock()
		c.starts = append(c.starts, s)
		n, f := len(c.starts), c.onStart
		c.mu.Unlock()
		var order startOrder
		if f != nil {
			order = f(n)
		}
		json.NewEncoder(w).Encode(order)
	})
	mux.HandleFunc("/call", func(w http.ResponseWriter, r *http.Request) {
		var got call
		json.NewDecoder(r.Body).Decode(&got)
		c.mu.Lock()
		c.calls = append(c.calls, got)
		n, f := len(c.calls), c.onCall
		c.mu.Unlock()
		var rep reply
		if f != nil {
			rep = f(n, got)
		}
		json.NewEncoder(w).Encode(rep)
	})
	mux.HandleFunc("/cancelled", func(w http.ResponseWriter, r *http.Request) {
		c.mu.Lock()
		c.cancelled++
		c.mu.Unlock()
		io.WriteString(w, "{}")
	})
	c.server = httptest.NewServer(mux)
	t.Cleanup(c.server.Close)
	return c
}

func (c *control) snapshot() ([]start, []call, int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]start(nil), c.starts...), append([]call(nil), c.calls...), c.cancelled
}

// waitCalls returns the calls once there are n.
func (c *control) waitCalls(t *testing.T, n int) []call {
	t.Helper()
	var calls []call
	eventually(t, strconv.Itoa(n)+" calls", func() bool {
		_, calls, _ = c.snapshot()
		return len(calls) >= n
	})
	return calls
}

func (c *control) waitStarts(t *testing.T, n int) []start {
	t.Helper()
	var starts []start
	eventually(t, strconv.Itoa(n)+" starts", func() bool {
		starts, _, _ = c.snapshot()
		return len(starts) >= n
	})
	return starts
}

// eventually waits until ok returns true. Its time limit only ends a test that has failed.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if ok() {
			return
		}
	}
	t.Fatalf("never came to pass: %s", what)
}

func ptr[T any](v T) *T { return &v }

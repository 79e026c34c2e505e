package llmtest

import (
	"net/http"
	"slices"
)

// Status answers with the given status. If after is set, it is the Retry-After header of the answer.
func Status(status int, after string) Fault {
	return func(w http.ResponseWriter, _ *Answer) bool {
		if after != "" {
			w.Header().Set("Retry-After", after)
		}
		Refuse(w, status, "server_error", "the service has a fault")
		return true
	}
}

// Cut ends the connection in the middle of the answer.
func Cut(w http.ResponseWriter, _ *Answer) bool {
	w.Header().Set("Content-Length", "1000")
	_, _ = w.Write([]byte(`{"data":[`))
	panic(http.ErrAbortHandler)
}

// NotJSON answers 200 with an HTML page, as gateways do.
func NotJSON(w http.ResponseWriter, _ *Answer) bool {
	_, _ = w.Write([]byte("<html>please log in</html>"))
	return true
}

// Redirect redirects to another address.
func Redirect(to string) Fault {
	return func(w http.ResponseWriter, _ *Answer) bool {
		w.Header().Set("Location", to)
		w.WriteHeader(http.StatusPermanentRedirect)
		return true
	}
}

// Disorder sends the vectors in reverse order, which the API permits.
func Disorder(_ http.ResponseWriter, a *Answer) bool {
	slices.Reverse(a.Data)
	return false
}

// NoIndex omits the index that states which text each vector belongs to.
func NoIndex(_ http.ResponseWriter, a *Answer) bool {
	for i := range a.Data {
		a.Data[i].Index = nil
	}
	return false
}

// WrongIndex gives one vector an index that no text has.
func WrongIndex(_ http.ResponseWriter, a *Answer) bool {
	n := len(a.Data)
	a.Data[n-1].Index = &n
	return false
}

// Missing omits a vector.
func Missing(_ http.ResponseWriter, a *Answer) bool {
	a.Data = a.Data[1:]
	return false
}

// Base64 answers in base64 although numbers were requested.
func Base64(_ http.ResponseWriter, a *Answer) bool {
	for i := range a.Data {
		a.Data[i].Embedding = inBase64(a.Data[i].Embedding.([]float32))
	}
	return false
}

// Shorter omits the last number of the last vector.
func Shorter(_ http.ResponseWriter, a *Answer) bool {
	last := &a.Data[len(a.Data)-1]
	v := last.Embedding.([]float32)
	last.Embedding = v[:len(v)-1]
	return false
}

// Zeros sends a vector of zeros, which has no direction.
func Zeros(_ http.ResponseWriter, a *Answer) bool {
	last := &a.Data[len(a.Data)-1]
	last.Embedding = make([]float32, len(last.Embedding.([]float32)))
	return false
}

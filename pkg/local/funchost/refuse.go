package funchost

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/tidemark/tidemark/pkg/api"
)

// maxBody is the largest body of a request, in bytes, that the real host accepts (FUNCTIONS_REQUEST_BODY_SIZE_LIMIT).
const maxBody = 104_857_600

var tooLargeDetail = fmt.Sprintf("the request is larger than %d bytes", maxBody)

// refuse answers a request that the host itself refuses.
func refuse(w http.ResponseWriter, status int, detail string) {
	b, err := marshal(api.Problem{Title: http.StatusText(status), Status: status, Detail: detail})
	if err != nil {
		b = []byte("{}")
	}
	w.Header().Set("Content-Type", api.ProblemType)
	w.WriteHeader(status)
	w.Write(b)
}

// refuseBody answers a request whose body could not be read.
func refuseBody(w http.ResponseWriter, err error) {
	_, tooLarge := errors.AsType[*http.MaxBytesError](err)
	switch {
	case tooLarge:
		refuse(w, http.StatusRequestEntityTooLarge, tooLargeDetail)
	case errors.Is(err, errSlowBody):
		refuse(w, http.StatusRequestTimeout, errSlowBody.Error())
	default:
		refuse(w, http.StatusBadRequest, "the body of the request cannot be read")
	}
}

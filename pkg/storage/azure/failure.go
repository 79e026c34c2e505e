package azure

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// pause is how long a throttled caller must wait when the service does not say.
const pause = time.Second

// failure converts an error of the SDK to an error of the port. It makes the text from the status and the code. The
// SDK's text has the body, and the address, which may contain a signature.
func failure(what string, err error) error {
	var answer *azcore.ResponseError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &answer):
		return refused(what, answer.StatusCode, answer.ErrorCode, retryAfter(answer.RawResponse))
	case fault.KindOf(err) != fault.Internal:
		return err
	}
	return fault.New(fault.Unavailable, "%s: %w", what, withoutAddress(err))
}

// refused returns the error for an answer with a status of 400 or more.
func refused(what string, status int, code string, after time.Duration) error {
	kind := kindOf(status, code)
	if code == "" {
		code = http.StatusText(status)
	}
	if kind == fault.Throttled {
		return fault.After(after, "%s: %d %s", what, status, code)
	}
	return fault.New(kind, "%s: %d %s", what, status, code)
}

// kindOf is the only table of the kinds for the services' refusals.
func kindOf(status int, code string) fault.Kind {
	switch code {
	case "TableNotFound", "QueueNotFound", "ContainerNotFound", "TableBeingDeleted", "QueueBeingDeleted",
		"ContainerBeingDeleted":
		return fault.Unavailable
	case "PopReceiptMismatch": // Azurite's code, with 400, for Azure's 404 MessageNotFound
		return fault.NotFound
	}
	switch status {
	case http.StatusNotFound:
		return fault.NotFound
	case http.StatusConflict, http.StatusPreconditionFailed:
		return fault.Conflict
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return fault.Throttled
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusRequestTimeout:
		return fault.Unavailable // an operator must correct a key or a role, not the caller
	}
	if status >= 400 && status < 500 {
		return fault.Invalid
	}
	return fault.Unavailable
}

func retryAfter(resp *http.Response) time.Duration {
	if resp == nil {
		return pause
	}
	if n, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && n > 0 && n <= 3600 {
		return time.Duration(n) * time.Second
	}
	return pause
}

// withoutAddress keeps the causes of a transport error that errors.Is can find, and drops the address of the request.
func withoutAddress(err error) error {
	for _, known := range []error{context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, known) {
			return known
		}
	}
	var withURL *url.Error
	if errors.As(err, &withURL) {
		return withURL.Err
	}
	if strings.Contains(err.Error(), "sig=") {
		return errors.New("the request could not be sent")
	}
	return err
}

// codeOf returns the service's error code, or "".
func codeOf(err error) string {
	var answer *azcore.ResponseError
	if errors.As(err, &answer) {
		return answer.ErrorCode
	}
	return ""
}

package azure

import (
	"cmp"
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

// pause is the time that a throttled caller must wait if the service gives no time.
const pause = time.Second

// failure converts an error of the SDK to an error of the port. The text of the new error has only the status and the
// code. The SDK's text has the body, and the address, which may include a signature.
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
	code = cmp.Or(code, http.StatusText(status))
	if kind == fault.Throttled {
		return fault.After(after, "%s: %d %s", what, status, code)
	}
	return fault.New(kind, "%s: %d %s", what, status, code)
}

// kindOf maps each refusal of the services to its kind. All refusals are mapped here.
func kindOf(status int, code string) fault.Kind {
	switch code {
	case "TableNotFound", "QueueNotFound", "ContainerNotFound", "TableBeingDeleted", "QueueBeingDeleted",
		"ContainerBeingDeleted":
		return fault.Unavailable
	case "PopReceiptMismatch": // Azurite answers with status 400 and this code where Azure answers 404 MessageNotFound
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
		return fault.Unavailable // the caller cannot help; an operator must correct a key or a role
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

// withoutAddress removes the address of the request from a transport error. It keeps those causes that errors.Is can
// find.
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

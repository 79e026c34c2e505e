package options

import (
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/form"
)

func checkInterval(i *api.Interval) error {
	if i == nil {
		return nil
	}
	least, most, err := bounds(i)
	if err == nil && least > 0 && most > 0 && least > most {
		err = fault.Field("interval.max", "interval.max is %.40q, which is less than interval.min", i.Max)
	}
	return err
}

// bounds returns the shortest and the longest time between checks; zero for a time that is not set.
func bounds(i *api.Interval) (least, most time.Duration, err error) {
	if i.Min != "" {
		if least, err = form.Length("interval.min", i.Min); err != nil {
			return 0, 0, err
		}
	}
	if i.Max != "" {
		most, err = form.Length("interval.max", i.Max)
	}
	return least, most, err
}

package main

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"

	"golang.org/x/sync/errgroup"
)

// runCourses runs some courses.
func runCourses(ctx context.Context, all []course, most int) ([]courseCount, error) {
	counts := make([]courseCount, len(all))
	work, ctx := errgroup.WithContext(ctx)
	work.SetLimit(2)
	for i := range all {
		work.Go(func() (err error) {
			if counts[i], err = all[i].run(ctx, most); err != nil {
				err = fmt.Errorf("%s: %w", &all[i], err)
			}
			return err
		})
	}
	return counts, work.Wait()
}

// reportCourses writes a row for all courses and for each choice of each axis: facts that move once a day or less
// often, and those that move more often.
func reportCourses(out io.Writer, seed uint64, n, most int, verbose bool) error {
	all := coursesOf(seed, n)
	counts, err := runCourses(context.Background(), all, most)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "axis\tchoice\tcourses\tchecks\tmessages\tof no move\t"+
		"daily or rarer: seen\ttold\tshare\tevery 2 hours: seen\ttold\tshare\t")
	row := func(axis, choice string, in func(*course) bool) {
		var sum courseCount
		var by [2]courseCount
		courses := 0
		for i := range all {
			if c := &all[i]; in(c) {
				courses++
				sum.add(counts[i])
				by[count(!c.isDaily())].add(counts[i])
			}
		}
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t%d\t", axis, choice, courses, sum.checks, sum.messages, sum.idle)
		for _, c := range by {
			fmt.Fprintf(w, "%d\t%d\t%s\t", c.seen, c.reported, ratio(c.reported, c.seen))
		}
		fmt.Fprintln(w)
	}
	row("all", "", func(*course) bool { return true })
	for _, a := range courseAxes {
		for _, choice := range a.choices {
			row(a.name, choice, func(c *course) bool { return *a.of(c) == choice })
		}
	}
	if err := w.Flush(); err != nil || !verbose {
		return err
	}
	const sample = 3
	for _, c := range counts {
		for _, m := range c.missed[:min(sample, len(c.missed))] {
			fmt.Fprintln(out, m)
		}
	}
	return nil
}

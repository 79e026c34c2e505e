package crawl

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/fetch/file"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
	"github.com/tidemark/tidemark/pkg/registry"
)

// folderAt reports whether an item is a folder of this machine. A folder stays one: if it is not
// there, or a file has its place, this says nothing about its files, and the outcome says so. What
// was read as a file does not become a folder.
func folderAt(files *file.Client, it *registry.Item, place file.Location) (is bool, o verdict.Outcome) {
	was := it.Exclusion == verdict.ExclusionFolder
	if place.Kind() != file.Local || it.Folder != "" || it.RawHash != "" && !was {
		return false, o
	}
	is, err := files.IsFolder(place)
	switch {
	case !was:
		return is, o // if there is an error, reading the file finds it, too
	case fault.Is(err, fault.NotFound):
		return false, folderIsMissing()
	case err != nil:
		return false, verdict.FailedBy(err)
	case !is:
		return false, verdict.Failed("a file has taken the place of the folder; the folder's files stay as they are")
	}
	return true, o
}

func folderIsMissing() verdict.Outcome {
	return verdict.Failed("the folder is not there; its files stay as they are until it is back or you remove them")
}

// guard decides whether the files that a listing lacks may leave. If the folder has nothing left,
// they stay: a drive that is not mounted looks like this. If it lacks more than the guard lets go
// of a host in a day (CRAWL_GONE_SHARE), they stay until a listing a day later lacks them, too. A
// forced check lets them go.
func (l *listing) guard(
	ctx context.Context, it *registry.Item, b *verdict.Basis, now time.Time,
) (o verdict.Outcome, err error) {
	lost := 0
	for it, err := range l.lost(ctx) {
		if err != nil {
			return o, err
		}
		was := l.known[keyOf(it.Hash())]
		if !was.mine || was.unlisted {
			continue
		}
		if at := (stamp{was.modified, was.length}); was.etag == 0 && l.stamps[at] > 0 {
			l.stamps[at]--
			l.moved++
			continue
		}
		lost++
	}
	room := b.Rules.Schedule.Room(schedule.Losses{Items: l.own})
	const how = "if this is right, check the folder with force"
	switch held := it.GuardedSince; {
	case b.Forced || lost == 0:
		return o, nil
	case l.files == 0:
		return verdict.Failed("the folder has no files, and had %s; they stay as they are, for its drive may not be "+
			"mounted; %s", words.Count(l.own, "file"), how), nil
	case lost <= room, !held.IsZero() && now.Sub(held) >= schedule.SecondCheck:
		return o, nil
	}
	it.Status = registry.Error
	return verdict.Outcome{Kind: schedule.Guarded, Why: fmt.Sprintf("%d of %s are not there any more; they stay until a "+
		"listing a day later lacks them, too; %s", lost, words.Count(l.own, "file"), how)}, nil
}

// stamp is what stays of a file when it is moved.
type stamp struct{ modified, length int64 }

func stampOf(i file.Info) stamp {
	if i.ETag != "" {
		return stamp{}
	}
	return stamp{nanos(i.LastModified), i.Length}
}

// unread are the reasons for passing over what nobody has left out.
var unread = []error{file.ErrLink, file.ErrSpecial, file.ErrName, file.ErrDenied}

// pass counts a name that was passed over.
func (l *listing) pass(e file.Entry) {
	why := e.Refused.Error()
	if l.passed[why] == nil {
		l.passed[why] = &registry.Passed{Why: why, First: words.ClipRunes(e.Name, 60)}
	}
	l.passed[why].Number++
	if !errors.Is(e.Refused, file.ErrDenied) || len(l.denied) == maxDenied {
		return
	}
	if place, err := l.location.Join(e.Name); err == nil {
		l.denied = append(l.denied, place)
	}
}

// maxDenied limits the folders that could not be read and are remembered. If there are as many, no
// file of the listing counts as gone.
const maxDenied = 1000

// isDenied reports whether a file is in a folder that could not be read.
func (l *listing) isDenied(normalized string) bool {
	switch len(l.denied) {
	case 0:
		return false
	case maxDenied:
		return true
	}
	place, err := file.Parse(normalized)
	return err == nil && slices.ContainsFunc(l.denied, func(denied file.Location) bool {
		return place == denied || place.Below(denied)
	})
}

// allPassed returns what was passed over, sorted by reason.
func (l *listing) allPassed() []registry.Passed {
	var out []registry.Passed
	for _, p := range l.passed {
		out = append(out, *p)
	}
	slices.SortFunc(out, func(a, b registry.Passed) int { return cmp.Compare(a.Why, b.Why) })
	return out
}

// unreadWhy describes what was passed over though nobody has left it out.
func (l *listing) unreadWhy() string {
	return passedText(slices.DeleteFunc(l.allPassed(), func(p registry.Passed) bool {
		return !slices.ContainsFunc(unread, func(why error) bool { return why.Error() == p.Why })
	}))
}

// passedText describes what was passed over; "" for nothing.
func passedText(all []registry.Passed) string {
	var parts []string
	for _, p := range all {
		parts = append(parts, fmt.Sprintf("%d %s (%q)", p.Number, p.Why, p.First))
	}
	if len(parts) == 0 {
		return ""
	}
	return "passed over: " + strings.Join(parts, ", ")
}

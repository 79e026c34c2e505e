package funchost

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/tidemark/tidemark/pkg/base/defaults"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/wallclock"
	"github.com/tidemark/tidemark/pkg/storage"
)

// maxNap bounds one sleep, so that a timer fires soon after its time even if the machine was suspended or its clock
// was set. All timers wake at the same moments, and with them the rounds of the queues.
const maxNap = 10 * time.Second

const (
	// The status of a timer that is due again soon is written rarely, because each write of a small file costs the disk
	// several blocks. After a restart, such a timer counts as missed and runs at once.
	soon      = 5 * time.Minute
	saveEvery = 15 * time.Minute
)

// A timerLoop fires one function. Runs never overlap, a failure neither stops the schedule nor is retried, and
// occurrences during a run are skipped.
type timerLoop struct {
	invoker *invoker
	tasks   *tasks
	f       *function
	store   statusFolder // keeps the status, so that an occurrence missed while the host was down runs later
	log     *slog.Logger
	status  timerStatus
	saved   time.Time // when a run last wrote the status
}

func newTimerLoop(o Options, i *invoker, t *tasks, f *function) *timerLoop {
	return &timerLoop{invoker: i, tasks: t, f: f, store: statusFolder(o.StateDir), log: o.Log.With("function", f.name)}
}

// listen fires the timer until ctx ends.
func (t *timerLoop) listen(ctx context.Context) {
	if t.begin(time.Now()) {
		t.fire(true)
	}
	for t.sleepUntil(ctx, t.status.Next) {
		t.fire(false)
	}
}

// begin finds out when the timer is next due and whether an occurrence was missed. A new timer, or one with a changed
// schedule, has missed nothing.
func (t *timerLoop) begin(now time.Time) (missed bool) {
	fresh := timerStatus{Schedule: t.f.schedule.text, Next: t.f.schedule.next(now)}
	t.status = fresh
	saved, ok, err := t.store.load(t.f.name)
	if err != nil {
		t.log.Warn("timer status not read", "err", err)
	}
	if ok && saved.Schedule == t.f.schedule.text {
		t.status = saved
		return now.After(saved.Next)
	}
	// The status is written before the first run, so that even a missed first run is made up for.
	fresh.LastUpdated = now
	t.save(fresh)
	return false
}

// fire runs the function and finds out when it is due again.
func (t *timerLoop) fire(missed bool) {
	begin := time.Now()
	done := make(chan struct{})
	e := timerEnvelope(t.f, t.status, missed, begin)
	t.tasks.run(func(ctx context.Context) {
		defer close(done)
		// invoke logs the outcome, which changes nothing here.
		t.invoker.invoke(ctx, t.f, e)
	})
	<-done
	t.ended(begin, time.Now())
}

// ended records a run, and finds out when the function is due after it.
func (t *timerLoop) ended(begin, now time.Time) {
	t.status = timerStatus{
		Schedule: t.f.schedule.text, Last: begin, LastUpdated: begin,
		Next: t.f.schedule.next(now),
	}
	if t.status.Next.Sub(begin) > soon || begin.Sub(t.saved) >= saveEvery {
		t.save(t.status)
		t.saved = begin
	}
}

func (t *timerLoop) save(s timerStatus) {
	if err := t.store.save(t.f.name, s); err != nil {
		t.log.Warn("timer status not written", "err", err)
	}
}

// sleepUntil waits until a time, and returns false if ctx ends first.
func (t *timerLoop) sleepUntil(ctx context.Context, at time.Time) bool {
	for {
		now := time.Now()
		left := at.Sub(now)
		if left <= 0 {
			return ctx.Err() == nil
		}
		if defaults.Pause(ctx, min(left, together(maxNap, maxNap, now))) != nil {
			return false
		}
	}
}

// timerInfo is the description of a timer's run that the handler receives.
type timerInfo struct {
	Schedule       struct{ AdjustForDST bool }
	ScheduleStatus scheduleStatus
	IsPastDue      bool
}

type scheduleStatus struct{ Last, Next, LastUpdated string }

// isoTicks is the format of a date with the fraction that .NET keeps.
const isoTicks = "2006-01-02T15:04:05.9999999-07:00"

// timerEnvelope encodes one run.
func timerEnvelope(f *function, s timerStatus, missed bool, now time.Time) envelope {
	last := s.Last.UTC().Format(isoTicks)
	info := timerInfo{
		ScheduleStatus: scheduleStatus{Last: last, Next: s.Next.UTC().Format(isoTicks), LastUpdated: last}, IsPastDue: missed,
	}
	info.Schedule.AdjustForDST = true
	return envelope{Data: map[string]any{f.trigger.Name: info}, Metadata: withSys(map[string]any{}, f.name, now)}
}

// timerStatus is the state of a timer that survives a restart of the host.
type timerStatus struct {
	Schedule    string // the expression that Next was computed from
	Last        time.Time
	Next        time.Time
	LastUpdated time.Time
}

// statusFolder keeps one JSON file per timer, as the real host keeps one blob; "" keeps nothing.
type statusFolder string

func (f statusFolder) path(function string) string {
	return filepath.Join(string(f), "Host.Functions."+function+".json")
}

// load treats a file that cannot be parsed as missing, because a damaged file must not stop its timer.
func (f statusFolder) load(function string) (s timerStatus, ok bool, err error) {
	if f == "" {
		return s, false, nil
	}
	data, err := os.ReadFile(f.path(function))
	if errors.Is(err, fs.ErrNotExist) {
		return s, false, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &s)
	}
	if err != nil {
		return timerStatus{}, false, fault.New(fault.Invalid, "timer status of %s: %w", function, err)
	}
	return s, true, nil
}

// save replaces the file in one step, so that after a kill the file has the old or the new status.
func (f statusFolder) save(function string, s timerStatus) error {
	if f == "" {
		return nil
	}
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(string(f), 0o755); err != nil {
		return err
	}
	temp := f.path(function) + ".new"
	if err := os.WriteFile(temp, data, 0o644); err != nil {
		return err
	}
	return os.Rename(temp, f.path(function))
}

// An envelope is the body of the POST for an invocation.
type envelope struct {
	Data     map[string]any
	Metadata map[string]any
}

// isoSeconds is the format of dates that the real host has passed on: such dates lose their fraction of a second.
const isoSeconds = "2006-01-02T15:04:05-07:00"

// marshal encodes v as Newtonsoft does, without escapes for HTML.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// quoted returns the JSON text of s. An envelope encodes this text once more, because the real host passes strings in
// metadata in that form.
func quoted(s string) string {
	b, err := marshal(s)
	if err != nil {
		// Unreachable: every string marshals.
		return `""`
	}
	return string(b)
}

// isoDate formats a time for metadata. Zero means never.
func isoDate(t time.Time) string {
	if t.IsZero() {
		t = time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)
	}
	return t.UTC().Format(isoSeconds)
}

// withSys adds the metadata that the real host adds to every invocation.
func withSys(metadata map[string]any, function string, now time.Time) map[string]any {
	metadata["sys"] = map[string]string{
		"MethodName": function,
		"UtcNow":     now.UTC().Format("2006-01-02T15:04:05.9999999Z"),
		"RandGuid":   uuid.NewString(),
	}
	return metadata
}

// queueEnvelope encodes one delivery as the real host does with dataType binary: the bytes of the message are in
// base64.
func queueEnvelope(f *function, m storage.Message, now time.Time) envelope {
	metadata := map[string]any{
		"DequeueCount":    strconv.Itoa(m.Dequeued),
		"ExpirationTime":  isoDate(m.Expires),
		"InsertionTime":   isoDate(m.Inserted),
		"NextVisibleTime": isoDate(m.NextVisible),
		"Id":              quoted(m.ID),
		"PopReceipt":      quoted(m.Receipt),
	}
	data := map[string]any{f.trigger.Name: base64.StdEncoding.EncodeToString(m.Body)}
	return envelope{Data: data, Metadata: withSys(metadata, f.name, now)}
}

// A schedule determines when a timer fires. It is written as an NCRONTAB expression.
type schedule struct {
	text string
	cron wallclock.Cron
}

var (
	// cronField matches the fields of NCRONTAB, which has neither ?, L, W and # nor a time zone.
	cronField = regexp.MustCompile(`^[0-9A-Za-z*/,-]+$`)
	// sunday7 matches a 7 that means Sunday, which cron accepts and NCRONTAB refuses.
	sunday7 = regexp.MustCompile(`(^|[,-])7($|[,/-])`)
	// numRange matches a range of numbers. If the first number is the greater one, NCRONTAB swaps them and cron wraps
	// around.
	numRange = regexp.MustCompile(`(\d+)-(\d+)`)
)

// parseSchedule parses an NCRONTAB expression of six fields {second} {minute} {hour} {day} {month} {weekday}.
// Occurrences are in UTC, as in Azure.
func parseSchedule(text string) (schedule, error) {
	fields := strings.Fields(text)
	if err := checkCronFields(text, fields); err != nil {
		return schedule{}, err
	}
	c, err := wallclock.ParseCron(fields)
	if err != nil {
		return schedule{}, fault.New(fault.Invalid, "schedule %q: %w", text, err)
	}
	return schedule{text: text, cron: c}, nil
}

func checkCronFields(text string, fields []string) error {
	if len(fields) != 6 {
		return fault.New(fault.Invalid,
			"schedule %q: want 6 fields {second} {minute} {hour} {day} {month} {weekday}, have %d", text, len(fields))
	}
	for _, f := range fields {
		if len(f) > 256 || !cronField.MatchString(f) {
			return fault.New(fault.Invalid, "schedule %q: %q is not NCRONTAB", text, f)
		}
		for _, r := range numRange.FindAllStringSubmatch(f, -1) {
			if whole(r[1]) > whole(r[2]) {
				return fault.New(fault.Invalid, "schedule %q: range %s runs backwards", text, r[0])
			}
		}
	}
	if sunday7.MatchString(fields[5]) {
		return fault.New(fault.Invalid, "schedule %q: weekdays are 0 (Sunday) to 6", text)
	}
	return nil
}

// next returns the first occurrence after t, in UTC. It is always later than t.
func (s schedule) next(t time.Time) time.Time { return s.cron.Next(t, time.UTC) }

// frequent reports whether the schedule fires more than once a minute. The real host handles such timers differently,
// and this app has no such timer.
func (s schedule) frequent() bool {
	first := s.next(time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC))
	return s.next(first).Sub(first) < time.Minute
}

var timeSpanForm = regexp.MustCompile(`^(\d\d):([0-5]\d):([0-5]\d)$`)

// parseTimeSpan parses the form of a .NET TimeSpan that Tidemark's host.json uses, hh:mm:ss. It refuses days,
// fractions and a single number, which .NET interprets as days.
func parseTimeSpan(s string) (time.Duration, error) {
	m := timeSpanForm.FindStringSubmatch(s)
	if m == nil || m[1] > "23" {
		return 0, fault.New(fault.Invalid, "want a time span such as 00:05:00, not %q", s)
	}
	seconds := whole(m[1])*3600 + whole(m[2])*60 + whole(m[3])
	return time.Duration(seconds) * time.Second, nil
}

// whole parses a few digits.
func whole(digits string) int {
	n, _ := strconv.Atoi(digits) // Unreachable: a pattern has matched a few digits
	return n
}

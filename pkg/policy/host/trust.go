package host

import "maps"

// LastModRecord counts how reliable a host's lastmod values have been lately. The counts are halved at a hundred
// predictions, so that a host can become better or worse.
type LastModRecord struct {
	Right       int `json:"right"`       // checks that found the predicted change
	Wrong       int `json:"wrong"`       // checks that found no change although one was predicted
	Unannounced int `json:"unannounced"` // changes without a prediction
}

const (
	enoughPredictions = 20
	recordWindow      = 100
)

// Truthful reports whether checks are brought forward because of lastmod: at least four in five of at least 20
// predictions were right.
func (l LastModRecord) Truthful() bool {
	n := l.Right + l.Wrong
	return n >= enoughPredictions && 5*l.Right >= 4*n
}

// Predictions is the number of predictions that were checked.
func (l LastModRecord) Predictions() int { return l.Right + l.Wrong }

// Add counts one check. Missing predictions of a host that never made any do not count.
func (l *LastModRecord) Add(score LastModRecord) {
	if l.Predictions() >= recordWindow && score.Predictions() > 0 {
		l.Right, l.Wrong, l.Unannounced = l.Right/2, l.Wrong/2, l.Unannounced/2
	}
	l.Right += score.Right
	l.Wrong += score.Wrong
	if l.Predictions() > 0 {
		l.Unannounced += score.Unannounced
	}
}

// ScoreLastMod compares a host's prediction with the result of a check: predicted means that a change was predicted,
// changed that the page has changed, stands that it is as it was.
func ScoreLastMod(predicted, changed, stands bool) LastModRecord {
	switch {
	case predicted && changed:
		return LastModRecord{Right: 1}
	case predicted && stands:
		return LastModRecord{Wrong: 1}
	case changed:
		return LastModRecord{Unannounced: 1}
	}
	return LastModRecord{}
}

// Rates counts recent checks.
type Rates struct {
	Checks  int `col:"checks"`
	Changes int `col:"changes"`
	Errors  int `col:"errors"`
}

// rateWindow is the number of checks after which the counters are halved, so that recent checks weigh more.
const rateWindow = 1000

// Add counts a check.
func (r *Rates) Add(changed, failed bool) {
	if r.Checks >= rateWindow {
		*r = Rates{r.Checks / 2, r.Changes / 2, r.Errors / 2}
	}
	r.Checks++
	if changed {
		r.Changes++
	}
	if failed {
		r.Errors++
	}
}

// Fingerprints are the soft-404 fingerprints of a host's origins, by scheme. An origin that answers 404 has none.
type Fingerprints map[string]string

// With returns the fingerprints with that of one origin replaced, or removed if it is empty.
func (f Fingerprints) With(scheme, fingerprint string) Fingerprints {
	f = maps.Clone(f)
	if f == nil {
		f = Fingerprints{}
	}
	if f[scheme] = fingerprint; fingerprint == "" {
		delete(f, scheme)
	}
	return f
}

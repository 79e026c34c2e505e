package host

import "maps"

// LastModRecord records how reliable a host's lastmod values have been lately. The counts are halved at a hundred
// predictions, so that a host can gain or lose trust.
type LastModRecord struct {
	Right       int `json:"right"`       // checks that found the predicted change
	Wrong       int `json:"wrong"`       // checks that found no change although one was predicted
	Unannounced int `json:"unannounced"` // changes that the host had not predicted
}

const (
	enoughPredictions = 20
	recordWindow      = 100
)

// Truthful reports whether lastmod may bring checks forward. It may if there were at least 20 predictions and at
// least four in five were right.
func (l LastModRecord) Truthful() bool {
	n := l.Right + l.Wrong
	return n >= enoughPredictions && 5*l.Right >= 4*n
}

// Predictions returns the number of predictions that were checked.
func (l LastModRecord) Predictions() int { return l.Right + l.Wrong }

// Add adds the score of one check. For a host that never predicted a change, an unannounced change does not count.
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

// ScoreLastMod compares a host's prediction with the result of a check: predicted means that the host announced a
// change, changed means that the page has changed, and stands means that the page is as it was.
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

// Fingerprints are the soft-404 fingerprints of a host's origins, by scheme. An origin that answers missing pages
// with 404 has no fingerprint.
type Fingerprints map[string]string

// With returns a copy in which the fingerprint of one scheme is replaced, or removed if the new fingerprint is empty.
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

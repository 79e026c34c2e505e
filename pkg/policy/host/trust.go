package host

import "maps"

// LastModRecord records how reliable a host's lastmod values have been lately. When there are a hundred predictions,
// the counts are halved, so that a host can still gain or lose trust.
type LastModRecord struct {
	Right       int `json:"right"`       // checks that found the predicted change
	Wrong       int `json:"wrong"`       // checks that found no change although one was predicted
	Unannounced int `json:"unannounced"` // changes that the host had not predicted
}

const (
	enoughPredictions = 20
	recordWindow      = 100
)

// Truthful reports whether the host's lastmod may bring checks forward. This requires at least 20 predictions, of
// which at least four in five were right.
func (l LastModRecord) Truthful() bool {
	n := l.Right + l.Wrong
	return n >= enoughPredictions && 5*l.Right >= 4*n
}

// Predictions returns the number of predictions that were checked.
func (l LastModRecord) Predictions() int { return l.Right + l.Wrong }

// Add adds the score of one check. An unannounced change does not count if the host has never predicted a change.
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

// ScoreLastMod compares a host's prediction with the result of a check. The arguments report whether the host had
// announced a change, whether the page has changed, and whether the page is certainly unchanged.
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

// Fingerprints are the soft-404 fingerprints of a host's origins, by scheme. An origin that answers 404 for missing
// pages has no fingerprint.
type Fingerprints map[string]string

// With returns a copy with another fingerprint for a scheme. If the fingerprint is empty, the scheme is removed.
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

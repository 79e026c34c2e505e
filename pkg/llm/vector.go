package llm

import "math"

// Unit scales v, in place, to a unit vector, so that the dot product of two vectors is the cosine of their angle. It
// returns false if v has no direction, because it is empty or all zeros, or contains a NaN or an infinity.
func Unit(v []float32) bool {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if !(sum > 0) || math.IsInf(sum, 0) {
		return false
	}
	scale := 1 / math.Sqrt(sum)
	for i, x := range v {
		v[i] = float32(float64(x) * scale)
	}
	return true
}

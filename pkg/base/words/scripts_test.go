package words

import "testing"

// TestQ3Sentences checks which texts are as long as a sentence, in scripts with spaces between words and without (Q3).
func TestQ3Sentences(t *testing.T) {
	for text, want := range map[string]bool{
		"The north quay is closed from now on.": true,
		"The north quay is closed from today.":  false,
		"1 2 3 4 5 6 7 8":                       false,
		"本日より北埠頭は閉鎖されますのでご注意ください":               true,
		"北埠頭は閉鎖されます":                            false,
		"ທ່າເຮືອທາງເໜືອປິດຕັ້ງແຕ່ມື້ນີ້ເປັນຕົ້ນໄປ": true,
		"កំពង់ផែខាងជើងត្រូវបានបិទចាប់ពីថ្ងៃនេះតទៅ": true,
	} {
		if have := IsSentence(text); have != want {
			t.Errorf("%q: %v", text, have)
		}
	}
}

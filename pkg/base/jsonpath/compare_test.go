package jsonpath_test

import "testing"

// TestW24Comparisons checks the comparisons of RFC 9535 §2.3.5.2.2: what has no order is neither less nor greater, two
// missing values are equal, and an operator in a text is part of it (W24).
func TestW24Comparisons(t *testing.T) {
	root, _ := treeOf(t, `{"v":[{"n":2,"s":"a > b","list":[1,2],"short":[1],"object":{"a":1},"yes":true,"no":false,
		"null":null,"x >= y":0.5}]}`)
	for expr, holds := range map[string]bool{
		"@.n >= 2": true, "@.n > 1": true, "@.n > 2": false, "@.n <= 2": true, "@.n >= 3": false, "1 <= @.n": true,
		`@.s > 'a'`: true, `@.s >= 'a > b'`: true, `@.s <= "a > b"`: true, `@.s > "a > b"`: false, `@.s == 'a > b'`: true,
		`@.s >= 'b >= \'c\''`: false, `@.s <= "b <= \" > c"`: true,
		"@['x >= y'] >= 0.5": true, "@['x >= y'] > 0.5": false, "@['x >= y'] <= 0.4": false,
		"@.list > @.short": false, "@.list >= @.short": false, "@.list <= @.short": false, "@.short < @.list": false,
		"@.list >= @.list": true, "@.list <= @.list": true, "@.list > @.list": false,
		"@.object >= @.list": false, "@.object >= @.object": true, "@.object > @.object": false,
		"@.yes > @.no": false, "@.yes >= @.no": false, "@.no <= @.yes": false, "@.yes >= true": true, "@.no > null": false,
		"@.null >= null": true, "@.null > null": false, "@.n >= '2'": false, "'2' <= @.n": false,
		"@.none >= @.other": true, "@.none <= @.other": true, "@.none > @.other": false, "@.none >= @.n": false,
		"@.none <= null": false, "length(@.n) >= @.none": true,
		"length(@.s) >= 5": true, "length(@.s) > 5": false, "count(@.list[?@ >= 2]) >= 1": true,
		"count(@[?count(@[?@ >= 1]) >= 2]) <= 1": true, "!(@.list >= @.short)": true, "@[?@ >= 'b']": false,
		"(@.n > 5 || @.list >= @.short)": false, "value(@.list[?@ > 1]) >= 2": true,
	} {
		places, err := find(t, root, "$.v[?"+expr+"]")
		if err != nil || (len(places) == 1) != holds {
			t.Errorf("%s: %v (%v)", expr, places, err)
		}
	}
}

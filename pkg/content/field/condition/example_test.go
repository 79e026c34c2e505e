package condition_test

import (
	"fmt"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/content/field"
	"github.com/tidemark/tidemark/pkg/content/field/condition"
)

func Example() {
	cheap, err := condition.Parse(api.Condition{Field: "price", Op: condition.Less, Value: "80 EUR"})
	if err != nil {
		fmt.Println(err)
		return
	}
	euros := func(n field.Decimal) field.Moment {
		return field.Moment{Value: field.Value{Type: field.Money, Number: n, Currency: "EUR"}}
	}
	_, fires := cheap.Fires([]field.Change{{Name: "price", Then: euros("84"), Now: euros("79")}})
	fmt.Println(cheap, fires)
	_, fires = cheap.Fires([]field.Change{{Name: "price", Then: euros("79"), Now: euros("75")}})
	fmt.Println("again:", fires)
	// Output:
	// price < 80 EUR true
	// again: false
}

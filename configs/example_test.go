package configs_test

import (
	"errors"
	"fmt"

	"watershed/configs"
)

func ExampleParse() {
	h, err := configs.Parse("gemo.yaml", []byte(`
harvest: gemo
operator:
  name: Example Library
  contact: mailto:archive@library.example
sites:
  - name: Gemo
    seeds: [https://www.gemo.example/]
politeness:
  min_delay: 5s
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(h.Sites[0].Seeds[0], h.Politeness.MinDelay, h.Archive.WARCSize)
	for _, o := range h.Effective() {
		if o.Key == "politeness.min_delay" || o.Key == "politeness.max_delay" {
			fmt.Println(o.Key, o.Value, o.Origin)
		}
	}
	// Output:
	// https://www.gemo.example/ 5s 1GB
	// politeness.min_delay 5s gemo.yaml:10
	// politeness.max_delay 30s default
}

func ExampleErrors() {
	_, err := configs.Parse("gemo.yaml", []byte(`harvest: gemo
operator: {name: Example Library, contact: "https://library.example/"}
sites:
  - name: Gemo
    seeds: [www.gemo.example]
politeness:
  min_dealy: 5s
`))
	fmt.Println(err)
	var all configs.Errors
	fmt.Println(errors.As(err, &all), len(all))
	// Output:
	// gemo.yaml:5:13: sites[0].seeds[0]: "www.gemo.example" is no web address: it has no scheme
	//     5 |     seeds: [www.gemo.example]
	//       |             ^
	//       = did you mean https://www.gemo.example/?
	//
	// gemo.yaml:7:3: politeness has no key "min_dealy"
	//     7 |   min_dealy: 5s
	//       |   ^
	//       = did you mean "min_delay"?
	// true 2
}

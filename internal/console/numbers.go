package console

import "fmt"

// Plural is a number with the noun that fits: "1 page", "2 pages".
func Plural[T int | int64](n T, one, more string) string {
	if n == 1 {
		more = one
	}
	return fmt.Sprintf("%d %s", n, more)
}

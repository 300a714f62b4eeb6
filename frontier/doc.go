// Package frontier decides what is fetched next and when.
package frontier

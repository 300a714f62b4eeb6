// Package suites judges Watershed by the test suites of other people: the URL test data of the web
// platform tests, and the specification test of a reader of robots.txt that Google publishes.
// The suites are not kept here: each command takes the files as their projects publish them.
package suites

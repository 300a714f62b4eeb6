// Package suites judges Watershed by the test suites of other people: the URL test data of the web
// platform tests, and what Google, crawler-commons and Heritrix expect of a reader of robots.txt.
// The suites are not kept here: each command takes the files as their projects publish them.
package suites

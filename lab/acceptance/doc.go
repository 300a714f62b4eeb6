// Package acceptance judges a whole harvest of a web whose truth is known, as an archivist would
// meet it: through the finished program and over the wire.
//
// Each exported type is a command of the laboratory, its fields are the options. WEB is the folder
// of a built test web, which package testweb reads: sites.tsv has URL, site and kind, the first row
// of a site is its entry page; links.tsv has source and target. An access log has one request a
// line: start and end in microseconds, host, method, path, status.
package acceptance

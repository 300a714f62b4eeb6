// Package configs reads harvests written as YAML: what to fetch, how gently, where a site ends and
// where the archive lies.
//
// A Harvest is plain data with every default filled in. Reading is strict: a key that does not
// exist, a value of the wrong type or out of range, a key given twice, a rule that cannot be read
// are errors, each with its file, line and column, the line itself and, where one is near, the key
// that was meant. All errors of a file are told at once; only an error of the YAML syntax itself
// hides the errors behind it.
//
// Every option is documented once, in reference.yaml (Reference), from which the descriptions of
// the JSON Schema come too; a test holds it equal to the structs. The meaning of the values is the
// business of the packages that get them: the command line copies them into those packages'
// Options.
//
// The words: a key is the path of an option, "politeness.hosts[0].min_delay"; its origin is the
// place where it was set, or the default.
package configs

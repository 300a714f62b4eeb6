// Package usage writes down how a command line is used, from its kong model: as manual pages (man
// 1) and as completions for bash, zsh and fish.
//
// The words: a command is a node of the model, its path the words that lead to it ("copies list");
// commands that the model hides are left out. A value is what follows a flag, or a positional
// argument; its kind says how it is completed.
//
// The kind follows from what the model says already. A value with an enum is one of those words.
// Else its type, or its name as help prints it, decides: FILE, PATH and TABLE are completed as
// files, DIR and FOLDER as directories, and all others, such as URL or NAME, not at all. A name
// counts in either case, in the plural, and as a part of a longer one (url|file, HARVEST.yaml).
//
// The output depends on the model alone: no clock, no version, no order of maps.
package usage

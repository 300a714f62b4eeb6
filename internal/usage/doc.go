// Package usage tells how a command line is used, from its kong model: as manual pages (man 1), and
// as what may be typed next, for the completion of shells. Commands and flags that the model hides
// are left out. The output depends on the model alone: no clock, no version, no order of maps.
package usage

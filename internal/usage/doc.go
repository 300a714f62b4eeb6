// Package usage gives a command line its help, and tells what may be typed next, for the completion of
// shells, from its kong model. Commands and flags that the model hides are left out.
package usage

// Package rankings judges rankings of package mirror on webs whose mirrors are known, and fits the
// weights of the fused one.
//
// The tables and figures are those of K. Bharat, A. Broder, J. Dean, M. Henzinger, A comparison of
// techniques to find mirrored hosts on the WWW, 1999, section 4, and of K. Bharat, A. Broder,
// Mirror, mirror on the Web, 1999, section 4. A Truth is read once and then only read.
package rankings

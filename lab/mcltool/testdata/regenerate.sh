#!/bin/sh
# Makes the golden files with the reference program (Debian package mcl, version 22-282). Run in this directory. The first
# line of a golden file is the command that made the rest.
set -eu
golden() { # NAME COMMAND
	{ echo "# $2"; sh -c "$2"; } > "$1.golden"
}
for graph in small hat web; do
	mcxload -abc $graph.abc --stream-mirror -write-tab $graph.tab -ri max -o $graph.mci 2> /dev/null
	for I in 1.4 2.0 4.0; do
		golden $graph.$I "mcl $graph.abc --abc -I $I -te 1 -q x -V all -o -"
		mcl $graph.mci -I $I -te 1 -q x -V all -o $graph.$I.clm
		golden $graph.$I.info "clm info $graph.mci $graph.$I.clm"
	done
	golden $graph.dist "clm dist $graph.1.4.clm $graph.2.0.clm $graph.4.0.clm"
done
for scheme in 1 7; do
	golden dense.s$scheme "mcl dense.abc --abc -I 2.0 -scheme $scheme -te 1 -q x -V all -o -"
done
golden hat.matrix "mcxload -abc hat.abc --stream-mirror -ri max -o - 2> /dev/null"
# The program's own examples, from the Debian package mcl-doc; their .mci files are copied as they are.
for graph in fznyy infinity matula petersen rcltiny seven small; do
	for I in 1.4 2.0 4.0; do
		golden examples/$graph.$I "mcl examples/$graph.mci -I $I -overlap split -te 1 -q x -V all -o -"
	done
done
golden examples/seven.keep "mcl examples/seven.mci -I 2.0 -overlap keep -te 1 -q x -V all -o -"
rm -f ./*.mci ./*.tab ./*.clm

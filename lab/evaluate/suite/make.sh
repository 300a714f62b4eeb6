#!/bin/bash
# make.sh DIR SHARED makes the webs that suite.txt lists in DIR, from documentation that Rust's
# toolchains, Node.js and Debian's development packages install, laid out by SHARED/testweb, and
# webs drawn by SHARED/delimit/synth.py. It fetches nothing.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd) dir=$1 shared=$(cd "$2" && pwd)
books="book rust-by-example unstable-book error_codes rustc edition-guide reference cargo nomicon test
	embedded-book clippy proc_macro rustdoc std_detect style-guide alloc std src"
mkdir -p "$dir/raw/local" && cd "$dir" && cp "$here/suite.txt" .
for release in stable nightly; do
	html=$(rustc "+$release" --print sysroot)/share/doc/rust/html
	for book in $books; do
		mkdir -p "raw/$release/$book/rust/html"
		cp -a "$html/$book" "raw/$release/$book/rust/html/"
	done
done
for docs in npm:/usr/lib/node_modules/npm/docs nodejs:/usr/share/doc/nodejs valgrind:/usr/share/doc/valgrind \
	libxslt:/usr/share/doc/libxslt1-dev libffi:/usr/share/doc/libffi8; do
	cp -a "${docs#*:}" "raw/local/${docs%%:*}"
done
apt-cache dumpavail | grep -E '^(Package|Section|Homepage|Description|Depends): ' >packages.idx
go build -C "$shared/testweb" -o "$PWD/layout" ./build
for web in manuals:3 manuals:17 others:5 others:29; do
	./layout -seed "${web#*:}" -raw raw -trees "$here/${web%:*}.trees" "${web/:/}"
	rm "${web/:/}/pack.dat"
done
for web in 6000:7 6000:8 8000:31 8000:32; do
	python3 "$shared/delimit/synth.py" "${web%:*}" "${web#*:}" "drawn${web#*:}"
done

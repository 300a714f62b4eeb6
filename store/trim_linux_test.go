package store

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"testing"
)

// Whatever Badger maps lies where trim unmaps pages, and nothing else does; the state is read again
// after that.
func TestMappings(t *testing.T) {
	dir := t.TempDir()
	s := openTest(t, dir)
	fill(t, s, 5_000)
	if err := s.Close(); err != nil { // which makes a table
		t.Fatal(err)
	}
	s = openTest(t, dir)
	fill(t, s, 1_000)
	room.unmap()
	inside, outside, strange := mappingsOf(t, dir)
	if len(s.db.Tables()) == 0 || inside == 0 || len(outside) > 0 || len(strange) > 0 {
		t.Errorf("%d mappings of the state among those to be unmapped, without %q, with %q", inside,
			outside, strange)
	}
	if n, _ := countURLs(t, s); n != 5_000 {
		t.Errorf("%d URLs", n)
	}
}

// mappingsOf counts the mappings of files of dir in the room, and gives those that are not in it,
// and those in it that are no shared mappings of files.
func mappingsOf(t *testing.T, dir string) (inside int, outside, strange []string) {
	maps, err := os.Open("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	defer maps.Close()
	lines := bufio.NewScanner(maps)
	for lines.Scan() {
		var from, to uint64
		var rights string
		if _, err := fmt.Sscanf(lines.Text(), "%x-%x %s", &from, &to, &rights); err != nil {
			t.Fatal(lines.Text(), err)
		}
		in := from >= firstAddress && to <= lastAddress
		ours := strings.Contains(lines.Text(), dir)
		switch {
		case in && ours:
			inside++
		case ours:
			outside = append(outside, lines.Text())
		case in && (!strings.HasSuffix(rights, "s") || !strings.Contains(lines.Text(), "/")):
			strange = append(strange, lines.Text())
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return inside, outside, strange
}

// Addresses are whole pages that follow each other, and begin again at the end.
func TestAddresses(t *testing.T) {
	var a addresses
	page := uintptr(os.Getpagesize())
	first, second, third := a.place(1), a.place(page+1), a.place(page)
	if first != firstAddress || second != first+page || third != second+2*page {
		t.Errorf("placed at %x, %x, %x", first, second, third)
	}
	a.next = lastAddress - uint64(page)
	if last, again := a.place(page), a.place(1); last != lastAddress-page || again != firstAddress {
		t.Errorf("placed at %x and %x at the end", last, again)
	}
}

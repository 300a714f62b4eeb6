//go:build unix

package flow_test

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"

	"watershed/flow"
	"watershed/graph"
	"watershed/lab/kit/rusage"
)

var (
	instanceFile = flag.String("instance", "",
		"solve this .bin or .fbin instance; TestInstance prints BUILD and SOLVE (seconds of processor "+
			"time) and FLOW")
	certifyIt = flag.Bool("certify", false, "also certify the solution of the instance")
)

// TestInstance solves one external instance, for comparison with other solvers in one run:
//
//	go test -c -o flow.test ./flow && ./flow.test -test.run TestInstance -instance web87k.bin
func TestInstance(t *testing.T) {
	if *instanceFile == "" {
		t.Skip("no -instance")
	}
	start := rusage.CPU()
	n, err := readInstance(*instanceFile)
	if err != nil {
		t.Fatal(err)
	}
	built := rusage.CPU()
	n.Solve()
	solved := rusage.CPU()
	fmt.Printf("BUILD %.3f SOLVE %.3f FLOW %d %+v\n", (built - start).Seconds(), (solved - built).Seconds(),
		n.Value(), n.Stats())
	if *certifyIt {
		certify(t, n)
	}
}

// BenchmarkInstance solves the file given by -instance.
func BenchmarkInstance(b *testing.B) {
	if *instanceFile == "" {
		b.Skip("no -instance")
	}
	for b.Loop() {
		b.StopTimer()
		n, err := readInstance(*instanceFile)
		if err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		n.Solve()
	}
}

// readInstance reads int32 n, m, s, t and m records (int32 u, v; capacity u→v, v→u), all
// little-endian. In a .bin file capacities are int64 and stay as they are; in a .fbin file they are
// float64 and become fixed point. s and t become the source and the sink of the network; from or to
// them, 2^40 or more is infinite.
func readInstance(path string) (*flow.Network, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return decodeInstance(bufio.NewReaderSize(f, 1<<16), filepath.Ext(path) == ".fbin")
}

func decodeInstance(r io.Reader, float bool) (*flow.Network, error) {
	var head [4]int32
	if err := binary.Read(r, binary.LittleEndian, &head); err != nil {
		return nil, fmt.Errorf("read header: %w", err)
	}
	s, t := graph.ID(head[2]), graph.ID(head[3])
	n := flow.New()
	n.AddVertices(int(head[0]))
	var record [24]byte
	for range head[1] {
		if _, err := io.ReadFull(r, record[:]); err != nil {
			return nil, fmt.Errorf("read record: %w", err)
		}
		u, v := graph.ID(binary.LittleEndian.Uint32(record[0:])),
			graph.ID(binary.LittleEndian.Uint32(record[4:]))
		there, back := decodeCapacity(record[8:], float), decodeCapacity(record[16:], float)
		if v == s || u == t {
			u, v, there, back = v, u, back, there
		}
		switch {
		case u == s && v == t: // in every cut
		case u == s:
			n.SetSource(v, sum(n.Source(v), there))
		case v == t:
			n.SetSink(u, sum(n.Sink(u), there))
		default:
			n.AddArc(u, graph.Arc{To: v, Capacity: there, Reverse: back})
		}
	}
	return n, nil
}

func decodeCapacity(b []byte, float bool) int64 {
	bits := binary.LittleEndian.Uint64(b)
	if x := math.Float64frombits(bits); float && x < 1<<40 {
		return graph.Fixed(x)
	}
	if int64(bits) < 1<<40 {
		return int64(bits)
	}
	return flow.Infinite
}

func sum(a, b int64) int64 {
	if b == flow.Infinite {
		return b
	}
	return a + b
}

// TestDecodeInstance reads the first network of TestKnownNetworks, 0.5 a unit, as floats.
func TestDecodeInstance(t *testing.T) {
	var b bytes.Buffer
	write := func(x any) {
		if err := binary.Write(&b, binary.LittleEndian, x); err != nil {
			t.Fatal(err)
		}
	}
	write([]int32{6, 10, 4, 5})
	for _, r := range []struct {
		U, V        int32
		There, Back float64
	}{
		{4, 0, 8, 0},
		{4, 1, 6, 0},
		{4, 1, 0.5, 0},
		{0, 2, 6, 0},
		{0, 1, 0, 2},
		{2, 1, 4.5, 0},
		{1, 3, 7, 0},
		{3, 2, 3.5, 0},
		{5, 2, 0, 10},
		{3, 5, 2, 0},
	} {
		write(r)
	}
	n, err := decodeInstance(&b, true)
	if err != nil {
		t.Fatal(err)
	}
	n.Solve()
	certify(t, n)
	if want := graph.Fixed(11.5); n.Value() != want {
		t.Errorf("value %d, want %d", n.Value(), want)
	}
}

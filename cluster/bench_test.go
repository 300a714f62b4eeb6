package cluster

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"

	"watershed/lab/kit/ports"
)

// BenchmarkWrites has three nodes keep the records of turns, each write synced on a majority of them before
// it is answered; as many are under way as one member makes. A turn takes two, and a third where others wait.
func BenchmarkWrites(b *testing.B) {
	broker := Broker{Name: "bench", Copies: 3, Key: "0123456789abcdef", Own: true, Patient: true}
	var nodes []Node
	free := ports.Free(b, 6)
	for i := range 3 {
		n := Node{Name: fmt.Sprintf("n%d", i), Clients: free[2*i], Peers: free[2*i+1]}
		nodes = append(nodes, n)
		broker.Servers = append(broker.Servers, "nats://"+n.Clients)
	}
	quiet, dir := slog.New(slog.DiscardHandler), b.TempDir()
	serving, stop := context.WithCancel(b.Context())
	var all sync.WaitGroup
	defer all.Wait()
	defer stop()
	for _, n := range nodes {
		all.Go(func() {
			if err := RunNode(serving, broker, n.Name, filepath.Join(dir, n.Name), nodes, quiet); err != nil {
				b.Error(err)
			}
		})
	}
	err := With(b.Context(), broker, "one", quiet, func(ctx context.Context, m *Member) error {
		var writers sync.WaitGroup
		b.ResetTimer()
		for w := range mostAsked {
			writers.Go(func() {
				rev, s := uint64(0), slot{number: uint32(w)}
				for range b.N / mostAsked {
					next, err := m.records.put(ctx, s.key(), said{Held: "ID", By: "ID", Rest: 2000}, rev)
					if err == nil {
						rev = next
						continue
					}
					b.Log(err) // the broker is sent a write again that it seems not to have heard
					if e, err := m.records.get(ctx, s.key()); err == nil {
						rev = e.rev
					}
				}
			})
		}
		writers.Wait()
		b.StopTimer()
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "writes/s")
}

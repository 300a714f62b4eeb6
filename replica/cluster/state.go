package cluster

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/zeebo/xxh3"

	"watershed/internal/extsort"
)

const (
	stateName    = "clusters.state"
	stateMagic   = "watershed-clusters"
	stateVersion = 1
)

// state tells which files make up a store. It is replaced as a whole, last, so that a store is
// always that of one moment.
type state struct {
	Generation   int                  `json:"generation"`
	Documents    uint64               `json:"documents"`
	Clusters     uint64               `json:"clusters"`
	MaxDocuments int                  `json:"max_documents"`
	MinSample    int                  `json:"min_sample"`
	Super        int                  `json:"super"`
	Threshold    float64              `json:"threshold"`
	Containment  float64              `json:"containment"`
	Tables       map[string]tableFile `json:"tables"`
}

// tableFile is one table of a state.
type tableFile struct {
	File    string `json:"file"`
	Records uint64 `json:"records"`
}

// encode is a line that tells version and checksum, then the state as JSON.
func (s *state) encode() ([]byte, error) {
	body, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode state: %w", err)
	}
	body = append(body, '\n')
	return append(fmt.Appendf(nil, "%s %d %016x\n", stateMagic, stateVersion, xxh3.Hash(body)), body...), nil
}

// decodeState reads what encode wrote.
func decodeState(b []byte) (*state, error) {
	head, body, _ := strings.Cut(string(b), "\n")
	words := strings.Fields(head)
	if len(words) != 3 || words[0] != stateMagic {
		return nil, fmt.Errorf("it does not begin with %q: %w", stateMagic, errState)
	}
	if words[1] != strconv.Itoa(stateVersion) {
		return nil, fmt.Errorf("version %s, this program reads %d: %w", words[1], stateVersion, errState)
	}
	if words[2] != fmt.Sprintf("%016x", xxh3.HashString(body)) {
		return nil, fmt.Errorf("checksum differs: %w", errState)
	}
	s := new(state)
	if err := json.Unmarshal([]byte(body), s); err != nil {
		return nil, fmt.Errorf("%w: %w", errState, err)
	}
	return s, nil
}

// readState is the state of a directory, or one that is empty.
func readState(dir *extsort.Dir) (*state, error) {
	b, err := dir.ReadFile(stateName)
	if errors.Is(err, fs.ErrNotExist) {
		return &state{Tables: map[string]tableFile{}}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read state: %w", err)
	}
	s, err := decodeState(b)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", stateName, err)
	}
	return s, nil
}

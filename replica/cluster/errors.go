package cluster

import "errors"

var (
	// errState says that the file of a directory that should tell its state is damaged, foreign, or
	// of another version.
	errState = errors.New("not the state of a clustering")
	// errOptions says that a store was begun with other options that cannot be changed afterwards.
	errOptions = errors.New("the store was begun with other options")
	// errDuplicate says that a page was added twice for one sweep.
	errDuplicate = errors.New("page was added twice for one sweep")
)

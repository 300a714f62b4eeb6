package store

// inspect finds what would make Badger end the process.
func inspect(o Options) error { return nil }

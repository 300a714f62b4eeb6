package sketch

type stripper struct{}

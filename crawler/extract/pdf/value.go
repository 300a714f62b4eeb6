package pdf

// value is an object: nil, bool, float64, name, text, reference, list, dict or *stream.
type value any

type (
	name      string
	text      []byte // a string
	reference int    // the number of an indirect object
	list      []value
	dict      map[name]value
	operator  string // of a content stream
)

// stream is a dict with bytes, as they stand in the file.
type stream struct {
	dict
	raw []byte
}

// maxReferences bounds how many references lead from one to another.
const maxReferences = 16

// resolve follows references.
func (f *file) resolve(v value) value {
	for range maxReferences {
		r, ok := v.(reference)
		if !ok {
			return v
		}
		v = f.objects[int(r)]
	}
	return nil
}

// dict is an object that is a dict or a stream; nil for another.
func (f *file) dict(v value) dict {
	switch v := f.resolve(v).(type) {
	case dict:
		return v
	case *stream:
		return v.dict
	}
	return nil
}

func (f *file) list(v value) list      { return as[list](f, v) }
func (f *file) name(v value) name      { return as[name](f, v) }
func (f *file) number(v value) float64 { return as[float64](f, v) }

// as is an object that is a T, the zero value for another.
func as[T value](f *file, v value) T {
	x, _ := f.resolve(v).(T)
	return x
}

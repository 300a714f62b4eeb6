package frontier

// heap is a binary heap whose elements know their place in it, so that one can be moved or taken
// out. (container/heap would do, with an allocation for each call.)
type heap[T any, O order[T]] struct {
	by    O
	items []T
}

// order says which of two elements comes first, and where an element keeps its place in items, -1
// when it is in none.
type order[T any] interface {
	before(a, b T) bool
	at(T) *int32
}

func (h *heap[T, O]) len() int { return len(h.items) }
func (h *heap[T, O]) top() T   { return h.items[0] }

// fix puts x in, or in order again after its key has changed.
func (h *heap[T, O]) fix(x T) {
	i := int(*h.by.at(x))
	if i < 0 {
		i = len(h.items)
		h.items = append(h.items, x)
		*h.by.at(x) = int32(i)
	}
	if !h.down(i) {
		h.up(i)
	}
}

// remove takes x out, if it is in.
func (h *heap[T, O]) remove(x T) {
	i := int(*h.by.at(x))
	if i < 0 {
		return
	}
	last := len(h.items) - 1
	h.swap(i, last)
	var none T
	h.items[last] = none
	h.items = h.items[:last]
	*h.by.at(x) = -1
	if i < last && !h.down(i) {
		h.up(i)
	}
}

func (h *heap[T, O]) up(i int) {
	for i > 0 {
		p := (i - 1) / 2
		if !h.by.before(h.items[i], h.items[p]) {
			return
		}
		h.swap(i, p)
		i = p
	}
}

func (h *heap[T, O]) down(i int) (moved bool) {
	for {
		c := 2*i + 1
		if c >= len(h.items) {
			return moved
		}
		if c+1 < len(h.items) && h.by.before(h.items[c+1], h.items[c]) {
			c++
		}
		if !h.by.before(h.items[c], h.items[i]) {
			return moved
		}
		h.swap(i, c)
		i, moved = c, true
	}
}

func (h *heap[T, O]) swap(i, j int) {
	h.items[i], h.items[j] = h.items[j], h.items[i]
	*h.by.at(h.items[i]), *h.by.at(h.items[j]) = int32(i), int32(j)
}

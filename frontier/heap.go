package frontier

// heap is a binary heap whose elements know their place in it, so that one can be moved or taken
// out. (container/heap would do, with an allocation for each call.)
type heap[T any] struct {
	items []T
	less  func(a, b T) bool
	at    func(T) *int // place of the element in items, -1 when it is in none
}

func (h *heap[T]) len() int { return len(h.items) }
func (h *heap[T]) top() T   { return h.items[0] }

// fix puts x in, or in order again after its key has changed.
func (h *heap[T]) fix(x T) {
	i := *h.at(x)
	if i < 0 {
		i = len(h.items)
		h.items = append(h.items, x)
		*h.at(x) = i
	}
	if !h.down(i) {
		h.up(i)
	}
}

// remove takes x out, if it is in.
func (h *heap[T]) remove(x T) {
	i := *h.at(x)
	if i < 0 {
		return
	}
	last := len(h.items) - 1
	h.swap(i, last)
	var none T
	h.items[last] = none
	h.items = h.items[:last]
	*h.at(x) = -1
	if i < last && !h.down(i) {
		h.up(i)
	}
}

func (h *heap[T]) up(i int) {
	for i > 0 {
		p := (i - 1) / 2
		if !h.less(h.items[i], h.items[p]) {
			return
		}
		h.swap(i, p)
		i = p
	}
}

func (h *heap[T]) down(i int) (moved bool) {
	for {
		c := 2*i + 1
		if c >= len(h.items) {
			return moved
		}
		if c+1 < len(h.items) && h.less(h.items[c+1], h.items[c]) {
			c++
		}
		if !h.less(h.items[c], h.items[i]) {
			return moved
		}
		h.swap(i, c)
		i, moved = c, true
	}
}

func (h *heap[T]) swap(i, j int) {
	h.items[i], h.items[j] = h.items[j], h.items[i]
	*h.at(h.items[i]), *h.at(h.items[j]) = i, j
}

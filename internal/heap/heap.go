// Package heap has a binary heap whose elements know their place in it, so that one can be moved or
// taken out. (container/heap would do, with an allocation for each call.)
package heap

// Heap is one; By is its order, and must be set. It is not safe for concurrent use.
type Heap[T any, O Order[T]] struct {
	By    O
	items []T
}

// Order says which of two elements comes first, and where an element keeps its place in the heap, -1
// when it is in none.
type Order[T any] interface {
	Before(a, b T) bool
	At(T) *int32
}

// Len is the number of elements.
func (h *Heap[T, O]) Len() int { return len(h.items) }

// Top is the first of them, of which there must be one.
func (h *Heap[T, O]) Top() T { return h.items[0] }

// Fix puts x in, or in order again after its key has changed.
func (h *Heap[T, O]) Fix(x T) {
	i := int(*h.By.At(x))
	if i < 0 {
		i = len(h.items)
		h.items = append(h.items, x)
		*h.By.At(x) = int32(i)
	}
	if !h.down(i) {
		h.up(i)
	}
}

// Remove takes x out, if it is in.
func (h *Heap[T, O]) Remove(x T) {
	i := int(*h.By.At(x))
	if i < 0 {
		return
	}
	last := len(h.items) - 1
	h.swap(i, last)
	var none T
	h.items[last] = none
	h.items = h.items[:last]
	*h.By.At(x) = -1
	if i < last && !h.down(i) {
		h.up(i)
	}
}

func (h *Heap[T, O]) up(i int) {
	for i > 0 {
		p := (i - 1) / 2
		if !h.By.Before(h.items[i], h.items[p]) {
			return
		}
		h.swap(i, p)
		i = p
	}
}

func (h *Heap[T, O]) down(i int) (moved bool) {
	for {
		c := 2*i + 1
		if c >= len(h.items) {
			return moved
		}
		if c+1 < len(h.items) && h.By.Before(h.items[c+1], h.items[c]) {
			c++
		}
		if !h.By.Before(h.items[c], h.items[i]) {
			return moved
		}
		h.swap(i, c)
		i, moved = c, true
	}
}

func (h *Heap[T, O]) swap(i, j int) {
	h.items[i], h.items[j] = h.items[j], h.items[i]
	*h.By.At(h.items[i]), *h.By.At(h.items[j]) = int32(i), int32(j)
}

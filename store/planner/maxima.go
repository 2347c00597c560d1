package planner

import (
	"math/bits"
	"slices"
)

// blockSize is how many values are scanned rather than indexed: a cache line or two.
const blockSize = 16

// maxima finds the largest of a range of values and the next value that is large enough, both in
// O(log n). Over blocks of values stands a complete binary tree of their maxima: tree[1] is the
// root, the blocks are at [blocks, 2*blocks), blocks is a power of two.
type maxima[T ~int64 | ~uint64] struct {
	values []T
	tree   []T
	blocks int
}

func newMaxima[T ~int64 | ~uint64](values []T) maxima[T] {
	m := maxima[T]{values: values}
	if len(values) < blockSize {
		return m
	}
	m.blocks = 1 << bits.Len(uint((len(values)-1)/blockSize))
	m.tree = make([]T, 2*m.blocks)
	block := m.blocks
	for part := range slices.Chunk(values, blockSize) {
		m.tree[block] = slices.Max(part)
		block++
	}
	for i := m.blocks - 1; i > 0; i-- {
		m.tree[i] = max(m.tree[2*i], m.tree[2*i+1])
	}
	return m
}

// over is the largest of values[i:j], 0 when there is none.
func (m *maxima[T]) over(i, j int) (largest T) {
	left, right := (i+blockSize-1)/blockSize, j/blockSize // the whole blocks inside
	if left >= right {
		return largestOf(m.values[i:j], 0)
	}
	largest = largestOf(m.values[i:left*blockSize], 0)
	largest = largestOf(m.values[right*blockSize:j], largest)
	for left, right = left+m.blocks, right+m.blocks; left < right; left, right = left/2, right/2 {
		if left&1 == 1 {
			largest = max(largest, m.tree[left])
			left++
		}
		if right&1 == 1 {
			right--
			largest = max(largest, m.tree[right])
		}
	}
	return largest
}

// next is the first place from i on whose value is at least least; len(values) when there is none.
func (m *maxima[T]) next(i int, least T) int {
	end := min((i/blockSize+1)*blockSize, len(m.values))
	if k := firstAtLeast(m.values[i:end], least); k >= 0 {
		return i + k
	}
	if end == len(m.values) {
		return end
	}
	node := m.blocks + end/blockSize
	for m.tree[node] < least { // on to the next subtree on the right
		for node&1 == 1 {
			node /= 2
		}
		if node == 0 {
			return len(m.values)
		}
		node++
	}
	for node < m.blocks { // down to its first block
		node *= 2
		if m.tree[node] < least {
			node++
		}
	}
	i = (node - m.blocks) * blockSize
	return i + firstAtLeast(m.values[i:min(i+blockSize, len(m.values))], least)
}

func largestOf[T ~int64 | ~uint64](values []T, largest T) T {
	for _, v := range values {
		largest = max(largest, v)
	}
	return largest
}

func firstAtLeast[T ~int64 | ~uint64](values []T, least T) int {
	for i, v := range values {
		if v >= least {
			return i
		}
	}
	return -1
}

// lastAtOrBefore is the last place in the sorted times whose time is t or before; -1 when all are after.
func lastAtOrBefore(times []int64, t int64) int {
	base, n := 0, len(times)
	for n > 1 { // no branch depends on the comparison, so none is mispredicted
		half := n / 2
		if times[base+half] <= t {
			base += half
		}
		n -= half
	}
	if n == 0 || times[base] > t {
		return -1
	}
	return base
}

package judge

import "math/bits"

// twister is MT19937, and draws as Python's random does, so that a sample is the one that other
// programs draw by the same rule. Source: Matsumoto and Nishimura, Mersenne Twister, ACM TOMACS 8
// (1998); the reference code's init_by_array.
type twister struct {
	state [624]uint32
	next  int
}

func newTwister(seed uint32) *twister {
	t := &twister{next: 624}
	s := &t.state
	s[0] = 19650218
	for i := 1; i < 624; i++ {
		s[i] = 1812433253*(s[i-1]^s[i-1]>>30) + uint32(i)
	}
	i := 1
	step := func() {
		if i++; i == 624 {
			s[0] = s[623]
			i = 1
		}
	}
	for range 624 {
		s[i] = (s[i] ^ (s[i-1]^s[i-1]>>30)*1664525) + seed
		step()
	}
	for range 623 {
		s[i] = (s[i] ^ (s[i-1]^s[i-1]>>30)*1566083941) - uint32(i)
		step()
	}
	s[0] = 1 << 31
	return t
}

func (t *twister) uint32() uint32 {
	if t.next == 624 {
		s := &t.state
		for i := range s {
			y := s[i]&(1<<31) | s[(i+1)%624]&(1<<31-1)
			s[i] = s[(i+397)%624] ^ y>>1 ^ (y&1)*0x9908b0df
		}
		t.next = 0
	}
	y := t.state[t.next]
	t.next++
	y ^= y >> 11
	y ^= y << 7 & 0x9d2c5680
	y ^= y << 15 & 0xefc60000
	return y ^ y>>18
}

// below draws a number below n: as many bits as n has, again while they are too much.
func (t *twister) below(n uint32) uint32 {
	k := bits.Len32(n)
	for {
		if r := t.uint32() >> (32 - k); r < n {
			return r
		}
	}
}

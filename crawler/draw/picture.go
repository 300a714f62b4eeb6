package draw

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/jpeg"
)

// Bounds of a picture: its bytes, and how wide and high it is.
const (
	maxPicture = 2 << 20
	maxSide    = 4096
)

// quarter is how many points of a view, across and down, become one of its thumbnail.
const quarter = 4

// decode reads a picture of a page.
func decode(data []byte) (image.Image, error) {
	c, err := jpeg.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	if c.Width > maxSide || c.Height > maxSide {
		return nil, errors.New("a picture of a page is too large")
	}
	return jpeg.Decode(bytes.NewReader(data))
}

// shrink gives each square of n by n points their mean.
func shrink(m image.Image, n int) *image.RGBA {
	b := m.Bounds()
	small := image.NewRGBA(image.Rect(0, 0, b.Dx()/n, b.Dy()/n))
	for y := range small.Rect.Dy() {
		for x := range small.Rect.Dx() {
			var sum [3]uint32
			for i := range n * n {
				red, green, blue, _ := m.At(b.Min.X+x*n+i%n, b.Min.Y+y*n+i/n).RGBA()
				sum[0], sum[1], sum[2] = sum[0]+red>>8, sum[1]+green>>8, sum[2]+blue>>8
			}
			of := uint32(n * n)
			small.SetRGBA(x, y, color.RGBA{uint8(sum[0] / of), uint8(sum[1] / of), uint8(sum[2] / of), 255})
		}
	}
	return small
}

func thumbnail(view []byte) ([]byte, error) {
	m, err := decode(view)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = jpeg.Encode(&b, shrink(m, quarter), &jpeg.Options{Quality: 75})
	return b.Bytes(), err
}

// alikeBelow is the difference of two means, in steps of 255 of a colour, below which they are alike:
// JPEG and the edges of letters differ by less.
const alikeBelow = 24

// Difference compares two pictures of a page by the means of their squares of 8 by 8 points: the part
// of these that differ, or that one picture has alone, and a picture of the second, pale, with those
// squares in red.
func Difference(a, b []byte) (share float64, picture []byte, err error) {
	const side = 8
	x, err := decode(a)
	if err != nil {
		return 0, nil, err
	}
	y, err := decode(b)
	if err != nil {
		return 0, nil, err
	}
	one, other := shrink(x, side), shrink(y, side)
	both := one.Rect.Union(other.Rect)
	shown := image.NewRGBA(both)
	differ := 0
	for v := range both.Dy() {
		for u := range both.Dx() {
			p, q := one.RGBAAt(u, v), other.RGBAAt(u, v) // both without colour beyond their edges
			if apart(p.R, q.R) || apart(p.G, q.G) || apart(p.B, q.B) || p.A != q.A {
				differ++
				shown.SetRGBA(u, v, color.RGBA{200, 0, 0, 255})
				continue
			}
			shown.SetRGBA(u, v, color.RGBA{pale(q.R), pale(q.G), pale(q.B), 255})
		}
	}
	var out bytes.Buffer
	if err := jpeg.Encode(&out, shown, &jpeg.Options{Quality: 90}); err != nil {
		return 0, nil, err
	}
	return float64(differ) / float64(max(both.Dx()*both.Dy(), 1)), out.Bytes(), nil
}

func apart(a, b uint8) bool { return max(a, b)-min(a, b) >= alikeBelow }

func pale(c uint8) uint8 { return 191 + c/4 }

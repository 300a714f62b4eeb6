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

// decode reads a picture of a page, which browsers make of brightness and two colours.
func decode(data []byte) (*image.YCbCr, error) {
	c, err := jpeg.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	if c.Width > maxSide || c.Height > maxSide {
		return nil, errors.New("a picture of a page is too large")
	}
	m, err := jpeg.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	colours, ok := m.(*image.YCbCr)
	if !ok {
		return nil, errors.New("a picture of a page is none that a browser makes")
	}
	return colours, nil
}

// shrink gives each square of n by n points their mean: the colours are those of every other point, as
// most pictures have no more.
func shrink(m *image.YCbCr, n int) *image.RGBA {
	small := image.NewRGBA(image.Rect(0, 0, m.Rect.Dx()/n, m.Rect.Dy()/n))
	for y := range small.Rect.Dy() {
		for x := range small.Rect.Dx() {
			var bright, blue, red int
			for row := range n {
				at := m.YOffset(m.Rect.Min.X+x*n, m.Rect.Min.Y+y*n+row)
				for column, v := range m.Y[at : at+n] {
					bright += int(v)
					if row%2+column%2 == 0 {
						c := m.COffset(m.Rect.Min.X+x*n+column, m.Rect.Min.Y+y*n+row)
						blue += int(m.Cb[c])
						red += int(m.Cr[c])
					}
				}
			}
			all, some := n*n, n*n/4
			r, g, b := color.YCbCrToRGB(uint8(bright/all), uint8(blue/some), uint8(red/some))
			small.SetRGBA(x, y, color.RGBA{r, g, b, 255})
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

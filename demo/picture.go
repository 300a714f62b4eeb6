package demo

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
)

// drawing is a PNG of coloured stripes.
func drawing(r *rand.Rand, width, height int) []byte {
	stripes := make(color.Palette, 8)
	for i := range stripes {
		stripes[i] = color.RGBA{R: uint8(r.IntN(256)), G: uint8(r.IntN(256)), B: uint8(r.IntN(256)), A: 255}
	}
	img := image.NewPaletted(image.Rect(0, 0, width, height), stripes)
	for i := range img.Pix {
		img.Pix[i] = uint8(i / width * len(stripes) / height)
	}
	var out bytes.Buffer
	if err := png.Encode(&out, img); err != nil {
		panic("demo: " + err.Error()) // a buffer takes all
	}
	return out.Bytes()
}

package draw

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"math"
	"strings"
	"testing"
)

// painted is a picture as JPEG, white but for a black rectangle.
func painted(t *testing.T, width, height int, black image.Rectangle) []byte {
	t.Helper()
	m := image.NewRGBA(image.Rect(0, 0, width, height))
	for i := range m.Pix {
		m.Pix[i] = 255
	}
	for y := black.Min.Y; y < black.Max.Y; y++ {
		for x := black.Min.X; x < black.Max.X; x++ {
			m.SetRGBA(x, y, color.RGBA{A: 255})
		}
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, &jpeg.Options{Quality: 90}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestDifference: the share of squares that differ is that of what was painted, or has another size.
func TestDifference(t *testing.T) {
	plain := painted(t, 320, 160, image.Rectangle{})
	for _, c := range []struct {
		name  string
		other []byte
		want  float64
	}{
		{"the same", plain, 0},
		{"a quarter black", painted(t, 320, 160, image.Rect(0, 0, 160, 80)), .25},
		{"twice as high", painted(t, 320, 320, image.Rectangle{}), .5},
	} {
		share, picture, err := Difference(plain, c.other)
		if err != nil || math.Abs(share-c.want) > .001 {
			t.Errorf("%s: %g, %v, want %g", c.name, share, err, c.want)
		}
		if m, err := decode(picture); err != nil || m.Bounds().Dx() != 40 {
			t.Errorf("%s: the picture of the difference: %v", c.name, err)
		}
	}
	if _, _, err := Difference(plain, []byte("no picture")); err == nil {
		t.Error("a text is a picture")
	}
	var grey bytes.Buffer
	if err := jpeg.Encode(&grey, image.NewGray(image.Rect(0, 0, 9, 9)), nil); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Difference(plain, grey.Bytes()); err == nil {
		t.Error("a picture without colours is a browser's")
	}
	if _, _, err := Difference(painted(t, maxSide+1, 8, image.Rectangle{}), plain); err == nil {
		t.Error("a picture without bounds is read")
	}
}

// TestPicture: a page has a picture of its window and a smaller one, and its markup as it stands, with
// what shadow trees, canvases and style sheets made by scripts show, and without scripts.
func TestPicture(t *testing.T) {
	t.Parallel()
	tab := start(t, Options{Pictures: true})
	d := drawn(t, tab, "http://a.example/", &web{pages: map[string]string{"http://a.example/": `
<!doctype html><title>t</title><body onload="late()" style="margin:0;background:#fff">
<canvas id=c width=9 height=9></canvas>
<x-y><b slot=s>given</b></x-y><input id=i><noscript>without</noscript>
<div style="position:absolute;left:0;top:450px;width:1280px;height:450px;background:#000"></div><script>
document.querySelector('x-y').attachShadow({mode: 'open'}).innerHTML = '<p>shadow <slot name=s></slot>';
document.head.append(document.createElement('style'));
document.querySelector('style').sheet.insertRule('p { color: teal }');
function late() { i.value = 'a "typed" <word>'; c.getContext('2d').fillRect(0, 0, 9, 9); }
</script>`}})
	for _, want := range []string{
		"<!doctype html><html>", "<style>p { color: teal; }</style>",
		`<img id="c" width="9" height="9" src="data:image/png;base64,`,
		`<p>shadow <slot name="s"><b slot="s">given</b></slot></p>`,
		`<input id="i" value="a &quot;typed&quot; &lt;word&gt;">`,
	} {
		if !strings.Contains(d.Markup, want) {
			t.Errorf("no %s in %s", want, d.Markup)
		}
	}
	for _, no := range []string{"script", "onload", "late()", "without"} {
		if strings.Contains(d.Markup, no) {
			t.Errorf("%s in %s", no, d.Markup)
		}
	}
	for _, c := range []struct {
		data       []byte
		wide, high int
	}{{d.View, 1280, 900}, {d.Thumbnail, 320, 225}} {
		m, err := decode(c.data)
		if err != nil || m.Bounds().Dx() != c.wide || m.Bounds().Dy() != c.high {
			t.Fatalf("picture: %v, want %d by %d", err, c.wide, c.high)
		}
		above, _, _, _ := m.At(c.wide/2, c.high/4).RGBA()
		below, _, _, _ := m.At(c.wide/2, 3*c.high/4).RGBA()
		if above < 0xf000 || below > 0x0fff {
			t.Errorf("the picture shows %x above %x", above, below)
		}
	}
}

package quality

import "testing"

// TestAlike: two requests are alike where they differ by values alone that scripts make up.
func TestAlike(t *testing.T) {
	const at = "http://a.example/x?"
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{at + "_=1763912345678", at + "_=1763999999999", true},
		{at + "q=dam&_=5", at + "q=dam&_=6", true},
		{at + "q=dam&_=5", at + "q=weir&_=5", false},
		{at + "q=dam&_=5", at + "q=weir&_=6", false},
		{at + "1763912345678", at + "1763999999999", true},
		{at + "r=0.1234567891", at + "r=0.9876543211", true},
		{at + "s=0123456789abcdef0123", at + "s=fedcba98765432100000", true},
		{at + "s=550e8400-e29b-41d4-a716-446655440000", at + "s=6ba7b810-9dad-11d1-80b4-00c04fd430c8", true},
		{at + "page=1", at + "page=2", false},
		{at + "id=2000000001", at + "id=2000000002", false},
		{at + "callback=jQuery1_2", at + "callback=jQuery3_4", true},
		{at + "Callback=jQuery1_2", at + "callback=jQuery3_4", false},
		{at + "a=1&_=5", at + "_=6", false},
		{at + "_=5", "http://a.example/y?_=6", false},
		{"http://a.example/x", at + "_=6", false},
		{"http://a.example/x", "http://a.example/x", false},
	} {
		if got := alike(c.a, c.b); got != c.want {
			t.Errorf("%s and %s: %t", c.a, c.b, got)
		}
	}
}

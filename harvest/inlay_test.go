package harvest

import (
	"fmt"
	"testing"
)

// TestInlaidPictures: pages of a copy that have the words of their originals, and hold other pictures in
// themselves, are fetched, by whatever run; those that hold the same, beside what is made anew for each
// answer, are left out.
func TestInlaidPictures(t *testing.T) {
	for name, picture := range map[string]func(n int) string{
		"data URLs": func(n int) string { return fmt.Sprintf(`<img src="data:image/gif;base64,R%d=">`, n) },
		"SVG":       func(n int) string { return fmt.Sprintf(`<svg><path d="M0 0L%d 1"/></svg>`, n) },
		"a canvas": func(n int) string {
			return fmt.Sprintf("<script>draw([1,2,3,4,5,6,7,8,%d])</script>", n)
		},
	} {
		for _, now := range []bool{false, true} {
			for _, differ := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s/now=%v/differ=%v", name, now, differ), func(t *testing.T) {
					t.Parallel() // it waits more than it computes
					w, p := growing(t, 60, 60)
					p.Replicas.Now = now
					for i := range 60 {
						for k, host := range []string{original, copyHost} {
							at, n := fmt.Sprintf("%s/c%02d", host, i), i
							if differ {
								n += 100 * k
							}
							made := fmt.Sprintf(`<script nonce="x%d">t(%d)</script>`, k, k)
							w.pages[at] += picture(n) + made
						}
					}
					folder := Folder(t.TempDir())
					d := run(t, folder, p)
					if !now {
						w.forget()
						d = run(t, folder, p)
					}
					out := 0
					for i := range 60 {
						if w.asked(fmt.Sprintf("%s/c%02d", copyHost, i)) == 0 {
							out++
						}
					}
					if differ && out > 0 || !differ && out < 20 {
						t.Errorf("%d of 60 pages were left out; %d lines", out, len(leftLines(t, d.Run)))
					}
				})
			}
		}
	}
}

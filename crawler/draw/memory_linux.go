package draw

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
)

// mostProcesses bounds the processes of a browser that are counted.
const mostProcesses = 1 << 10

// memoryOf is the memory that a process and all that it has started have for themselves, in bytes:
// resident, without what is shared (proc(5), /proc/pid/statm).
func memoryOf(pid int) (sum int64) {
	list := []int{pid}
	for i := 0; i < len(list) && i < mostProcesses; i++ {
		dir := "/proc/" + strconv.Itoa(list[i])
		var size, resident, shared int64
		text, err := os.ReadFile(dir + "/statm")
		if err != nil {
			continue // it has ended
		}
		if _, err := fmt.Sscan(string(text), &size, &resident, &shared); err == nil {
			sum += (resident - shared) * int64(os.Getpagesize())
		}
		tasks, _ := os.ReadDir(dir + "/task") // one that has ended has none
		for _, t := range tasks {
			started, _ := os.ReadFile(dir + "/task/" + t.Name() + "/children") // the same
			for _, child := range bytes.Fields(started) {
				if n, err := strconv.Atoi(string(child)); err == nil {
					list = append(list, n)
				}
			}
		}
	}
	return sum
}

package execute

import (
	"bytes"
	"os"
	"strconv"
)

// process is one that is there.
type process struct {
	pid, parent int
	zombie      bool
}

// descendants are the processes below one, as /proc shows them.
func descendants(root int) ([]process, error) {
	children, err := processes()
	if err != nil {
		return nil, err
	}
	var all []process
	for at := []int{root}; len(at) > 0; at = at[1:] {
		for _, p := range children[at[0]] {
			all = append(all, p)
			at = append(at, p.pid)
		}
	}
	return all, nil
}

// processes are all that are visible, by parent.
func processes() (map[int][]process, error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, err
	}
	children := map[int][]process{}
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		stat, err := os.ReadFile("/proc/" + entry.Name() + "/stat")
		if p, ok := parseStat(pid, stat); err == nil && ok { // else it has gone meanwhile
			children[p.parent] = append(children[p.parent], p)
		}
	}
	return children, nil
}

// parseStat reads proc_pid_stat(5): pid (name) state parent …; a name may hold anything.
func parseStat(pid int, stat []byte) (process, bool) {
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 2 {
		return process{}, false
	}
	parent, err := strconv.Atoi(string(fields[1]))
	return process{pid, parent, fields[0][0] == 'Z'}, err == nil && parent != pid
}

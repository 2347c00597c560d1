package execute

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

// own are the variables that each task has; no order can change them.
var own = []string{"HOME", "OC_EXECUTION_ID", "PATH", "TMPDIR"}

const path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// checkEnv says why variables may not be set by an order.
func checkEnv(env map[string]string, names []string) error {
	for _, name := range slices.Sorted(maps.Keys(env)) {
		switch {
		case !slices.Contains(names, name):
			return fmt.Errorf("variable %q is not listed on this node", clip(name))
		case strings.ContainsRune(env[name], 0):
			return fmt.Errorf("variable %q holds a zero byte", clip(name))
		}
	}
	return nil
}

// environ is all the environment that a task gets: of the node's own, the names that pass.
func environ(t Task, dir string, names []string) []string {
	env := map[string]string{"HOME": dir, "OC_EXECUTION_ID": t.ID, "PATH": path, "TMPDIR": dir}
	for _, name := range names {
		if value, set := os.LookupEnv(name); set {
			env[name] = value
		}
	}
	maps.Copy(env, t.Env)
	list := make([]string, 0, len(env))
	for _, name := range slices.Sorted(maps.Keys(env)) {
		list = append(list, name+"="+env[name])
	}
	return list
}

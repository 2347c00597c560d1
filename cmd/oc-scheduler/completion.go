package main

import "io"

type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// Help tells how it is used.
func (*completionCmd) Help() string {
	return "For bash: source <(oc-scheduler completion bash). For zsh: source <(oc-scheduler completion zsh). " +
		"For fish: oc-scheduler completion fish | source. Ids are those that the replica knows."
}

// Run prints what a shell needs to complete command lines.
func (c *completionCmd) Run(con *console) error {
	_, err := io.WriteString(con.stdout, completions[c.Shell])
	return err
}

// completions have each shell ask the program itself.
var completions = map[string]string{
	"bash": `_oc_scheduler() {
  local IFS=$'\n'
  COMPREPLY=($("${COMP_WORDS[0]}" __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
  [ ${#COMPREPLY[@]} = 0 ] || COMPREPLY=($(printf '%q\n' "${COMPREPLY[@]}"))
}
complete -o default -F _oc_scheduler oc-scheduler
`,
	"zsh": `#compdef oc-scheduler
_oc_scheduler() {
  local -a candidates
  candidates=("${(@f)$("${words[1]}" __complete "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n ${candidates[1]} ]]; then
    compadd -a candidates
  else
    _files
  fi
}
compdef _oc_scheduler oc-scheduler
`,
	"fish": `complete -c oc-scheduler -f -a '(oc-scheduler __complete (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
complete -c oc-scheduler -n 'test -z "$(oc-scheduler __complete (commandline -opc)[2..] (commandline -ct) 2>/dev/null)"' -F
`,
}

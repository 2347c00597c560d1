package main

import "github.com/alecthomas/kong"

// examples show how each command is used, by its path; a test reads them as the program does.
var examples = map[string][]string{
	"serve":            {"serve", "serve --listen :8080 --nats-url nats://nats-1:4222,nats://nats-2:4222 --js-replicas 3"},
	"demo":             {"demo --listen :9090"},
	"peer":             {"peer --config deploy/peer.yaml --nats-url nats://nats-1:4222"},
	"check":            {"check demo-align --start 09:00 --duration 1h", "check demo-align --duration 1h --wait 5s --watch"},
	"schedule":         {"schedule demo-align --start 'tomorrow 09:00' --duration 1h --wait", "schedule demo-align --cron '0 9 * * MON' --time-zone Europe/Paris --label team=a"},
	"schedules list":   {"schedules --state active", "schedules --watch"},
	"schedules show":   {"schedules show s-01"},
	"schedules pause":  {"schedules pause s-01"},
	"schedules resume": {"schedules resume s-01"},
	"schedules cancel": {"schedules cancel s-01 --runs cancel"},
	"next":             {"next s-01 -n 20"},
	"preview":          {"preview demo-align --cron @daily --duration 1h -n 5"},
	"hold":             {"hold demo-align --start now+2h --duration 1h --ttl 5m"},
	"start":            {"start demo-align --follow", "start demo-align --start now+10m -f -o json"},
	"runs list":        {"runs --workflow demo-align --state failed --from now-24h", "runs -o name --no-headers"},
	"runs show":        {"runs show r-01"},
	"runs cancel":      {"runs cancel r-01 --reason 'not needed'"},
	"history":          {"history r-01"},
	"confirm":          {"confirm h-01 --label team=a"},
	"planners list":    {"planners", "planners --watch"},
	"planners show":    {"planners show north"},
	"workflows list":   {"workflows -o name"},
	"workflows show":   {"workflows show demo-align", "workflows show demo-align -o json"},
	"workflows put":    {"workflows put workflow.json --group science"},
	"workflows remove": {"workflows remove demo-align"},
	"nodes list":       {"nodes --watch"},
	"nodes show":       {"nodes show demo-north"},
	"nodes approve":    {"nodes approve demo-north"},
	"nodes reject":     {"nodes reject demo-north"},
	"nodes remove":     {"nodes remove demo-north"},
	"run":              {"run demo-north -- sleep 10", "run --timeout 1m --env LANG=C demo-north -- sh -c 'echo $LANG'"},
	"executions list":  {"executions --node demo-north --state running", "executions --limit 20 --watch"},
	"executions show":  {"executions show x-01 -o yaml"},
	"logs":             {"logs -f x-01", "logs -n 20 x-01"},
	"cancel":           {"cancel x-01 --reason 'too long'"},
	"context list":     {"context list"},
	"context use":      {"context use north"},
	"context set":      {"context set north --server https://scheduler.north.example --token-file token"},
	"context remove":   {"context remove north"},
	"dead":             {"dead --limit 5"},
	"token create":     {"token create ann --role user --group science --ttl 24h"},
	"token list":       {"token list"},
	"token revoke":     {"token revoke ann-01"},
	"nats-config":      {"nats-config --node north-1 --node north-2"},
	"import wfformat":  {"import wfformat recording.json --peer north --resource cluster"},
	"import swf":       {"import swf log.swf --peer north --start 2026-12-07T00:00:00Z"},
	"backup":           {"backup oc.backup --nats-url nats://nats-1:4222"},
	"restore":          {"restore oc.backup --nats-url nats://nats-1:4222"},
	"completion":       {"completion bash"},
	"man":              {"man"},
	"doctor":           {"doctor --nats-url nats://nats-1:4222 --nats-monitor http://nats-1:8222 --server http://scheduler-1:8080"},
	"version":          {"version -o json"},
}

// examplesOf are those of a command, and of one that stands in for its parent.
func examplesOf(cmd *kong.Node) []string {
	if cmd == nil {
		return nil
	}
	return examples[pathOf(cmd)]
}

// pathOf is how a command is called behind the program's name.
func pathOf(cmd *kong.Node) string {
	path := cmd.Name
	for p := cmd.Parent; p != nil && p.Type == kong.CommandNode; p = p.Parent {
		path = p.Name + " " + path
	}
	return path
}

#!/bin/sh
# Makes an administrator's token of a month, in .token, waits until the fleet behind a URL gives a live answer about the
# demo's workflow, and shows it. The others are the URL of the pages and the address of a NATS node.
set -eu
cd "$(dirname "$0")/.."
. ./.env
umask 077

tries=60
again() {
	tries=$((tries - 1))
	if [ "$tries" -eq 0 ]; then
		printf '%s\n' "$1" "No answer yet: see docker-compose ps, and the logs of the services." >&2
		exit 1
	fi
	sleep 1
}
until bin/oc-scheduler token create compose --role admin --ttl 720h --nats-url "nats://scheduler:$SCHEDULER_PASSWORD@$3" >.token.new 2>.token.error; do
	again "$(cat .token.error)"
done
rm .token.error
mv .token.new .token
until answer=$(bin/oc-scheduler check demo-align --duration 1h --wait 5s --server "$1" --token-file .token 2>&1) || [ $? -eq 2 ]; do
	again "$answer"
done
cat <<END
$answer

The fleet answers at $1 to who shows the token in .token, and people with it at $2.
Watch it while two peers book and cancel:
  bin/oc-scheduler check demo-align --duration 1h --watch --server $1 --token-file .token
END

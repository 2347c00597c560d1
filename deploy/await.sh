#!/bin/sh
# Waits until the fleet behind a URL gives a live answer about the demo's workflow, and shows it.
set -eu
cd "$(dirname "$0")/.."

tries=60
until answer=$(bin/oc-scheduler check demo-align --duration 1h --wait 5s --server "$1" 2>&1) || [ $? -eq 2 ]; do
	tries=$((tries - 1))
	if [ "$tries" -eq 0 ]; then
		printf '%s\n' "$answer" "No answer yet: see docker-compose ps, and the logs of the services." >&2
		exit 1
	fi
	sleep 1
done
cat <<END
$answer

The fleet answers at $1. Watch it while two peers book and cancel:
  bin/oc-scheduler check demo-align --duration 1h --watch --server $1
END

#!/bin/sh
# Makes the images that docker-compose.yml names: the scheduler's from its sources; the others are
# pulled, and where that can't be, stand-ins of the same names are built from the Go modules of
# the same versions. `docker image rm NAME` drops a stand-in, so that the next run pulls again.
set -eu
cd "$(dirname "$0")/.."

if ! docker info >/dev/null 2>&1; then
	cat >&2 <<-'END'
	No container engine answers (docker info fails). To get one:
	  Debian, Ubuntu:  sudo apt-get update && sudo apt-get install -y docker.io docker-compose
	  others:          https://docs.docker.com/engine/install/
	To start it:       sudo systemctl start docker    (without systemd: sudo dockerd &)
	To be allowed in:  sudo usermod -aG docker "$USER", then log in again
	END
	exit 1
fi
if ! docker compose version >/dev/null 2>&1 && ! docker-compose version >/dev/null 2>&1; then
	echo "docker-compose is missing. Debian, Ubuntu: sudo apt-get install -y docker-compose" >&2
	exit 1
fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# build NAME < Dockerfile; the context is the scratch directory, or the one given.
build() {
	if ! docker build -q -t "$1" -f - "${2:-$scratch}" >"$scratch/log" 2>&1; then
		cat "$scratch/log" >&2
		exit 1
	fi
	echo "image $1: built"
}

# image NAME MODULE < Dockerfile
image() {
	docker image inspect "$1" >/dev/null 2>&1 && return
	echo "image $1: pulling"
	timeout 300 docker pull -q "$1" >/dev/null 2>&1 && return
	echo "image $1: can't be pulled, building a stand-in from $2"
	GOBIN="$scratch" GOOS=linux CGO_ENABLED=0 go install -trimpath -ldflags '-s -w' "$2"
	build "$1"
}

image nats:2.15.2 github.com/nats-io/nats-server/v2@v2.15.2 <<'EOT'
FROM scratch
LABEL description="stand-in, built from the Go module"
COPY nats-server /nats-server
ENTRYPOINT ["/nats-server"]
EOT

image caddy:2.11.9 github.com/caddyserver/caddy/v2/cmd/caddy@v2.11.9 <<'EOT'
FROM scratch
LABEL description="stand-in, built from the Go module"
COPY caddy /usr/bin/caddy
CMD ["caddy", "run", "--config", "/etc/caddy/Caddyfile"]
EOT

GOOS=linux CGO_ENABLED=0 go build -trimpath -ldflags "${LDFLAGS:--s -w}" -o bin/linux/oc-scheduler ./cmd/oc-scheduler
build oc-scheduler . <Dockerfile

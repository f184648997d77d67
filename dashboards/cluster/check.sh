#!/usr/bin/env bash
# Starts the cluster of docker-compose.yml and checks it end to end: spans through two collectors,
# rows on both shards and on both replicas of each, the loss of a server, the deletion of a user, and
# retention. Removes everything afterwards, volumes included. Needs Docker with compose, curl and
# openssl; without Docker it reports that and ends with 77.
set -euo pipefail
cd "$(dirname "$0")"

if ! docker compose version >/dev/null 2>&1; then
  echo "Docker with compose is not there: nothing was checked."
  exit 77
fi

secret() { openssl rand -hex 24; }
CLICKHOUSE_PASSWORD="$(secret)"
CLUSTER_SECRET="$(secret)"
TURNPROOF_UI_AUTH_TOKEN="$(secret)"
TURNPROOF_UI_SESSION_SECRET="$(secret)"
ingest="$(secret)"
TURNPROOF_INGEST_TOKENS="check:$ingest"
export CLICKHOUSE_PASSWORD CLUSTER_SECRET TURNPROOF_UI_AUTH_TOKEN TURNPROOF_UI_SESSION_SECRET
export TURNPROOF_INGEST_TOKENS

compose() { docker compose "$@"; }
cleanup() { compose down --volumes --remove-orphans >/dev/null 2>&1 || true; }
trap cleanup EXIT

step() { echo "== $*"; }
fail() {
  echo "FAILED: $*" >&2
  compose ps >&2 || true
  compose logs --tail 30 >&2 || true
  exit 1
}

# sql SERVER STATEMENT: what the server answers.
sql() {
  compose exec -T "$1" clickhouse-client --user turnproof --password "$CLICKHOUSE_PASSWORD" \
    --database turnproof --query "$2"
}

# eventually WANTED COMMAND...: waits until the command prints what is wanted, for two minutes.
eventually() {
  local wanted="$1" printed=""
  shift
  for _ in $(seq 1 60); do
    printed="$("$@" 2>/dev/null || true)"
    [ "$printed" = "$wanted" ] && return 0
    sleep 2
  done
  fail "wanted '$wanted', got '$printed': $*"
}

# send PORT FIRST LAST USER: one turn of this user for each number.
send() {
  INGEST_TOKEN="$ingest" ./send.sh "$@" || fail "the collector on $1 refused a turn"
}

roots="SELECT uniqExact(root_trace_id) FROM"

step "starting two shards of two replicas, Keeper and two collectors"
compose up --build --detach --wait || fail "the cluster did not start"

step "forty turns through each of two collectors"
send 4418 1 40 ann
send 4518 41 80 bob
eventually 80 sql shard1-a "$roots bundles WHERE events > 0"
eventually 80 sql shard2-b "SELECT count() FROM turn_ledger FINAL"

step "rows lie on both shards, once, and on both replicas of each"
one="$(sql shard1-a "$roots bundles_local WHERE events > 0")"
two="$(sql shard2-a "$roots bundles_local WHERE events > 0")"
[ "$one" -gt 0 ] && [ "$two" -gt 0 ] || fail "a shard is empty: $one and $two"
[ "$((one + two))" -eq 80 ] || fail "roots lie on two shards: $one and $two"
eventually "$one" sql shard1-b "$roots bundles_local WHERE events > 0"
eventually "$two" sql shard2-b "$roots bundles_local WHERE events > 0"

step "a replica is lost: reads go on, inserts wait in the journal"
compose kill shard1-b >/dev/null
eventually 80 sql shard1-a "$roots bundles WHERE events > 0"
send 4418 81 120 ann
sleep 5
compose up --detach --wait shard1-b >/dev/null || fail "the replica did not come back"
eventually 120 sql shard1-b "$roots bundles WHERE events > 0"
eventually 120 sql shard1-b "SELECT count() FROM turn_ledger FINAL"

step "a user is deleted on every shard and replica"
named="SELECT countIf(position(body, '\"ann\"') > 0) > 0 FROM bundles"
eventually 1 sql shard1-a "$named"
compose stop collector-1 >/dev/null
compose run --rm --no-deps -T collector-1 delete-user ann --apply || fail "delete-user failed"
compose up --detach --wait collector-1 >/dev/null || fail "the collector did not come back"
for server in shard1-a shard1-b shard2-a shard2-b; do
  eventually 0 sql "$server" "${named}_local"
  eventually 0 sql "$server" "SELECT count() FROM turn_ledger_local FINAL WHERE tenant LIKE '%ann%'"
done
eventually 40 sql shard2-a "$roots bundles WHERE events > 0"

step "retention takes what is past its age from every shard"
sql shard1-a "INSERT INTO bundles (received_at, first_received, root, root_trace_id, events, batch) \
  SELECT now() - INTERVAL 900 DAY, now() - INTERVAL 900 DAY, number, concat('old-', toString(number)), \
  1, number + 1 FROM numbers(20) SETTINGS distributed_foreground_insert = 1"
eventually 60 sql shard1-a "$roots bundles WHERE events > 0"
compose exec -T collector-2 node collector/bin/turnproof.js retention --apply || fail "retention failed"
for server in shard1-a shard1-b shard2-a shard2-b; do
  eventually 0 sql "$server" "SELECT count() FROM bundles_local WHERE root_trace_id LIKE 'old-%'"
done
eventually 40 sql shard2-a "$roots bundles WHERE events > 0"

echo "All checks passed."

#!/usr/bin/env bash
# send.sh PORT FIRST LAST USER: sends a turn of this user for each number to the collector on
# 127.0.0.1:PORT, as OTLP over HTTP, each in a trace of its own. INGEST_TOKEN is the producer's token.
set -euo pipefail
port="$1" first="$2" last="$3" user="$4"

# attribute KEY VALUE: a string attribute of a span.
attribute() { printf '{"key":"%s","value":{"stringValue":"%s"}}' "$1" "$2"; }

now="$(date +%s)"
for number in $(seq "$first" "$last"); do
  trace="$(printf '%032x' "$number")"
  attributes="$(attribute gen_ai.operation.name invoke_agent),$(attribute gen_ai.agent.id desk)"
  attributes="$attributes,$(attribute user.id "$user"),$(attribute gen_ai.conversation.id t-1)"
  span="\"traceId\":\"$trace\",\"spanId\":\"00000000000000a1\",\"name\":\"invoke_agent desk\",\"kind\":1"
  span="$span,\"startTimeUnixNano\":\"$((now - 1))000000000\",\"endTimeUnixNano\":\"${now}000000000\""
  span="{$span,\"attributes\":[$attributes]}"
  resource="{\"attributes\":[$(attribute service.name check)]}"
  scope="{\"scope\":{\"name\":\"check\"},\"spans\":[$span]}"
  curl --silent --show-error --fail --output /dev/null \
    --header "authorization: Bearer $INGEST_TOKEN" --header "content-type: application/json" \
    --data "{\"resourceSpans\":[{\"resource\":$resource,\"scopeSpans\":[$scope]}]}" \
    "http://127.0.0.1:$port/v1/traces"
done

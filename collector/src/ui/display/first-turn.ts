/** @module FirstTurn: commands that send a first turn to a collector. */
import { attribute } from "@turnproof/semconv";

/** Variables of any OpenTelemetry SDK. @param origin address of the collector */
export function sdkVariables(origin: string): string {
  return [
    `OTEL_EXPORTER_OTLP_ENDPOINT=${origin}`,
    "OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf",
    "OTEL_TRACES_EXPORTER=otlp",
  ].join("\n");
}

/**
 * A command that sends one turn as JSON; it needs a POSIX shell and curl. The ids are of the second
 * in which it runs, so that each run is another turn.
 */
export function curlCommand(origin: string): string {
  const now = "'$(date +%s)'";
  const id = (digits: number): string => `'$(printf %0${digits}x $(date +%s))'`;
  const text = (key: string, value: string): object => ({ key, value: { stringValue: value } });
  const body = {
    resourceSpans: [
      {
        resource: { attributes: [text(attribute.application_id.span, "my-app")] },
        scopeSpans: [
          {
            spans: [
              {
                traceId: id(32),
                spanId: id(16),
                name: "invoke_agent my-agent",
                kind: 1,
                startTimeUnixNano: `${now}000000000`,
                endTimeUnixNano: `${now}400000000`,
                status: { code: 1 },
                attributes: [
                  text(attribute.event_kind.span, "turn"),
                  text(attribute.agent_id.span, "my-agent"),
                  text(attribute.thread_id.span, "my-thread"),
                ],
              },
            ],
          },
        ],
      },
    ],
  };
  return `curl ${origin}/v1/traces -H 'content-type: application/json' -d '${JSON.stringify(body)}'`;
}

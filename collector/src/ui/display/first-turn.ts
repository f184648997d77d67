/** @module FirstTurn: commands that send a first turn to a collector. */

/** Variables of any OpenTelemetry SDK. @param origin address of the collector */
export function sdkVariables(origin: string): string {
  return [
    `OTEL_EXPORTER_OTLP_ENDPOINT=${origin}`,
    "OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf",
    "OTEL_TRACES_EXPORTER=otlp",
  ].join("\n");
}

/** A command that sends one turn as JSON; it needs a POSIX shell and curl. */
export function curlCommand(origin: string): string {
  const now = "'$(date +%s)'";
  const text = (key: string, value: string): object => ({ key, value: { stringValue: value } });
  const body = {
    resourceSpans: [
      {
        resource: { attributes: [text("service.name", "my-app")] },
        scopeSpans: [
          {
            spans: [
              {
                traceId: "0af7651916cd43dd8448eb211c80319c",
                spanId: "b7ad6b7169203331",
                name: "invoke_agent my-agent",
                kind: 1,
                startTimeUnixNano: `${now}000000000`,
                endTimeUnixNano: `${now}400000000`,
                status: { code: 1 },
                attributes: [
                  text("gen_ai.operation.name", "invoke_agent"),
                  text("gen_ai.agent.name", "my-agent"),
                  text("gen_ai.agent.id", "my-agent"),
                  text("gen_ai.conversation.id", "my-thread"),
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

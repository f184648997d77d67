/**
 * @module The plain SDK of the 2.x line: what an application writes that never heard of Turnproof.
 */
import { appendFileSync } from "node:fs";

//#region telemetry
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { NodeSDK } from "@opentelemetry/sdk-node";

/** Starts the SDK of a service. */
export function start(serviceName, instrumentations = []) {
  const traceExporter = new OTLPTraceExporter();
  const sdk = new NodeSDK({ serviceName, traceExporter, instrumentations });
  sdk.start();
  return sdk;
}
//#endregion

/** Writes a span to the file FOREIGN_DUMP, which shows what a library reports. */
function write(span) {
  const { name, kind, attributes, status, events, parentSpanContext } = span;
  const ids = { id: span.spanContext().spanId, parent: parentSpanContext?.spanId };
  const scope = span.instrumentationScope.name;
  const reported = { name, ...ids, kind, scope, status, attributes, events };
  appendFileSync(process.env.FOREIGN_DUMP, `${JSON.stringify(reported)}\n`);
}

const send = OTLPTraceExporter.prototype.export;
if (process.env.FOREIGN_DUMP) {
  OTLPTraceExporter.prototype.export = function (spans, done) {
    for (const span of spans) write(span);
    return send.call(this, spans, done);
  };
}

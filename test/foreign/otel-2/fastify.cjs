/** @module Fastify in CommonJS with its own instrumentation and the plain SDK: nothing of ours. */
//#region telemetry
const { FastifyOtelInstrumentation } = require("@fastify/otel");
const { OTLPTraceExporter } = require("@opentelemetry/exporter-trace-otlp-proto");
const { HttpInstrumentation } = require("@opentelemetry/instrumentation-http");
const { NodeSDK } = require("@opentelemetry/sdk-node");
const routes = new FastifyOtelInstrumentation({ registerOnInitialization: true });
const sdk = new NodeSDK({
  serviceName: "fastify",
  traceExporter: new OTLPTraceExporter(),
  instrumentations: [new HttpInstrumentation(), routes],
});
sdk.start();
const telemetry = (threadId) => ({
  isEnabled: true,
  functionId: "desk",
  metadata: { threadId, userId: "user-fa" },
});
//#endregion
const { fastify } = require("fastify");

const { answer } = require("./desk-app.cjs");

const app = fastify();
app.post("/ask/:thread", ({ params, query }) => answer(query.prompt, telemetry(params.thread)));
app.listen({ port: 0, host: "127.0.0.1" }).then(async (at) => {
  await fetch(`${at}/ask/thread-fa?prompt=CANARY`, { method: "POST" });
  await fetch(`${at}/ask/thread-fa-2?prompt=CANARY+FAIL`, { method: "POST" });
  await app.close();
  await sdk.shutdown();
});

/** @module Langfuse's own API; its processor hands its spans to another exporter. */
import { propagateAttributes, startActiveObservation } from "@langfuse/tracing";

//#region telemetry
import { LangfuseSpanProcessor } from "@langfuse/otel";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { NodeSDK } from "@opentelemetry/sdk-node";
const exporter = new OTLPTraceExporter();
const processor = new LangfuseSpanProcessor({ exporter, publicKey: "pk", secretKey: "sk" });
const sdk = new NodeSDK({ serviceName: "langfuse", spanProcessors: [processor] });
sdk.start();
//#endregion

const observe = (name, asType, work) => startActiveObservation(name, work, { asType });
await propagateAttributes({ userId: "user-lf", sessionId: "thread-lf" }, () =>
  observe("helper", "agent", async (agent) => {
    agent.update({ input: "CANARY-input", output: "CANARY-output" });
    await observe("answer", "generation", async (generation) => {
      const usageDetails = { input: 21, output: 7 };
      generation.update({ model: "scripted-model", input: "CANARY-prompt", usageDetails });
    });
    await observe("lookup_weather", "tool", async (tool) => {
      tool.update({ level: "ERROR", statusMessage: "CANARY-tool-error" });
    });
  }),
);
await sdk.shutdown();

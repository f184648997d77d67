/** @module The plain SDK of the 3.x line and its instrumentation of the OpenAI client, by `--import`. */
//#region telemetry
import { register } from "node:module";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { OpenAIInstrumentation } from "@opentelemetry/instrumentation-openai";
import { NodeSDK } from "@opentelemetry/sdk-node";
register("@opentelemetry/instrumentation/hook.mjs", import.meta.url);
const sdk = new NodeSDK({
  serviceName: "openai-sdk",
  traceExporter: new OTLPTraceExporter(),
  instrumentations: [new OpenAIInstrumentation()],
});
sdk.start();
//#endregion
process.once("beforeExit", () => sdk.shutdown());

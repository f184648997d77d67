/** @module The set-up of the server, with the modules that its bundle shall hold. */
//#region telemetry
import { OpenTelemetry } from "@ai-sdk/otel";
import * as contextHooks from "@opentelemetry/context-async-hooks";
import * as core from "@opentelemetry/core";
import * as exporter from "@opentelemetry/exporter-trace-otlp-http";
import * as resources from "@opentelemetry/resources";
import * as sdk from "@opentelemetry/sdk-trace-base";
import { register } from "@turnproof/exporter/register";
import { registerTelemetry } from "ai";

export function start() {
  const turnproof = register({
    serviceName: "next",
    modules: {
      "@opentelemetry/context-async-hooks": contextHooks,
      "@opentelemetry/core": core,
      "@opentelemetry/exporter-trace-otlp-http": exporter,
      "@opentelemetry/resources": resources,
      "@opentelemetry/sdk-trace-base": sdk,
    },
  });
  // A route is another bundle, so it finds this by the global object.
  Object.assign(globalThis, { flushTurns: () => turnproof.flush() });
  registerTelemetry(new OpenTelemetry({ usage: true }));
}
//#endregion

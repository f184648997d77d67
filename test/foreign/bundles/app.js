/** @module An application for Node that is bundled, with the modules of the SDK in its bundle. */
//#region telemetry
import * as contextHooks from "@opentelemetry/context-async-hooks";
import * as core from "@opentelemetry/core";
import * as exporter from "@opentelemetry/exporter-trace-otlp-http";
import * as resources from "@opentelemetry/resources";
import * as sdk from "@opentelemetry/sdk-trace-base";
import { register } from "@turnproof/exporter/register";
import { withTurn } from "@turnproof/instrumentation";

register({
  serviceName: "bundles",
  modules: {
    "@opentelemetry/context-async-hooks": contextHooks,
    "@opentelemetry/core": core,
    "@opentelemetry/exporter-trace-otlp-http": exporter,
    "@opentelemetry/resources": resources,
    "@opentelemetry/sdk-trace-base": sdk,
  },
});
void withTurn({ agentId: "desk", threadId: "thread-1" }, async () => "what your agent says");
//#endregion

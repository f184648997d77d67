/** @module Mastra with its own exporter. */
import { Mastra } from "@mastra/core/mastra";

import { mastraParts } from "./mastra-app.mjs";

//#region telemetry
import { Observability } from "@mastra/observability";
import { OtelExporter } from "@mastra/otel-exporter";
const endpoint = `${process.env.OTEL_EXPORTER_OTLP_ENDPOINT}/v1/traces`;
const exporter = new OtelExporter({
  provider: { custom: { endpoint, protocol: "http/protobuf" } },
  signals: { logs: false },
});
const observability = new Observability({
  configs: { otel: { serviceName: "mastra", exporters: [exporter] } },
});
//#endregion

const { agents, workflows, play } = mastraParts();
await play(new Mastra({ logger: false, agents, workflows, observability }));
await exporter.shutdown();
process.exit(0);

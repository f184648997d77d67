/** @module An application that is bundled for a browser. */
//#region telemetry
import { trace } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BasicTracerProvider } from "@opentelemetry/sdk-trace-base";
import { turnproofProcessor } from "@turnproof/exporter";
import { withTurn } from "@turnproof/instrumentation";

const exporter = new OTLPTraceExporter({ url: `${location.origin}/v1/traces` });
const processor = turnproofProcessor({ exporter });
const resource = resourceFromAttributes({ "service.name": "bundles" });
trace.setGlobalTracerProvider(new BasicTracerProvider({ resource, spanProcessors: [processor] }));
void withTurn({ agentId: "page", threadId: "thread-1" }, async () => "what your agent says");
//#endregion

/** @module OTLP group: what the routes of OTLP over HTTP need, read and answer. */
import type { Endpoints, RouteGroup } from "../../http/endpoint.ts";
import type { Signal } from "./wire-schema.ts";

const protobuf = "application/x-protobuf";

/** Every method of a path is declared, because each is answered in OTLP's form. */
const endpointsOf = (signal: Signal, id: string, what: string): Endpoints => {
  const endpoint = {
    needs: "ingest",
    id,
    summary: `OTLP/HTTP ${what}`,
    text: "Protobuf or JSON; identity, gzip, deflate or zstd. Errors are google.rpc.Status.",
    body: { type: protobuf },
    returns: "The export response, with `partial_success` where something was refused.",
    answers: protobuf,
  } as const;
  return { [`POST /v1/${signal}`]: endpoint, [`ALL /v1/${signal}`]: endpoint };
};

/** OTLP over HTTP. */
export const otlpGroup: RouteGroup = {
  endpoints: {
    ...endpointsOf("traces", "exportTraces", "traces"),
    ...endpointsOf("logs", "exportLogs", "logs; only GenAI evaluation events become evidence"),
    ...endpointsOf("metrics", "exportMetrics", "metrics; every point is rejected and counted"),
  },
  routes: (parts) => parts.ingest.routes,
};

/** @module OTLP group: what the routes of OTLP over HTTP need, read and answer. */
import { z } from "zod";

import type { Endpoints, RouteGroup } from "../../http/endpoint.ts";
import type { Signal } from "./wire-schema.ts";

const protobuf = "application/x-protobuf";

/** JSON of an answer that accepted everything, or part of it (OTLP/HTTP: Partial success). */
export interface OtlpExportAnswer {
  /** Absent when everything was accepted. */
  readonly partialSuccess?: {
    /** Spans that were refused, a 64-bit number as text. */
    readonly rejectedSpans?: string;
    readonly rejectedLogRecords?: string;
    readonly rejectedDataPoints?: string;
    /** Codes of the refusals, with their numbers and sentences. */
    readonly errorMessage: string;
  };
}

/** JSON of the routes. */
export interface OtlpAnswers {
  readonly "POST /v1/traces": OtlpExportAnswer;
  readonly "POST /v1/logs": OtlpExportAnswer;
  readonly "POST /v1/metrics": OtlpExportAnswer;
}

const record = z.looseObject({}).describe("As in opentelemetry-proto, in its JSON form.");
/** Items of a signal, below their resource and their instrumentation scope. */
const itemsOf = (resources: string, scopes: string, items: string): z.ZodObject =>
  z.object({
    [resources]: z.array(
      z.object({
        resource: record.optional(),
        [scopes]: z.array(z.object({ scope: record.optional(), [items]: z.array(record) })),
      }),
    ),
  });

/** Bodies in JSON. They are described here; the decoder reads them itself, as a stream. */
const bodies: Readonly<Record<Signal, z.ZodObject>> = {
  traces: itemsOf("resourceSpans", "scopeSpans", "spans"),
  logs: itemsOf("resourceLogs", "scopeLogs", "logRecords"),
  metrics: itemsOf("resourceMetrics", "scopeMetrics", "metrics"),
};

/** Every method of a path is declared, because each is answered in OTLP's form. */
const endpointsOf = (signal: Signal, id: string, what: string): Endpoints => {
  const endpoint = {
    needs: "ingest",
    id,
    summary: `OTLP/HTTP ${what}`,
    text: "Protobuf or JSON; identity, gzip, deflate or zstd. Errors are google.rpc.Status.",
    body: { type: protobuf, schema: bodies[signal] },
    returns: "The export response, with `partial_success` where something was refused.",
    answers: protobuf,
  } as const;
  return { [`POST /v1/${signal}`]: endpoint, [`ALL /v1/${signal}`]: endpoint };
};

/** OTLP over HTTP. */
export const otlpGroup: RouteGroup<OtlpAnswers> = {
  tag: "Receiving",
  endpoints: {
    ...endpointsOf("traces", "exportTraces", "traces"),
    ...endpointsOf("logs", "exportLogs", "logs; only GenAI evaluation events become evidence"),
    ...endpointsOf("metrics", "exportMetrics", "metrics; every point is rejected and counted"),
  },
  routes: (parts) => parts.ingest.routes,
};

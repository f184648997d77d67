/**
 * @module Receive: OTLP over HTTP. A request is answered with 200 only after its guarded events
 * are durable in the journal; any other answer has a code (collector: Receive; OTLP/HTTP).
 */
import type { IncomingMessage } from "node:http";

import { CodedError } from "@turnproof/semconv";
import { Hono } from "hono";
import type { Context } from "hono";

import { sameSite } from "../../http/cross-site.ts";
import { clientAddress } from "../../http/environment.ts";
import type { AppEnv } from "../../http/environment.ts";
import type { BudgetLease } from "./byte-budget.ts";
import { contentCoding } from "./inflate.ts";
import type { ContentCoding } from "./inflate.ts";
import { credentialOf } from "./intake.ts";
import type { Intake } from "./intake.ts";
import {
  exportResponse,
  mediaTypes,
  otlpEncoding,
  retrySeconds,
  statusBody,
} from "./otlp-response.ts";
import type { OtlpEncoding } from "./otlp-response.ts";
import { declaredBytes, readIncoming, readStream } from "./request-body.ts";
import type { Signal } from "./wire-schema.ts";

const signals: readonly Signal[] = ["traces", "logs", "metrics"];

/**
 * POST `/v1/traces`, `/v1/logs` and `/v1/metrics`. `origins` are the collector's public ones;
 * pages of other origins are refused (security: Principals).
 */
export function otlpRoutes(intake: Intake, origins: readonly string[] = []): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  for (const signal of signals) {
    app.post(`/v1/${signal}`, (c) => receive(c, signal, intake, origins));
    app.all(`/v1/${signal}`, (c) => {
      c.header("Allow", "POST");
      return failure(c, encodingOf(c) ?? "json", new CodedError("method_not_allowed"));
    });
  }
  return app;
}

type RequestContext = Context<AppEnv>;

function encodingOf(c: RequestContext): OtlpEncoding | undefined {
  return otlpEncoding(c.req.header("content-type"));
}

async function receive(
  c: RequestContext,
  signal: Signal,
  intake: Intake,
  origins: readonly string[],
): Promise<Response> {
  const encoding = encodingOf(c);
  const coding = contentCoding(c.req.header("content-encoding"));
  try {
    const rejected = await intake.take({
      signal,
      encoding,
      coding,
      sameSite: sameSite(c, origins),
      credential: credentialOf(c.req.header("authorization"), c.req.header("x-turnproof-token")),
      address: clientAddress(c) ?? "in-process",
      requestId: c.get("requestId"),
      read: async (reserve) => {
        const declared = declaredBytes(c.req.header("content-length"));
        const bytes = await readBody(c, declared, reserve(declared));
        return { bytes, coding: coding as ContentCoding };
      },
    });
    return answer(c, 200, encoding ?? "json", exportResponse(encoding ?? "json", signal, rejected));
  } catch (error) {
    return failure(c, encoding ?? "json", error as CodedError);
  }
}

/** Node's own request when there is one: its chunks need no web stream in between. */
function readBody(
  c: RequestContext,
  declared: number | undefined,
  lease: BudgetLease,
): Promise<Uint8Array<ArrayBuffer>> {
  const incoming = c.env?.incoming as IncomingMessage | undefined;
  if (incoming === undefined) return readStream(c.req.raw.body, declared, lease);
  return readIncoming(incoming, declared, lease);
}

function failure(c: RequestContext, encoding: OtlpEncoding, error: CodedError): Response {
  if (error.status === 401) c.header("WWW-Authenticate", "Bearer");
  if (error.status === 503 || error.status === 429) c.header("Retry-After", String(retrySeconds()));
  // The rest of an oversized body is not read; the rest of an early one is, so that its sender
  // reads the answer.
  if (error.status === 413) c.header("Connection", "close");
  return answer(c, error.status, encoding, statusBody(encoding, error));
}

function answer(
  c: RequestContext,
  status: number,
  encoding: OtlpEncoding,
  body: Uint8Array<ArrayBuffer>,
): Response {
  return c.body(body, status as 200, { "Content-Type": mediaTypes[encoding] });
}

/**
 * @module Receive: OTLP over HTTP. A request is answered with 200 only after its guarded events are
 * durable in the journal; everything else it may be told is a code (design 6.1; OTLP/HTTP).
 */
import { randomInt } from "node:crypto";
import type { IncomingMessage } from "node:http";

import { CodedError, limits } from "@turnproof/semconv";
import { Hono } from "hono";
import type { Context } from "hono";

import type { IngestPrincipal } from "../auth/ingest-tokens.ts";
import type { Conservation } from "../conservation.ts";
import { sameSite } from "../http/cross-site.ts";
import { clientAddress } from "../http/environment.ts";
import type { AppEnv } from "../http/environment.ts";
import type { Log } from "../log.ts";
import type { BudgetLease, ByteBudget } from "./byte-budget.ts";
import { contentCoding } from "./inflate.ts";
import type { IngestBody, IngestOutcome } from "./ingest-body.ts";
import { exportResponse, mediaTypes, otlpEncoding, statusBody } from "./otlp-answer.ts";
import type { OtlpEncoding } from "./otlp-answer.ts";
import type { ReceivedClock } from "./received-clock.ts";
import { declaredBytes, readIncoming, readStream, undeclaredBytes } from "./request-body.ts";
import type { Signal } from "./wire-schema.ts";

/** Where guarded events become durable; resolves after fdatasync. */
interface IngestJournal {
  append(frame: { readonly payload: Uint8Array; readonly spans: number }): Promise<unknown>;
}

/** Runs bodies through `ingestBody`, on the event loop or in threads. */
export interface BodyProcessor {
  run(body: IngestBody): Promise<IngestOutcome>;
}

/** What the routes need. */
export interface OtlpRoutesOptions {
  /** Lets a producer in by its token; undefined is 401. */
  readonly authenticateIngest: (authorization: string | undefined) => IngestPrincipal | undefined;
  /** Public origins of the collector; another one's page may not send (design 6.3). */
  readonly origins?: readonly string[];
  /** Notes a wrong credential; how many seconds this address is to wait, else 0. */
  readonly wrongCredential?: (address: string) => number;
  readonly journal: IngestJournal;
  readonly conservation: Conservation;
  readonly processor: BodyProcessor;
  readonly budget: ByteBudget;
  readonly clock: ReceivedClock;
  readonly log: Log;
  /** False answers 503 `ingest_off`; by default true. */
  readonly enabled?: () => boolean;
}

const signals: readonly Signal[] = ["traces", "logs", "metrics"];

/** POST `/v1/traces`, `/v1/logs` and `/v1/metrics`. */
export function otlpRoutes(options: OtlpRoutesOptions): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  for (const signal of signals) {
    app.post(`/v1/${signal}`, (c) => receive(c, signal, options));
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
  options: OtlpRoutesOptions,
): Promise<Response> {
  const { conservation, log } = options;
  const encoding = encodingOf(c);
  conservation.request();
  try {
    if (options.enabled?.() === false) throw new CodedError("ingest_off");
    if (!sameSite(c, options.origins ?? [])) throw new CodedError("cross_origin");
    const principal = options.authenticateIngest(credentialOf(c));
    if (principal === undefined) throw new CodedError(refusalOf(c, options));
    const coding = contentCoding(c.req.header("content-encoding"));
    if (encoding === undefined || coding === undefined) {
      throw new CodedError("media_type_unsupported");
    }
    const outcome = await take(c, { signal, encoding, coding, principal }, options);
    return answer(c, 200, encoding, exportResponse(encoding, signal, outcome.rejected));
  } catch (error) {
    if (error instanceof Refused) return failure(c, encoding ?? "json", error.reason);
    const coded = CodedError.is(error) ? error : new CodedError("internal_error");
    if (!CodedError.is(error)) {
      log.error("ingest_failed", { code: coded.code, request_id: c.get("requestId"), signal });
    }
    conservation.requestRefused(coded.code);
    return failure(c, encoding ?? "json", coded);
  }
}

/** A missing token is no failure, a wrong one is counted, a right one never waits (faults W7). */
function refusalOf(c: RequestContext, options: OtlpRoutesOptions): "unauthenticated" | "throttled" {
  if (credentialOf(c) === undefined || options.wrongCredential === undefined) {
    return "unauthenticated";
  }
  const wait = options.wrongCredential(clientAddress(c) ?? "in-process");
  return wait > 0 ? "throttled" : "unauthenticated";
}

/** A refusal whose items and request are counted already. */
class Refused extends Error {
  readonly reason: CodedError;

  constructor(reason: CodedError) {
    super(reason.code);
    this.reason = reason;
  }
}

/** Reads, decodes and makes durable; the budget is held from before the first byte to the end. */
async function take(
  c: RequestContext,
  known: Pick<IngestBody, "signal" | "encoding" | "coding" | "principal">,
  options: OtlpRoutesOptions,
): Promise<IngestOutcome> {
  const { budget, clock, conservation, journal, processor } = options;
  const declared = declaredBytes(c.req.header("content-length"));
  const lease = budget.take(known.principal.name, declared ?? undeclaredBytes);
  try {
    const bytes = await readBody(c, declared, lease);
    const held = bytes.byteLength;
    const outcome = await processor.run({ ...known, bytes, receivedAt: clock() });
    const passage = conservation.enter(outcome.items);
    try {
      if (outcome.events > 0) {
        lease.growTo(held + outcome.payload.byteLength);
        await journal.append({ payload: outcome.payload, spans: outcome.events });
      }
    } catch (error) {
      const reason = CodedError.is(error) ? error : new CodedError("journal_failed");
      passage.refused(reason.code);
      throw new Refused(reason);
    }
    passage.accepted(outcome.rejected);
    conservation.dropped(outcome.dropped);
    return outcome;
  } finally {
    lease.release();
  }
}

/** Node's own request when there is one: its chunks come without a web stream in between. */
function readBody(
  c: RequestContext,
  declared: number | undefined,
  lease: BudgetLease,
): Promise<Uint8Array<ArrayBuffer>> {
  const incoming = c.env?.incoming as IncomingMessage | undefined;
  if (incoming === undefined) return readStream(c.req.raw.body, declared, lease);
  return readIncoming(incoming, declared, lease);
}

/**
 * A token as a Bearer header, however it came: `Authorization: Bearer`, Basic (the password is the
 * token) or `x-turnproof-token`, for exporters that can set only one of them.
 */
function credentialOf(c: RequestContext): string | undefined {
  const header = c.req.header("authorization");
  if (header === undefined) {
    const token = c.req.header("x-turnproof-token");
    return token === undefined ? undefined : `Bearer ${token}`;
  }
  const basic = /^basic +([A-Za-z0-9+/=_-]{1,1024}) *$/i.exec(header)?.[1];
  if (basic === undefined) return header;
  const pair = Buffer.from(basic, "base64").toString("latin1");
  return `Bearer ${pair.slice(pair.indexOf(":") + 1)}`;
}

function failure(c: RequestContext, encoding: OtlpEncoding, error: CodedError): Response {
  if (error.status === 401) c.header("WWW-Authenticate", "Bearer");
  // Jitter keeps a crowd of clients from coming back at the same moment (faults R21).
  if (error.status === 503 || error.status === 429) {
    c.header("Retry-After", String(randomInt(1, 6)));
  }
  // What is left of an oversized body is not read.
  if (error.status === 413 || error.status === 503) c.header("Connection", "close");
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

/**
 * Bytes that requests may hold together by default: one of the largest, and room for others. More
 * would not be quicker on few cores, and memory under a flood grows with it (faults R15).
 */
export const budgetBytesDefault: number = 1.25 * limits.otlpBodyBytesMax;

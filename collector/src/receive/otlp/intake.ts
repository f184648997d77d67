/**
 * @module Intake: processes a request from its credential to the journal, the same for OTLP/HTTP
 * and OTLP/gRPC: authentication, memory budget, counting. A request is accepted only after its
 * guarded events are durable (collector: Receive).
 */
import { CodedError, limits } from "@turnproof/semconv";
import type { Clock } from "@turnproof/semconv";

import type { IngestPrincipal } from "../../access/ingest-tokens.ts";
import { noSender } from "../conservation.ts";
import type { Conservation } from "../conservation.ts";
import type { Log } from "../../log.ts";
import type { BudgetLease, ByteBudget } from "./byte-budget.ts";
import type { ContentCoding } from "./inflate.ts";
import type { IngestBody, IngestPart } from "./ingest-body.ts";
import type { OtlpEncoding } from "./otlp-response.ts";
import { undeclaredBytes } from "./request-body.ts";
import { countRejection } from "./span-builder.ts";
import type { RejectionCounts } from "./span-builder.ts";
import type { Signal } from "./wire-schema.ts";

/** Makes guarded events durable; resolves after fdatasync. */
interface IngestJournal {
  append(frame: {
    readonly payload: Uint8Array;
    readonly spans: number;
  }): Promise<{ readonly sequence: number }>;
}

/** Makes a part of a body durable and counts it. */
export type KeepPart = (part: IngestPart) => Promise<void>;

/** Runs bodies through `ingestBody`, on the event loop or in threads. */
export interface BodyProcessor {
  /** Passes every full part to `keep`, one after another, and returns the last one. */
  run(body: IngestBody, keep: KeepPart): Promise<IngestPart>;
}

/** Dependencies of an intake. */
export interface IntakeOptions {
  /** Authenticates a producer by its token; undefined is 401. */
  readonly authenticateIngest: (authorization: string | undefined) => IngestPrincipal | undefined;
  /** Counts a wrong credential; returns the seconds that this address has to wait, else 0. */
  readonly wrongCredential?: (address: string) => number;
  readonly journal: IngestJournal;
  readonly conservation: Conservation;
  /** Called with each durable frame and its roots, before its request is answered. */
  readonly onDurable?: (sequence: number, roots: Uint32Array) => void;
  readonly processor: BodyProcessor;
  readonly budget: ByteBudget;
  readonly clock: Clock;
  readonly log: Log;
  /** False answers 503 `ingest_off`; by default true. */
  readonly enabled?: () => boolean;
}

/** A request before its body is read. */
export interface Arrival {
  readonly signal: Signal;
  /** Undefined when it is not one of OTLP's. */
  readonly encoding: OtlpEncoding | undefined;
  /** Undefined when it is not supported. */
  readonly coding: ContentCoding | undefined;
  /** False for a request that another site's page may have sent (security: Principals). */
  readonly sameSite: boolean;
  /** Value of an Authorization header; see `credentialOf`. */
  readonly credential: string | undefined;
  readonly address: string;
  readonly requestId: string;
  /**
   * Reads the body; `reserve` is called before its first byte, with its length if that is known.
   */
  read(reserve: (declared: number | undefined) => BudgetLease): Promise<BodyReader>;
}

/** A body, and its coding. */
interface BodyReader {
  readonly bytes: Uint8Array;
  readonly coding: ContentCoding;
}

/** Accepts requests. */
export interface Intake {
  /**
   * Resolves when everything of the request that was not rejected is durable; returns the number
   * of rejected items, by reason. Throws the CodedError to answer with, counted already.
   */
  take(arrival: Arrival): Promise<RejectionCounts>;
}

/** Makes an intake. */
export function createIntake(options: IntakeOptions): Intake {
  const { conservation, log } = options;
  return {
    async take(arrival) {
      conservation.request();
      let sender: string | undefined;
      try {
        if (options.enabled?.() === false) throw new CodedError("ingest_off");
        if (!arrival.sameSite) throw new CodedError("cross_origin");
        const principal = options.authenticateIngest(arrival.credential);
        if (principal === undefined) throw new CodedError(refusalOf(arrival, options));
        sender = principal.name;
        conservation.sentBy(sender);
        const { coding, encoding } = arrival;
        if (encoding === undefined || coding === undefined) {
          throw new CodedError("media_type_unsupported");
        }
        return await receive(arrival, { encoding, principal }, options);
      } catch (error) {
        if (error instanceof Counted) throw error.reason;
        const coded = CodedError.is(error) ? error : new CodedError("internal_error");
        if (coded !== error) {
          const { requestId, signal } = arrival;
          log.error("ingest_failed", { code: coded.code, request_id: requestId, signal });
        }
        if (sender === undefined) conservation.sentBy(noSender);
        conservation.requestRefused(coded.code, sender);
        throw coded;
      }
    },
  };
}

/**
 * A missing token does not count as a failure, a wrong one does, a right one never waits (faults
 * W7).
 */
function refusalOf(
  { address, credential }: Arrival,
  { wrongCredential }: IntakeOptions,
): "unauthenticated" | "throttled" {
  if (credential === undefined || wrongCredential === undefined) return "unauthenticated";
  return wrongCredential(address) > 0 ? "throttled" : "unauthenticated";
}

/** A refusal whose items and request are counted already. */
class Counted extends Error {
  readonly reason: CodedError;

  constructor(reason: CodedError) {
    super(reason.code);
    this.reason = reason;
  }
}

/**
 * Reads, decodes and makes durable; the budget is reserved from before the first byte to the end.
 */
async function receive(
  arrival: Arrival,
  known: Pick<IngestBody, "encoding" | "principal">,
  options: IntakeOptions,
): Promise<RejectionCounts> {
  const { budget, clock, conservation, journal, processor } = options;
  let lease: BudgetLease | undefined;
  try {
    const { bytes, coding } = await arrival.read((declared) => {
      lease = budget.take(known.principal.name, declared ?? undeclaredBytes);
      return lease;
    });
    const held = bytes.byteLength;
    const rejected: RejectionCounts = {};
    const keep = async (part: IngestPart): Promise<void> => {
      const passage = conservation.enter(part.items, known.principal.name);
      try {
        if (part.events > 0) {
          lease?.growTo(held + part.payload.byteLength);
          const { payload, events: spans } = part;
          const { sequence } = await journal.append({ payload, spans });
          options.onDurable?.(sequence, part.roots);
        }
      } catch (error) {
        const reason = CodedError.is(error) ? error : new CodedError("journal_failed");
        passage.refused(reason.code);
        throw new Counted(reason);
      }
      passage.accepted(part.rejected, part.services);
      conservation.dropped(part.dropped);
      for (const [code, count] of Object.entries(part.rejected)) {
        countRejection(rejected, code as keyof RejectionCounts, count);
      }
    };
    const body = { signal: arrival.signal, ...known, coding, bytes, receivedAt: clock() };
    await keep(await processor.run(body, keep));
    return rejected;
  } finally {
    lease?.release();
  }
}

/**
 * A token as the value of a Bearer header, from `authorization` with Bearer or Basic (the password
 * is the token), or from `x-turnproof-token`, for exporters that can set only one of them.
 */
export function credentialOf(
  authorization: string | undefined,
  ownToken: string | undefined,
): string | undefined {
  if (authorization === undefined) return ownToken === undefined ? undefined : `Bearer ${ownToken}`;
  const basic = /^basic +([A-Za-z0-9+/=_-]{1,1024}) *$/i.exec(authorization)?.[1];
  if (basic === undefined) return authorization;
  const pair = Buffer.from(basic, "base64").toString("latin1");
  return `Bearer ${pair.slice(pair.indexOf(":") + 1)}`;
}

/**
 * Default bytes of all requests together: one of the largest, and room for others. More would not
 * be faster on few cores, and memory under a flood grows with it (faults R15).
 */
export const budgetBytesDefault: number = 1.25 * limits.otlpBodyBytesMax;

/**
 * Share of one principal: one of the largest bodies with a part of its events fits, and room for
 * the requests of the others is left.
 */
export const budgetShare: number = 15 / 16;

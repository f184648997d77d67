/**
 * @module SendRequest: one OTLP request over HTTP, and what its answer means (OTLP: Failures). Only
 * a partial success is read of an answer; a redirect is a failure.
 */
import { CodedError } from "@turnproof/semconv";
import { z } from "zod";

/** Where requests are sent. */
export interface ForwardTarget {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** What became of a request. */
export type Sent =
  /** Taken; that many of its spans were rejected, unknown where the answer could not be read. */
  | { readonly result: "taken"; readonly rejected: number | undefined }
  /** Never taken in this form: the request is divided, and a single span is given up. */
  | { readonly result: "refused" }
  /** To be sent again, after this many milliseconds where the endpoint sets a delay. */
  | { readonly result: "later"; readonly waitMs: number | undefined };

/** Statuses after which the same request is refused again. */
const refusedStatuses: ReadonlySet<number> = new Set([400, 413, 415, 422]);
const answerBytesMax = 65_536;
const waitMsMax = 300_000;
/** The form of a date in a header (RFC 9110: Date/Time Formats); the others are obsolete. */
const headerDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** Sends it. Never throws: an absent endpoint is `later`. */
export async function sendRequest(
  target: ForwardTarget,
  bytes: Uint8Array<ArrayBuffer>,
  signal: AbortSignal,
): Promise<Sent> {
  try {
    const response = await fetch(target.url, {
      method: "POST",
      body: bytes,
      redirect: "error",
      signal,
      headers: {
        "content-type": "application/x-protobuf",
        "user-agent": "turnproof",
        ...target.headers,
      },
    });
    if (response.ok) return { result: "taken", rejected: await rejectedOf(response) };
    await response.body?.cancel();
    if (refusedStatuses.has(response.status)) return { result: "refused" };
    return { result: "later", waitMs: retryAfter(response.headers) };
  } catch {
    // Away, too slow, or a redirect.
    return { result: "later", waitMs: undefined };
  }
}

/**
 * The spans that an accepted request lost; undefined for an answer that is too large, breaks off or
 * cannot be read. An empty one has no rejections.
 * The status alone accepts the request: it is not sent again.
 */
async function rejectedOf(response: Response): Promise<number | undefined> {
  try {
    const answer = await read(response);
    if (answer.length === 0) return 0;
    const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
    return isJson ? rejectedInJson(answer) : rejectedSpans(answer);
  } catch {
    return undefined;
  }
}

async function read(response: Response): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > answerBytesMax) throw new CodedError("body_too_large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/**
 * Milliseconds of a `Retry-After` in seconds, or up to its date by the clock of the endpoint;
 * undefined without a delay: then the pauses grow, so that no endpoint is sent the same at once.
 */
export function retryAfter(
  headers: Pick<Headers, "get">,
  now: number = Date.now(),
): number | undefined {
  const header = headers.get("retry-after")?.trim() ?? "";
  const until = timeOf(header);
  const waitMs = /^\d{1,6}$/.test(header)
    ? Number(header) * 1_000
    : until === undefined
      ? 0
      : until - (timeOf(headers.get("date") ?? "") ?? now);
  return waitMs > 0 ? Math.min(waitMsMax, waitMs) : undefined;
}

function timeOf(header: string): number | undefined {
  const time = headerDate.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

/**
 * `partial_success.rejected_spans` of an `ExportTraceServiceResponse`; undefined for bytes that are
 * no message.
 */
export function rejectedSpans(bytes: Uint8Array): number | undefined {
  const fields = fieldsOf(bytes);
  const success = fields?.get(1);
  if (fields === undefined || success === undefined) return fields && 0;
  const count = typeof success === "bigint" ? undefined : fieldsOf(success);
  const rejected = count?.get(1) ?? 0n;
  // The number has a sign on the wire; a count below zero is none.
  return count === undefined || typeof rejected !== "bigint"
    ? undefined
    : Math.max(0, Number(BigInt.asIntN(64, rejected)));
}

/** The same of an endpoint that answers protobuf in JSON, where the number is a text. */
function rejectedInJson(bytes: Uint8Array): number | undefined {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(bytes).toString("utf8"));
    const answer = answerSchema.parse(parsed);
    return Math.max(0, answer.partialSuccess?.rejectedSpans ?? 0);
  } catch {
    return undefined;
  }
}

const answerSchema = z.object({
  partialSuccess: z
    .object({ rejectedSpans: z.coerce.number<string | number>().int().default(0) })
    .nullish(),
});

/** Bytes of fields with a fixed length, by their wire type. */
const fixedBytes: { readonly [wire: number]: number | undefined } = { 1: 8, 5: 4 };

/** Messages and numbers of a message by field, the last of each; undefined for other bytes. */
function fieldsOf(bytes: Uint8Array): ReadonlyMap<number, Uint8Array | bigint> | undefined {
  const fields = new Map<number, Uint8Array | bigint>();
  let at = 0;
  const varint = (): bigint | undefined => {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = bytes[at];
      if (byte === undefined) return undefined;
      at += 1;
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
    return undefined;
  };
  while (at < bytes.length) {
    const tag = varint();
    if (tag === undefined || tag >> 3n === 0n) return undefined;
    const [number, wire] = [Number(tag >> 3n), Number(tag & 7n)];
    const fixed = fixedBytes[wire];
    const value = wire === 0 || wire === 2 ? varint() : undefined;
    if (fixed === undefined && value === undefined) return undefined;
    if (wire === 0 && value !== undefined) {
      fields.set(number, value);
      continue;
    }
    const end = at + (fixed ?? Number(value));
    if (end > bytes.length) return undefined;
    if (wire === 2) fields.set(number, bytes.subarray(at, end));
    at = end;
  }
  return fields;
}

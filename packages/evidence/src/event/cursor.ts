/**
 * @module Cursor: the content of a cursor (evidence: Page). It has a position and everything
 * that it is bound to; the collector seals and opens it. A cursor that does not match the request
 * in every respect is rejected with one unspecific error.
 */
import { CodedError, compareTimes, normalizeTime } from "@turnproof/semconv";

import { canonicalJson } from "./canonical-json.ts";
import type { EventQuery } from "./query.ts";

/** What a cursor is bound to; the collector takes it from the request, never from the cursor. */
export interface CursorBinding {
  /** Digest of {@link filterHashInput}. */
  readonly filters: string;
  /** The tenant scope and the principal's role, as the collector encodes them. */
  readonly scope: string;
  readonly role: string;
  readonly view: string;
  readonly store: string;
}

/**
 * The root, record or row at which a position stopped, and its digest when the cursor was issued
 * (requirements: Endpoints 3).
 */
export interface CursorUnit {
  /** Identifies the partly read unit; the reader decides which fields it needs. */
  readonly at: Readonly<Record<string, string>>;
  readonly digest: string;
}

/** The payload: binding, position, the walk's mark, and the time of expiry. */
export interface CursorPayload extends CursorBinding {
  /** The store's keyset position; values are opaque here. */
  readonly position: Readonly<Record<string, string | number>>;
  /** When the first page of the walk was read, ISO 8601 UTC; the same in all of its pages. */
  readonly as_of: string;
  /** Absent where the position is between units that cannot change. */
  readonly standing?: CursorUnit;
  /** ISO 8601 UTC. */
  readonly expires_at: string;
}

const version = 2;
const bound = ["filters", "scope", "role", "view", "store"] as const;
const times = ["as_of", "expires_at"] as const;

/** The text to hash for `filters`: every filter of the query and the view, canonical. */
export function filterHashInput(query: EventQuery, view: string): string {
  return canonicalJson({ purpose: "cursor-filters", view, query: { store: "trace", ...query } });
}

/** Canonical text of a payload, ready to be sealed. */
export function encodeCursor(payload: CursorPayload): string {
  return canonicalJson({ version, ...payload });
}

/**
 * Decodes an opened cursor. Throws `cursor_rejected` for any text that {@link encodeCursor} did
 * not write, for another binding than the request's, and from `expires_at` on.
 */
export function decodeCursor(
  text: string,
  request: { readonly binding: CursorBinding; readonly now: string },
): CursorPayload {
  const payload = parse(text);
  const now = normalizeTime(request.now);
  if (
    payload === undefined ||
    now === undefined ||
    compareTimes(now, payload.expires_at) >= 0 ||
    bound.some((field) => payload[field] !== request.binding[field])
  ) {
    throw new CodedError("cursor_rejected");
  }
  return payload;
}

function parse(text: string): CursorPayload | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const { version: written, ...payload } = value as CursorPayload & { version?: unknown };
  const texts = [...bound, ...times].every((field) => typeof payload[field] === "string");
  if (written !== version || !texts) return undefined;
  if (times.some((field) => normalizeTime(payload[field]) !== payload[field])) return undefined;
  const position: unknown = payload.position;
  if (typeof position !== "object" || position === null || Array.isArray(position))
    return undefined;
  if (!Object.values(position).every(isKey)) return undefined;
  if (!isStanding(payload.standing)) return undefined;
  // Only our own encoding is accepted: another field or another order of fields is rejected.
  const own = {
    filters: 0,
    scope: 0,
    role: 0,
    view: 0,
    store: 0,
    position: 0,
    as_of: 0,
    expires_at: 0,
    standing: 0,
  };
  if (!Object.keys(payload).every((field) => Object.hasOwn(own, field))) return undefined;
  return encodeCursor(payload) === text ? payload : undefined;
}

function isStanding(value: unknown): boolean {
  if (value === undefined) return true;
  if (typeof value !== "object" || value === null) return false;
  const { at, digest, ...rest } = value as Partial<CursorUnit>;
  if (typeof at !== "object" || at === null || Array.isArray(at)) return false;
  const named = Object.values(at).every((name) => typeof name === "string");
  return named && typeof digest === "string" && Object.keys(rest).length === 0;
}

function isKey(value: unknown): boolean {
  return typeof value === "string" || (typeof value === "number" && Number.isFinite(value));
}

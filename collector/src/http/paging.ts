/**
 * @module Paging: opens and seals a route's cursors. The binding of a cursor is built from the
 * request: route, every filter, view, store, and principal (evidence: Page; security: Keys). It
 * contains the mark of its walk and a digest of the unit in which its position is.
 */
import { createHash } from "node:crypto";

import { decodeCursor, encodeCursor, filterHashInput } from "@turnproof/evidence";
import type { CursorBinding, CursorPayload, EventQuery } from "@turnproof/evidence";
import { CodedError, isoTime, limits } from "@turnproof/semconv";
import type { Keyset } from "@turnproof/store";

import { openCursor, sealCursor } from "../access/cursor-seal.ts";
import { scopeKey } from "../access/grants.ts";
import type { Reading } from "../access/grants.ts";
import type { Parts } from "../parts.ts";
import { principalOf } from "./environment.ts";
import type { AppContext } from "./environment.ts";
import { withCursor } from "./ignored-parameters.ts";
import { readingFor } from "./query.ts";
import { cursorUnitAt } from "./cursor-digest.ts";
import type { CursorUnitPlace, CursorUnitReader, KeptRoot } from "./cursor-digest.ts";

/** The cursor of one request. */
export interface Paging {
  /** Position in the request, authenticated. */
  readonly after: Keyset | undefined;
  /**
   * Mark of the walk: a time of receipt after everything received when its first page was read.
   */
  readonly asOf: string;
  /** What the request reads; relative times count back from the walk's mark, on each page. */
  readonly reading: Reading;
  /**
   * Checks the unit of the request's cursor, where that was left to the route. `kept`: the roots
   * that the page has read, which are not read again.
   *
   * @throws CodedError `cursor_rejected` when the partly read unit has changed
   */
  check(kept?: KeptRoot): Promise<void>;
  /**
   * The cursor of the next page, whose position is in `place`; `kept` as in `check`.
   */
  seal(
    next: Keyset | null,
    place: CursorUnitPlace | undefined,
    kept?: KeptRoot,
  ): Promise<string | null>;
}

/** Parameters as a route parsed them. */
type PageParameters = Parameters<typeof readingFor>[1] & {
  /** What else the cursor is bound to, such as the order. */
  readonly [name: string]: unknown;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
  readonly view?: string | undefined;
  readonly sort?: string | undefined;
  readonly store?: string | undefined;
};

/** Options of a walk. */
interface WalkOptions {
  /** For how long the cursor of the next page is valid. */
  readonly ageSecondsMax?: number;
  /** The route calls `check` once it has read its page, so that a root is read once for both. */
  readonly checksLater?: boolean;
}

/**
 * Opens the cursor of a request and reads again the unit in which it stopped.
 *
 * A page begins anew where its cursor is rejected, and marks it.
 *
 * @throws CodedError `cursor_rejected`, also when the partly read unit has changed; as
 * {@link readingFor} for the filters
 */
export function pagingOf(
  c: AppContext,
  parts: Parts,
  parameters: PageParameters,
  options: WalkOptions = {},
): Promise<Paging> {
  return withCursor(c, parameters.cursor, (cursor) =>
    walkOf(c, parts, { ...parameters, cursor }, options),
  );
}

async function walkOf(
  c: AppContext,
  parts: Parts,
  parameters: PageParameters,
  { ageSecondsMax = limits.cursorAgeSecondsMax, checksLater = false }: WalkOptions,
): Promise<Paging> {
  const { keyring, config, now } = parts;
  // A page and its twin share cursors: they count as one route.
  const route = c.get("route").replace(/\/turns\.json$|\.json$/, "");
  const place = { deployment: config.auditScope, route };
  const binding = bindingOf(c, parameters);
  const opened = (cursor: string): CursorPayload =>
    decodeCursor(openCursor(keyring, place, cursor), {
      binding,
      now: isoTime(now()),
    });
  const payload = parameters.cursor === undefined ? undefined : opened(parameters.cursor);
  const asOf = payload?.as_of ?? parts.ingest.mark();
  const reading = readingFor(c, parameters, Date.parse(asOf));
  const reader: CursorUnitReader = { parts, ...reading, signal: c.req.raw.signal };
  const check = async (kept?: KeptRoot): Promise<void> => {
    if (payload?.standing === undefined) return;
    const { digest } = await cursorUnitAt(reader, payload.standing.at, kept);
    if (digest !== payload.standing.digest) throw new CodedError("cursor_rejected");
  };
  if (!checksLater) await check();
  return {
    check,
    after: payload?.position,
    asOf,
    reading,
    async seal(next, at, kept) {
      if (next === null) return null;
      const expires = isoTime(now() + ageSecondsMax * 1000);
      const standing = at === undefined ? undefined : await cursorUnitAt(reader, at, kept);
      return sealCursor(
        keyring,
        place,
        encodeCursor({
          ...binding,
          position: next,
          as_of: asOf,
          ...(standing === undefined ? {} : { standing }),
          expires_at: expires,
        }),
      );
    },
  };
}

/** The page size may change from page to page; nothing else may. */
function bindingOf(c: AppContext, parameters: PageParameters): CursorBinding {
  const { cursor: _cursor, limit: _limit, view = "events", store = "trace", ...rest } = parameters;
  const filters = Object.fromEntries(
    Object.entries({ ...rest, store }).filter(([, value]) => value !== undefined),
  ) as EventQuery;
  const principal = principalOf(c);
  return {
    filters: createHash("sha256").update(filterHashInput(filters, view)).digest("hex"),
    scope: scopeKey(principal),
    role: principal.role,
    view,
    store,
  };
}

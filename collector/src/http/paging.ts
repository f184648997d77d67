/**
 * @module Paging: a route's cursor in and out. What a cursor is bound to is gathered here from the
 * request: route, every filter, view, store, and who asks (design 4: Page; faults 5.2).
 */
import { createHash } from "node:crypto";

import { decodeCursor, encodeCursor, filterHashInput } from "@turnproof/evidence";
import type { CursorBinding, EventQuery } from "@turnproof/evidence";
import { limits } from "@turnproof/semconv";
import type { Keyset } from "@turnproof/store";

import { openCursor, sealCursor } from "../auth/cursor-seal.ts";
import { scopeKey } from "../auth/grants.ts";
import type { Parts } from "../parts.ts";
import { principalOf } from "./environment.ts";
import type { AppContext } from "./environment.ts";

/** The cursor of one request. */
export interface Paging {
  /** Position that came in, authenticated. */
  readonly after: Keyset | undefined;
  /** The cursor of the page after this one. */
  seal(next: Keyset | null): string | null;
}

/** Parameters as a route read them. */
type Parameters = Readonly<Record<string, unknown>> & {
  readonly cursor?: string | undefined;
  readonly view?: string | undefined;
  readonly store?: string | undefined;
};

/**
 * Opens the cursor of a request.
 *
 * @throws CodedError `cursor_rejected`
 */
export function pagingOf(c: AppContext, parts: Parts, parameters: Parameters): Paging {
  const { keyring, config, now } = parts;
  // A page and its twin go on with each other's cursors: they are one route.
  const route = c.get("route").replace(/\/turns\.json$|\.json$/, "");
  const place = { deployment: config.auditScope, route };
  const binding = bindingOf(c, parameters);
  const opened = (cursor: string): Keyset =>
    decodeCursor(openCursor(keyring, place, cursor), {
      binding,
      now: new Date(now()).toISOString(),
    }).position;
  return {
    after: parameters.cursor === undefined ? undefined : opened(parameters.cursor),
    seal: (next) => {
      if (next === null) return null;
      const expires = new Date(now() + limits.cursorAgeSecondsMax * 1000).toISOString();
      return sealCursor(
        keyring,
        place,
        encodeCursor({ ...binding, position: next, expires_at: expires }),
      );
    },
  };
}

/** The page size may change from page to page; everything else may not. */
function bindingOf(c: AppContext, parameters: Parameters): CursorBinding {
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

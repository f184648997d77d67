/**
 * @module Download: every turn of a filter, or the events of all of them, as one file of CSV or
 * JSON lines, in the columns of `/traces/export`. Permission, scope, filters and order are those of
 * the list; the store is read page by page as the client takes the file.
 */
import { Hono } from "hono";
import { z } from "zod";
import { foldedTurns } from "@turnproof/evidence";
import type { TurnEvent } from "@turnproof/evidence";
import { CodedError } from "@turnproof/semconv";
import { eventColumns, turnOrderFields, turnTable } from "@turnproof/store";
import type { TurnOrder, TurnPosition, TurnQuery, TurnRecord } from "@turnproof/store";

import { download } from "../../http/download.ts";
import type { Endpoint, RouteGroup } from "../../http/endpoint.ts";
import type { AppContext, AppEnv } from "../../http/environment.ts";
import { readParameters } from "../../http/parameters.ts";
import { readingFor } from "../../http/query.ts";
import type { Parts } from "../../parts.ts";
import { knownNames } from "../../turns/free-text.ts";
import { listParameters } from "../../turns/list-parameters.ts";
import { turnQueryOf } from "../../turns/turn-conditions.ts";
import { usualOrder } from "../../turns/turn-position.ts";
import { eventsOf } from "../../turns/turn-reading.ts";
import { rowKey } from "../../ui/display/turn-figures.ts";
import { fileWindow, windowText } from "../../tables/file-window.ts";
import { fileForms, mediaTypeOf, writtenFile } from "../../tables/list-files.ts";

const downloadParameters = z.strictObject({
  ...listParameters.omit({ chart: true }).shape,
  sort: z
    .enum(turnOrderFields)
    .describe("What the turns are ordered by; default `own_time`.")
    .optional(),
  order: z.enum(["descending", "ascending"]).describe("Default `descending`.").optional(),
});

/** Turns that are read at once. */
const turnsAtOnce = 500;
/** Rows of roots that are read at once; a root with more is read alone. */
const rowsAtOnce = 5_000;

const ofTurns =
  "Events without a turn, such as reports of producers about losses, are not in it: " +
  "`/traces/export?table=events` has every event. ";

const shared = {
  needs: "trace.read",
  lasts: true,
  query: downloadParameters,
  failures: ["scope_forbidden", "store_unavailable", "streams_full", "root_too_large"],
} as const satisfies Partial<Endpoint>;

const description =
  "Columns are those of `docs/operate/data.md`. Written as it is read, without a bound on rows. A failure after the first part breaks the " +
  "transfer. A cell of CSV that begins like a formula has an apostrophe before it. " +
  windowText;

/** Download: what each route needs, records and answers. */
export const downloadGroup: RouteGroup = {
  endpoints: {
    "GET /traces/turns.csv": {
      ...shared,
      audit: "turns.export",
      id: "exportTurnsCsv",
      summary: "All turns of a filter as CSV",
      text: description,
      returns: "A line of names, and one line for each turn.",
      answers: "text/csv",
    },
    "GET /traces/turns.jsonl": {
      ...shared,
      audit: "turns.export",
      id: "exportTurnsJsonLines",
      summary: "All turns of a filter as lines of JSON",
      text: description,
      returns: "One turn a line.",
      answers: "application/jsonl",
    },
    "GET /traces/spans.csv": {
      ...shared,
      audit: "events.export",
      id: "exportSpansCsv",
      summary: "The events of all turns of a filter as CSV",
      text: ofTurns + description,
      returns: "A line of names, and one line for each event, turn by turn.",
      answers: "text/csv",
    },
    "GET /traces/spans.jsonl": {
      ...shared,
      audit: "events.export",
      id: "exportSpansJsonLines",
      summary: "The events of all turns of a filter as lines of JSON",
      text: ofTurns + description,
      returns: "One normalized event a line, turn by turn.",
      answers: "application/jsonl",
    },
  },
  routes: downloadRoutes,
};

/** GET `/traces/turns.*` and `/traces/spans.*`. */
function downloadRoutes(parts: Parts): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  for (const form of fileForms) {
    app.get(`/traces/turns.${form}`, async (c) => {
      const window = await fileWindow(c, parts);
      const requested = await requestDownload(c, parts);
      return download(c, parts, {
        headers: window.header,
        name: "turns",
        extension: form,
        type: mediaTypeOf(form),
        parts: (signal) =>
          writtenFile(form, turnTable, pagesOf(parts, requested, turnsAtOnce, signal)),
      });
    });
    app.get(`/traces/spans.${form}`, async (c) => {
      const window = await fileWindow(c, parts);
      const requested = await requestDownload(c, parts);
      return download(c, parts, {
        headers: window.header,
        name: "spans",
        extension: form,
        type: mediaTypeOf(form),
        parts: (signal) => writtenFile(form, eventColumns, spansOf(parts, requested, signal)),
      });
    });
  }
  return app;
}

interface DownloadRequest {
  readonly query: TurnQuery;
  readonly order: TurnOrder;
}

async function requestDownload(c: AppContext, { store }: Parts): Promise<DownloadRequest> {
  const { sort: by = usualOrder.by, order, ...parameters } = readParameters(c, downloadParameters);
  const reading = readingFor(c, parameters);
  const names = await knownNames(store.ledger, reading.scope, parameters.q);
  return {
    query: turnQueryOf(reading, parameters, { typed: c.get("typed"), names }),
    order: order === "ascending" ? { by, ascending: true } : { by },
  };
}

/**
 * The events of the turns, in the order of the list.
 *
 * @throws CodedError `root_too_large` for a root with more events than are read of one
 */
async function* spansOf(
  parts: Parts,
  requested: DownloadRequest,
  signal: AbortSignal,
): AsyncGenerator<readonly TurnEvent[]> {
  for await (const records of pagesOf(parts, requested, turnsAtOnce, signal)) {
    for (const some of await runsOf(parts, records)) {
      signal.throwIfAborted();
      const read = await eventsOf(parts, requested.query.scope, some);
      if (!read.complete) throw new CodedError("root_too_large");
      const turns = new Map(
        foldedTurns(read.events).map(({ row, events }) => [rowKey(row), events]),
      );
      yield some.flatMap(({ row }) => turns.get(rowKey(row)) ?? []);
    }
  }
}

/** The turns in their order, in runs whose roots have few enough rows to be read together. */
async function runsOf(
  { store }: Parts,
  records: readonly TurnRecord[],
): Promise<readonly (readonly TurnRecord[])[]> {
  const roots = new Set(records.flatMap(({ row }) => row.root_trace_id ?? []));
  const standing = await store.standing([...roots]);
  const runs: TurnRecord[][] = [];
  let read = new Set<string>();
  let rows = 0;
  for (const record of records) {
    const root = record.row.root_trace_id ?? "";
    const own = read.has(root) ? 0 : (standing.get(root)?.rows ?? 0);
    if (runs.length === 0 || (own > 0 && rows + own > rowsAtOnce)) {
      runs.push([]);
      read = new Set();
      rows = 0;
    }
    read.add(root);
    rows += own;
    runs.at(-1)?.push(record);
  }
  return runs;
}

async function* pagesOf(
  { store }: Parts,
  { query, order }: DownloadRequest,
  limit: number,
  signal: AbortSignal,
): AsyncGenerator<readonly TurnRecord[]> {
  let after: TurnPosition | null = null;
  do {
    const page = await store.ledger.listTurns(
      { ...query, signal },
      { order, limit, ...(after === null ? {} : { after }) },
    );
    yield page.records;
    after = page.next;
  } while (after !== null);
}

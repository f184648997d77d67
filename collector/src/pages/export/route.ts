/**
 * @module Export: the turns of a filter, and their events, as CSV and as lines of JSON. Permission,
 * scope, filters and order are those of the list; the store is read page by page as the client
 * takes the file.
 */
import { Hono } from "hono";
import { z } from "zod";
import { foldedTurns } from "@turnproof/evidence";
import type { TurnEvent, TurnRow } from "@turnproof/evidence";
import { CodedError } from "@turnproof/semconv";
import { turnOrderFields } from "@turnproof/store";
import type { TurnOrder, TurnPlace, TurnQuestion, TurnRecord } from "@turnproof/store";

import { download } from "../../http/download.ts";
import type { Endpoint, RouteGroup } from "../../http/endpoint.ts";
import type { AppContext, AppEnv } from "../../http/environment.ts";
import { readParameters } from "../../http/parameters.ts";
import { readingFor } from "../../http/query.ts";
import type { Parts } from "../../parts.ts";
import { knownNames } from "../../turns/free-text.ts";
import { listParameters } from "../../turns/list-parameters.ts";
import { turnQuestion } from "../../turns/turn-conditions.ts";
import { usualOrder } from "../../turns/turn-place.ts";
import { eventsOf } from "../../turns/turn-reading.ts";
import { rowKey } from "../../ui/display/turn-figures.ts";
import { csvHead, csvRows, jsonRows, spanTable, turnTable } from "./table-text.ts";
import type { ExportedTable } from "./table-text.ts";

const exportParameters = z.strictObject({
  ...listParameters.omit({ chart: true }).shape,
  sort: z
    .enum(turnOrderFields)
    .describe("What the turns are ordered by; default `own_time`.")
    .optional(),
  order: z.enum(["descending", "ascending"]).describe("Default `descending`.").optional(),
});

/** Turns that are read at once; events are read for few, because a turn can have many. */
const turnsAtOnce = 500;
const turnsWithEventsAtOnce = 20;

const types = {
  csv: "text/csv; charset=UTF-8; header=present",
  jsonl: "application/jsonl; charset=UTF-8",
} as const;
type Form = keyof typeof types;

const shared = {
  needs: "trace.read",
  query: exportParameters,
  failures: ["scope_forbidden", "store_unavailable", "streams_full", "root_too_large"],
} as const satisfies Partial<Endpoint>;

const said =
  "Written as it is read, without a bound on rows. A failure after the first part breaks the " +
  "transfer. A cell of CSV that begins like a formula has an apostrophe before it.";

/** Export: what each route needs, records and answers. */
export const exportGroup: RouteGroup = {
  endpoints: {
    "GET /traces/turns.csv": {
      ...shared,
      audit: "turns.export",
      id: "exportTurnsCsv",
      summary: "All turns of a filter as CSV",
      text: said,
      returns: "A line of names, and one line for each turn.",
      answers: "text/csv",
    },
    "GET /traces/turns.jsonl": {
      ...shared,
      audit: "turns.export",
      id: "exportTurnsJsonLines",
      summary: "All turns of a filter as lines of JSON",
      text: said,
      returns: "One row of `/traces/turns.json` a line.",
      answers: "application/jsonl",
    },
    "GET /traces/spans.csv": {
      ...shared,
      audit: "events.export",
      id: "exportSpansCsv",
      summary: "The events of all turns of a filter as CSV",
      text: said,
      returns: "A line of names, and one line for each event, turn by turn.",
      answers: "text/csv",
    },
    "GET /traces/spans.jsonl": {
      ...shared,
      audit: "events.export",
      id: "exportSpansJsonLines",
      summary: "The events of all turns of a filter as lines of JSON",
      text: said,
      returns: "One normalized event a line, turn by turn.",
      answers: "application/jsonl",
    },
  },
  routes: exportRoutes,
};

/** GET `/traces/turns.*` and `/traces/spans.*`. */
function exportRoutes(parts: Parts): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  for (const form of ["csv", "jsonl"] as const) {
    app.get(`/traces/turns.${form}`, async (c) => {
      const asked = await askExport(c, parts);
      return download(c, parts, {
        name: "turns",
        extension: form,
        type: types[form],
        parts: (signal) => written(form, turnTable, rowsOf(parts, asked, signal)),
      });
    });
    app.get(`/traces/spans.${form}`, async (c) => {
      const asked = await askExport(c, parts);
      return download(c, parts, {
        name: "spans",
        extension: form,
        type: types[form],
        parts: (signal) => written(form, spanTable, spansOf(parts, asked, signal)),
      });
    });
  }
  return app;
}

interface ExportAsked {
  readonly question: TurnQuestion;
  readonly order: TurnOrder;
}

async function askExport(c: AppContext, { store }: Parts): Promise<ExportAsked> {
  const { sort: by = usualOrder.by, order, ...parameters } = readParameters(c, exportParameters);
  const reading = readingFor(c, parameters);
  const names = await knownNames(store.ledger, reading.scope, parameters.q);
  return {
    question: turnQuestion(reading, parameters, { typed: c.get("typed"), names }),
    order: order === "ascending" ? { by, ascending: true } : { by },
  };
}

/** A table in one of its forms, part by part; the head of CSV is there without any row too. */
async function* written<R extends object>(
  form: Form,
  table: ExportedTable<R>,
  pages: AsyncGenerator<readonly R[]>,
): AsyncGenerator<string> {
  let head = form === "csv" ? csvHead(table) : "";
  for await (const rows of pages) {
    const text = form === "csv" ? csvRows(table, rows) : jsonRows(rows);
    if (head + text !== "") yield head + text;
    head = "";
  }
  if (head !== "") yield head;
}

async function* rowsOf(
  parts: Parts,
  asked: ExportAsked,
  signal: AbortSignal,
): AsyncGenerator<readonly TurnRow[]> {
  for await (const records of pagesOf(parts, asked, turnsAtOnce, signal)) {
    yield records.map(({ row }) => row);
  }
}

/**
 * The events of the turns, in the order of the list.
 *
 * @throws CodedError `root_too_large` for a root with more events than are read of one
 */
async function* spansOf(
  parts: Parts,
  asked: ExportAsked,
  signal: AbortSignal,
): AsyncGenerator<readonly TurnEvent[]> {
  for await (const records of pagesOf(parts, asked, turnsWithEventsAtOnce, signal)) {
    const read = await eventsOf(parts, asked.question.scope, records);
    if (!read.complete) throw new CodedError("root_too_large");
    const turns = new Map(foldedTurns(read.events).map((turn) => [rowKey(turn.row), turn.events]));
    for (const { row } of records) yield turns.get(rowKey(row)) ?? [];
  }
}

async function* pagesOf(
  { store }: Parts,
  { question, order }: ExportAsked,
  limit: number,
  signal: AbortSignal,
): AsyncGenerator<readonly TurnRecord[]> {
  let after: TurnPlace | null = null;
  do {
    const page = await store.ledger.listTurns(
      { ...question, signal },
      { order, limit, ...(after === null ? {} : { after }) },
    );
    yield page.records;
    after = page.next;
  } while (after !== null);
}

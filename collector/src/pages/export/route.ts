/**
 * @module Export: events, turns and calls under any filter as Parquet, Arrow, CSV or JSON lines,
 * part by part. A part is a whole file of bounded size, so that neither side holds more than one,
 * and an interrupted export continues after the last part that arrived.
 */
import { Hono } from "hono";
import { z } from "zod";
import { trustedErrors } from "@turnproof/evidence";
import { serialQueue } from "@turnproof/journal";
import { CodedError, limits } from "@turnproof/semconv";
import { callRowsOf, callTable, eventColumns, eventValues, turnTable } from "@turnproof/store";
import type { TurnQuery } from "@turnproof/store";

import { pageFailures } from "../../http/endpoint.ts";
import type { RouteGroup } from "../../http/endpoint.ts";
import type { AppContext, AppEnv } from "../../http/environment.ts";
import { pagingOf } from "../../http/paging.ts";
import type { Paging } from "../../http/paging.ts";
import { filters, readParameters } from "../../http/parameters.ts";
import { placeOfEvents } from "../../http/cursor-digest.ts";
import type { Parts } from "../../parts.ts";
import { tablePart } from "../../tables/column-data.ts";
import type { FileRows } from "../../tables/column-data.ts";
import { windowHeader } from "../../tables/file-window.ts";
import { tableFormatNames, tableFormats, tableMediaTypes } from "../../tables/formats.ts";
import { knownNames } from "../../turns/free-text.ts";
import { listParameters } from "../../turns/list-parameters.ts";
import { rowsUnread } from "../../turns/rows-unread.ts";
import { turnQueryOf } from "../../turns/turn-conditions.ts";
import { keysetOf, positionOf } from "../../turns/turn-position.ts";
import { turnQueryOfEvents, isComplete, pendingFrames } from "../../turns/window.ts";

/** Filters of turns that events do not have. */
const turnFilters = ["verdict", "finding", "q"] as const;

const { chart: _chart, ...listFilters } = listParameters.shape;

const [fileType = "", ...otherTypes] = tableMediaTypes;

/** Parameters of an export. */
const exportParameters = z.strictObject({
  ...listFilters,
  table: z
    .enum(["events", "turns", "calls"])
    .describe("Rows: events (default), turns, or the calls of models, tools and agents in turns.")
    .optional(),
  format: z.enum(tableFormatNames).describe("Format of the file; default `parquet`.").optional(),
  limit: z
    .string()
    .regex(/^\d{1,5}$/)
    .transform(Number)
    .pipe(z.number().int().min(1).max(limits.exportRowsMax))
    .describe(`Events or turns of a part, 1 to ${limits.exportRowsMax}, which is the default.`)
    .meta({ type: "integer", minimum: 1, maximum: limits.exportRowsMax, pattern: undefined })
    .optional(),
  cursor: filters.cursor.optional(),
});
type ExportParameters = z.output<typeof exportParameters>;

/** A part before it is written. */
interface ExportedPart {
  readonly part: FileRows;
  readonly next: string | null;
  /** Records that could not be read. */
  readonly errors: number;
  /** False where a bound of the store ended the reading. */
  readonly whole: boolean;
  /** The turns that it may be about. */
  readonly query: TurnQuery;
}

/** Export: what its route needs, records and answers. */
export const exportGroup: RouteGroup = {
  tag: "Traces",
  endpoints: {
    "GET /traces/export": {
      needs: "trace.read",
      lasts: true,
      whole: true,
      audit: "data.exported",
      reads: true,
      id: "exportTable",
      summary: "A part of a table as a file",
      text:
        "Columns are those of `docs/operate/data.md`. The filters are those of the event page " +
        "for `table=events`, else those of the list of turns. The header `turnproof-next-cursor` " +
        "has the cursor of the next part and is absent after the last; `turnproof-rows` counts " +
        "rows, `turnproof-unread` records that could not be read, and `turnproof-window` is " +
        "`partial` where frames are pending or the store ended the reading. The cursor is valid " +
        "for a week. A principal has three of these answers at a time, and all together four, " +
        "each until it is read to its end; beyond that the answer is 503.",
      query: exportParameters,
      returns: "The file.",
      answers: fileType,
      formats: otherTypes,
      failures: [...pageFailures, "filter_not_applicable", "overloaded"],
    },
  },
  routes: exportRoutes,
};

/** GET `/traces/export`. */
function exportRoutes(parts: Parts): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  // The rows of whole roots are in memory while a part is read.
  const reads = serialQueue();
  app.get("/traces/export", async (c) => {
    const parameters = readParameters(c, exportParameters);
    const { table = "events", format = "parquet" } = parameters;
    const { format: _format, ...paged } = { ...parameters, view: `export ${table}` };
    const paging = await pagingOf(c, parts, paged, {
      ageSecondsMax: limits.exportCursorAgeSecondsMax,
    });
    const pending = await pendingFrames(parts);
    const requested = { c, parts, parameters, paging };
    const read = await reads(() => {
      if (c.req.raw.signal.aborted) throw new CodedError("store_timeout");
      return table === "events" ? eventPart(requested) : turnPart(requested, table);
    });
    const isWhole = read.whole && (await isComplete(parts, pending, read.query));
    const { mediaType, writer } = tableFormats[format];
    const write = await writer();
    c.set("bodyFollows", true);
    return c.body(streamOf(write(read.part)), 200, {
      "Content-Type": mediaType,
      "turnproof-rows": String(read.part.rows),
      "turnproof-unread": String(read.errors),
      ...windowHeader(isWhole),
      "turnproof-as-of": paging.asOf,
      ...(read.next === null ? {} : { "turnproof-next-cursor": read.next }),
    });
  });
  return app;
}

/** Nothing is written before the body is taken: the headers go first. */
function streamOf(
  pieces: AsyncGenerator<Uint8Array<ArrayBuffer>>,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await pieces.next();
        if (done === true) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        await pieces.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
}

interface RequestedPart {
  readonly c: AppContext;
  readonly parts: Parts;
  readonly parameters: ExportParameters;
  readonly paging: Paging;
}

async function eventPart(requested: RequestedPart): Promise<ExportedPart> {
  const { c, parts, parameters, paging } = requested;
  const { reading } = paging;
  const field = turnFilters.find((name) => parameters[name] !== undefined);
  if (field !== undefined) throw new CodedError("filter_not_applicable", { field });
  const { scope, query } = reading;
  const unread = rowsUnread(parts, reading);
  const limit = parameters.limit ?? limits.exportRowsMax;
  const slice = await parts.store.page(scope, query, {
    limit,
    // Of many events a filter may pass few: a part reads as many as one without a filter has.
    budgetRows: limit,
    signal: c.req.raw.signal,
    ...(paging.after === undefined ? {} : { after: paging.after }),
  });
  const errors = trustedErrors(slice.errors).reduce((sum, { count }) => sum + count, 0);
  return {
    part: tablePart(eventColumns, slice.events, eventValues),
    next: await paging.seal(slice.next, placeOfEvents(reading, slice.events)),
    errors,
    whole: !unread && !(slice.bounded && slice.next === null),
    query: turnQueryOfEvents(reading),
  };
}

async function turnPart(requested: RequestedPart, table: "turns" | "calls"): Promise<ExportedPart> {
  const { c, parts, parameters, paging } = requested;
  const { reading } = paging;
  const names = await knownNames(parts.store.ledger, reading.scope, parameters.q);
  const reads = { typed: c.get("typed"), names, lenient: false };
  const query: TurnQuery = turnQueryOf(reading, parameters, reads);
  const { records, next } = await parts.store.ledger.listTurns(
    { ...query, signal: c.req.raw.signal },
    {
      order: { by: "first_received" },
      limit: parameters.limit ?? limits.exportRowsMax,
      ...(paging.after === undefined ? {} : { after: positionOf(paging.after) }),
    },
  );
  const part =
    table === "turns"
      ? tablePart(turnTable, records)
      : tablePart(
          callTable,
          records.flatMap((turn) => callRowsOf(turn, reading.scope)),
        );
  const sealed = await paging.seal(next === null ? null : keysetOf(next), undefined);
  return { part, next: sealed, errors: 0, whole: true, query };
}

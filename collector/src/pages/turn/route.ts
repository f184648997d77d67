/**
 * @module Turn page: everything known about one root inside the principal's scope: its turns,
 * waterfall, memory supply, verdict and insights (collector: Answer).
 */
import { limits } from "@turnproof/semconv";
import type { Identity } from "@turnproof/semconv";
import { Hono } from "hono";
import { z } from "zod";
import { compareEvents } from "@turnproof/evidence";
import type { TurnEvent, TurnRow, Verdict, WindowMetadata } from "@turnproof/evidence";

import { scopeKey } from "../../access/grants.ts";
import { spanColumns } from "../../ui/display/span-table.ts";
import { turnColumns } from "../../ui/display/turn-columns.ts";
import { principalOf } from "../../http/environment.ts";
import type { AppEnv } from "../../http/environment.ts";
import { filters, form, readParameters, readPathId } from "../../http/parameters.ts";
import { readingFor } from "../../http/query.ts";
import { respond } from "../../http/respond.tsx";
import { KeptAccounts } from "../../turns/kept-accounts.ts";
import { timelineRows } from "../../memory/memory-events.ts";
import type { RouteGroup } from "../../http/endpoint.ts";
import type { Columns } from "../../ui/display/columns.ts";
import type { TypicalCall } from "../../ui/display/typical-call.ts";
import type { WaterfallColumns } from "../../ui/display/turn-columns.ts";
import type { Parts } from "../../parts.ts";
import { factsOf, verdictOf } from "../../turns/turn-account.ts";
import type { TurnAccount, RootFacts } from "../../turns/turn-account.ts";
import { notesOn } from "../../turns/turn-notes.ts";
import type { TurnNote } from "../../turns/turn-notes.ts";
import { typicalCalls } from "../../turns/typical-calls.ts";
import { recordedTurns, withVerdicts } from "../../turns/turn-verdicts.ts";
import { metadataOf } from "../../judge/verdict.ts";
import { selectRoot, windowModel } from "../../turns/window.ts";
import type { WindowModel } from "../../turns/window.ts";
import { turnPage } from "./page.tsx";
import { contractsOf } from "./turn-contracts.ts";
import type { ContractsOfTurn } from "./turn-contracts.ts";

const { application_id, agent_id, thread_id, turn_id, user_id, scope, memory_id } = filters;

/** How the table of spans is shown; only the page reads these. */
export const spanTable = {
  spans: z
    .enum(spanColumns)
    .describe("Column by which the page's table of spans is sorted; without it there is none."),
  spans_order: z.enum(["ascending", "descending"]).describe("Direction of the table of spans."),
  spans_page: z.coerce.number().int().min(1).max(100_000).describe("Page of the table of spans."),
};

/** Parameters of the turn page; they select among the turns of the root. */
const turnParameters = z
  .strictObject({
    application_id,
    agent_id,
    thread_id,
    turn_id,
    user_id,
    scope,
    memory_id,
    form,
    read: z
      .enum(["part", "whole"])
      .describe(
        "`part` (default): the first 50,000 events of a larger root. `whole`: up to 200,000.",
      ),
    ...spanTable,
  })
  .partial();

/**
 * The first events of a large root, in the order of receipt. The turns are counted over all of its
 * events, everything else over these, and there is no verdict.
 */
export interface PartialRead {
  readonly events_read: number;
  /** Events of these turns in the ledger; null where it does not have all of them yet. */
  readonly events_recorded: number | null;
}

/** Body of `/traces/{root_trace_id}.json`. */
export interface TurnModel extends TurnAccount, Pick<Identity, "root_trace_id"> {
  /** Events of all stores, oldest first; rows of memory are in the timeline and never judged. */
  readonly events: readonly TurnEvent[];
  readonly window: WindowModel;
  /** What was read of a root that is too large for a page; null where all of it was. */
  readonly partial_read: PartialRead | null;
  /** By tool; a tool with too few calls of a known duration has none. */
  readonly typical_calls: readonly TypicalCall[];
  /** Notes of operators, oldest first; null for a turn that no store holds. */
  readonly notes: readonly TurnNote[] | null;
  /** The standing contracts on each turn; null without contracts. */
  readonly contracts: readonly ContractsOfTurn[] | null;
}

/** `/traces/{root_trace_id}.json` with `form=columns`. */
export type TurnInColumns = Omit<TurnModel, "waterfall" | "events"> & {
  readonly waterfall: WaterfallColumns;
  readonly events: Columns;
};

/** Its JSON, by route. */
export interface TurnAnswers {
  readonly "GET /traces/:root_trace_id": TurnModel | TurnInColumns;
}

/** Turn: what each route needs, records and answers. */
export const turnGroup: RouteGroup<TurnAnswers> = {
  tag: "Traces",
  endpoints: {
    "GET /traces/:root_trace_id": {
      needs: "trace.read",
      audit: "turn.read",
      reads: true,
      id: "getRoot",
      summary: "One root: turns, waterfall, supply, verdict",
      query: turnParameters,
      returns: "Turns, waterfall, supply and verdict of the root.",
      failures: ["trace_not_found_in_window", "scope_forbidden", "store_unavailable"],
    },
  },
  routes: turnRoutes,
};

/** GET `/traces/{root_trace_id}` and its twin. */
function turnRoutes(parts: Parts): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  const accounts = new KeptAccounts<RootFacts>();
  app.get("/traces/:root_trace_id", async (c) => {
    const root = readPathId(c, "root_trace_id");
    const { form: requested, read, ...narrowed } = readParameters(c, turnParameters);
    const reading = readingFor(c, narrowed);
    const { window, selected, events, rowsMax } = await selectRoot(
      parts,
      reading,
      root,
      read === "whole" ? {} : { rowsMax: limits.pageRootEventsMax },
    );
    const partial = window.bounded && (await isLarger(parts, root, rowsMax));
    const judged = partial ? [] : events;
    const question = JSON.stringify([scopeKey(principalOf(c)), root, selected]);
    const metadata = await metadataOf(parts, window);
    // The verdict is at this moment; the mark in its metadata differs in every request.
    const facts = accounts.of({ question, events, metadata: null }, () => factsOf(events));
    const verdict = partial ? unjudged(metadata) : verdictOf(events, metadata);
    const account: TurnAccount = { ...facts, verdict };
    const place = { scope: reading.scope, root };
    const rows = await timelineRows(parts.memory, reading.scope, events);
    const { ledger } = parts.store;
    const recorded = partial ? await recordedTurns(ledger, place, selected) : [];
    const [turns, typical] = await Promise.all([
      recorded.length > 0 ? recorded : withVerdicts(ledger, place, account.turns),
      typicalCalls(ledger, reading.scope, account.turns),
    ]);
    const model: TurnModel = {
      root_trace_id: root,
      ...account,
      turns,
      typical_calls: typical,
      events: rows.length === 0 ? events : [...events, ...rows].toSorted(compareEvents),
      window: windowModel(window),
      partial_read: partial ? partOf(events, recorded) : null,
      notes: await notesOn(parts.store, {
        root,
        turns: account.turns,
        events,
        principal: principalOf(c),
      }),
      contracts: await contractsOf(parts, place, judged, metadata),
    };
    const json = requested === "columns" ? () => turnColumns(model) : undefined;
    return respond(c, { model, view: turnPage, ...(json === undefined ? {} : { json }) });
  });
  return app;
}

/** Of a part nothing is judged: what contradicts or completes it may be in the rest. */
function unjudged(metadata: WindowMetadata): Verdict {
  const why = "Unknown: this root was read in part, and a part is not judged.";
  return { ...verdictOf([], metadata), why };
}

/** Whether a reading was bounded by the size of its root, and not by damage to it. */
async function isLarger({ store }: Parts, root: string, rowsMax: number): Promise<boolean> {
  const standing = await store.standing([root]);
  return (standing.get(root)?.rows ?? 0) > rowsMax;
}

function partOf(events: readonly TurnEvent[], recorded: readonly TurnRow[]): PartialRead {
  const all = recorded.reduce((sum, { event_count: count }) => sum + count, 0);
  return { events_read: events.length, events_recorded: all > events.length ? all : null };
}

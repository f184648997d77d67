/**
 * @module TurnReading: everything known about one root inside the principal's scope, as its page
 * and the answer to a refused form of it show it.
 */
import type { Identity } from "@turnproof/semconv";
import { compareEvents } from "@turnproof/evidence";
import type { TurnEvent, TurnRow, Verdict, WindowMetadata } from "@turnproof/evidence";
import { scopeKey } from "../../access/grants.ts";
import { principalOf } from "../../http/environment.ts";
import type { AppContext } from "../../http/environment.ts";
import type { readingFor } from "../../http/query.ts";
import { ModelCache } from "../../turns/model-cache.ts";
import { timelineRows } from "../../memory/memory-events.ts";
import type { TypicalCall } from "../../ui/display/typical-call.ts";
import type { Parts } from "../../parts.ts";
import { factsOf, verdictOf } from "../../turns/root-facts.ts";
import type { JudgedFacts, RootFacts } from "../../turns/root-facts.ts";
import { notesOn } from "../../turns/turn-notes.ts";
import type { TurnNote } from "../../turns/turn-notes.ts";
import { typicalCalls } from "../../turns/typical-calls.ts";
import { recordedTurns, withVerdicts } from "../../turns/turn-verdicts.ts";
import { metadataOf } from "../../judge/verdict.ts";
import { selectRoot, windowModel } from "../../turns/window.ts";
import type { WindowModel } from "../../turns/window.ts";
import { contractsOf } from "./turn-contracts.ts";
import type { ContractsOfTurn } from "./turn-contracts.ts";

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
export interface TurnModel extends JudgedFacts, Pick<Identity, "root_trace_id"> {
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

/**
 * Reads the turns of a root.
 *
 * @throws CodedError `trace_not_found_in_window`, `scope_forbidden`, `store_unavailable`
 */
export type TurnReading = (
  c: AppContext,
  root: string,
  reading: ReturnType<typeof readingFor>,
  rowsMax: number | undefined,
) => Promise<TurnModel>;

/** The way in which the page and the answers to its forms read a root. */
export function turnReading(parts: Parts): TurnReading {
  const cache = new ModelCache<RootFacts>();
  return async (c, root, reading, most) => {
    const { window, selected, events, rowsMax } = await selectRoot(
      parts,
      reading,
      root,
      most === undefined ? {} : { rowsMax: most },
    );
    const partial = window.bounded && (await isLarger(parts, root, rowsMax));
    const judged = partial ? [] : events;
    const request = JSON.stringify([scopeKey(principalOf(c)), root, selected]);
    const metadata = await metadataOf(parts, window);
    // The verdict is at this moment; the mark in its metadata differs in every request.
    const facts = cache.of({ request, events, metadata: null }, () => factsOf(events));
    const verdict = partial ? unjudged(metadata) : verdictOf(events, metadata);
    const computed: JudgedFacts = { ...facts, verdict };
    const place = { scope: reading.scope, root };
    const rows = await timelineRows(parts.memory, reading.scope, events);
    const { ledger } = parts.store;
    const recorded = partial ? await recordedTurns(ledger, place, selected) : [];
    const [turns, typical] = await Promise.all([
      recorded.length > 0 ? recorded : withVerdicts(ledger, place, computed.turns),
      typicalCalls(ledger, reading.scope, computed.turns),
    ]);
    return {
      root_trace_id: root,
      ...computed,
      turns,
      typical_calls: typical,
      events: rows.length === 0 ? events : [...events, ...rows].toSorted(compareEvents),
      window: windowModel(window),
      partial_read: partial ? partOf(events, recorded) : null,
      notes: await notesOn(parts.store, {
        root,
        turns: computed.turns,
        events,
        principal: principalOf(c),
      }),
      contracts: await contractsOf(parts, place, judged, metadata),
    };
  };
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

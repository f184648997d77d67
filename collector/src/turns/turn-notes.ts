/**
 * @module TurnNotes: notes of operators on turns. A note belongs to its turn's tenant; a principal
 * that reads the turn reads its notes. Late evidence can change the identity of a turn: its notes
 * are then found by events of the turn, which they name.
 */
import { randomUUID } from "node:crypto";

import { foldedTurns } from "@turnproof/evidence";
import type { TurnEvent, TurnRow } from "@turnproof/evidence";
import { CodedError } from "@turnproof/semconv";
import type { NullableIdentity } from "@turnproof/semconv";
import { tenantText, turnRecordKey } from "@turnproof/store";
import type { EvidenceStore, OperatorRow } from "@turnproof/store";
import { z } from "zod";

import { isBound } from "../access/principal.ts";
import type { Principal } from "../access/principal.ts";
import { writtenMax } from "./written-text.ts";

/** A note as the turn's page and its JSON show it. */
export interface TurnNote extends NullableIdentity<"turn_id"> {
  readonly id: string;
  readonly text: string;
  /** Name of the principal who wrote it. */
  readonly by: string;
  readonly created_at: string;
  /** Null where it was never changed. */
  readonly changed_at: string | null;
  /** The condition of a change. */
  readonly version: number;
}

/** Evidence of one root as a principal reads it. */
export interface NotedRoot {
  readonly root: string;
  readonly turns: readonly TurnRow[];
  /** Events of these turns. */
  readonly events: readonly TurnEvent[];
  readonly principal: Principal;
}

/** One turn in the principal's scope. */
export interface NotedTurn extends NotedRoot {
  readonly turn: TurnRow;
}

const noteValue = z.object({
  text: z.string(),
  by: z.string(),
  changed_at: z.string().nullable(),
  /** Some events of the turn; absent in a note of an earlier version. */
  events: z.array(z.string()).optional(),
});
/** Events of its turn that a note names. */
const eventsMax = 4;

/** Notes on the turns of a root, oldest first. */
export async function notesOn(store: EvidenceStore, of: NotedRoot): Promise<readonly TurnNote[]> {
  return (await rowsOn(store, of)).map(([row, turn]) => noteOf(row, turn));
}

/**
 * Rows of notes with their turns. Another turn of the tenant may be of an application that the
 * principal does not read: a row without a turn is left out.
 */
async function rowsOn(
  { operatorRows }: EvidenceStore,
  { root, turns, events, principal }: NotedRoot,
): Promise<readonly (readonly [OperatorRow, TurnRow])[]> {
  const bound = isBound(principal);
  const users = [...turns, ...(bound ? [] : events)].map(({ user_id: user }) => user);
  // A turn may have been noted before its tenant was known.
  const tenants = new Set([undefined, ...users].map(tenantText));
  const rows = await operatorRows.list("note", [...tenants], root);
  if (rows.length === 0) return [];
  const byKey = new Map(turns.map((turn) => [turnRecordKey(turn), turn]));
  let byEvent: ReadonlyMap<string, TurnRow> | undefined;
  return rows.flatMap((row) => {
    const same = byKey.get(row.subject);
    if (same !== undefined) return row.tenant === tenantText(same.user_id) ? [[row, same]] : [];
    byEvent ??= turnsByEvent(events);
    const moved = valueOf(row).events?.flatMap((id) => byEvent?.get(id) ?? [])[0];
    return moved !== undefined && mayMove(row, moved, bound) ? [[row, moved]] : [];
  });
}

function turnsByEvent(events: readonly TurnEvent[]): ReadonlyMap<string, TurnRow> {
  return new Map(
    foldedTurns(events).flatMap(({ row, events: own }) =>
      own.map(({ event_id }) => [event_id, row] as const),
    ),
  );
}

/** A note on a turn of one tenant is not shown to another that the turn has turned out to be of. */
function mayMove({ tenant }: OperatorRow, turn: TurnRow, bound: boolean): boolean {
  return !bound || tenant === tenantText(turn.user_id) || tenant === tenantText(undefined);
}

/** Events that name the turn: its own span where there is one. */
function namedEvents(events: readonly TurnEvent[], turn: TurnRow): readonly string[] {
  const key = turnRecordKey(turn);
  const own = foldedTurns(events).find(({ row }) => turnRecordKey(row) === key)?.events ?? [];
  const isTurn = ({ event_kind: kind }: TurnEvent): boolean => kind === "turn";
  return [...own.filter(isTurn), ...own.filter((event) => !isTurn(event))]
    .slice(0, eventsMax)
    .map(({ event_id }) => event_id);
}

function noteOf(row: OperatorRow, turn: TurnRow): TurnNote {
  const { id, created_at, version } = row;
  const { text, by, changed_at } = valueOf(row);
  return { id, turn_id: turn.turn_id ?? null, created_at, version, text, by, changed_at };
}

function valueOf({ value }: OperatorRow): z.output<typeof noteValue> {
  return noteValue.parse(JSON.parse(value));
}

/** Adds a note. @throws CodedError `written_limit` */
export async function addNote(
  store: EvidenceStore,
  noted: NotedTurn,
  note: Pick<TurnNote, "text" | "by" | "created_at">,
): Promise<TurnNote> {
  const { root, turn, events } = noted;
  if ((await notesOn(store, noted)).length >= writtenMax) throw new CodedError("written_limit");
  const { text, by, created_at } = note;
  const row: OperatorRow = {
    kind: "note",
    tenant: tenantText(turn.user_id),
    place: root,
    id: randomUUID(),
    subject: turnRecordKey(turn),
    version: 1,
    created_at,
    value: JSON.stringify({ text, by, changed_at: null, events: namedEvents(events, turn) }),
  };
  if (!(await store.operatorRows.write(row))) throw new CodedError("store_conflict");
  return noteOf(row, turn);
}

/**
 * Changes the text of a note, which its author alone may do.
 * @throws CodedError `not_found`, `forbidden`, `store_conflict` where another version stands
 */
export async function changeNote(
  store: EvidenceStore,
  noted: NotedTurn,
  change: Pick<TurnNote, "id" | "text" | "version"> & {
    readonly changed_at: string;
  },
): Promise<TurnNote> {
  const { id, text, version, changed_at } = change;
  const row = await rowOf(store, noted, id);
  const before = valueOf(row);
  if (before.by !== noted.principal.name) throw new CodedError("forbidden");
  const next = {
    ...row,
    version: version + 1,
    value: JSON.stringify({ ...before, text, changed_at }),
  };
  if (!(await store.operatorRows.write(next))) throw new CodedError("store_conflict");
  return noteOf(next, noted.turn);
}

/**
 * Deletes a note, as its author or as an admin.
 * @throws CodedError `not_found`, `forbidden`, `store_conflict` where it was changed meanwhile
 */
export async function deleteNote(
  store: EvidenceStore,
  noted: NotedTurn,
  { id }: { readonly id: string },
): Promise<void> {
  const row = await rowOf(store, noted, id);
  if (!mayDelete(noted.principal, valueOf(row))) throw new CodedError("forbidden");
  if (!(await store.operatorRows.remove(row))) throw new CodedError("store_conflict");
}

/** True for the author of a note, and for an admin. */
export function mayDelete({ name, role }: Principal, { by }: Pick<TurnNote, "by">): boolean {
  return by === name || role === "admin";
}

async function rowOf(store: EvidenceStore, noted: NotedTurn, id: string): Promise<OperatorRow> {
  const [row] = (await rowsOn(store, noted)).flatMap(([one]) => (one.id === id ? [one] : []));
  if (row === undefined) throw new CodedError("not_found");
  return row;
}

/**
 * @module TurnNotes: notes of operators on turns. A note belongs to its turn's tenant; a principal
 * that reads the turn reads its notes.
 */
import { randomUUID } from "node:crypto";

import type { TurnRow } from "@turnproof/evidence";
import { CodedError } from "@turnproof/semconv";
import type { NullableIdentity } from "@turnproof/semconv";
import { tenantText, turnRecordKey } from "@turnproof/store";
import type { EvidenceStore, OperatorRow } from "@turnproof/store";
import { z } from "zod";

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

/** A turn in the caller's scope, and its root. */
export interface NotedTurn {
  readonly root: string;
  readonly turn: TurnRow;
}

const noteValue = z.object({ text: z.string(), by: z.string(), changed_at: z.string().nullable() });

/** Notes on these turns of a root, oldest first. */
export async function notesOn(
  { operatorRows }: EvidenceStore,
  root: string,
  turns: readonly TurnRow[],
): Promise<readonly TurnNote[]> {
  const tenants = new Set(turns.map(({ user_id: user }) => tenantText(user)));
  const rows = await operatorRows.list("note", [...tenants], root);
  if (rows.length === 0) return [];
  // Another turn of the tenant may be of an application that the caller does not read.
  const byKey = new Map(turns.map((turn) => [turnRecordKey(turn), turn]));
  return rows.flatMap((row) => {
    const turn = byKey.get(row.subject);
    const own = turn !== undefined && row.tenant === tenantText(turn.user_id);
    return own ? [noteOf(row, turn)] : [];
  });
}

function noteOf(row: OperatorRow, turn: TurnRow): TurnNote {
  const { id, created_at, version } = row;
  return { id, turn_id: turn.turn_id ?? null, created_at, version, ...valueOf(row) };
}

function valueOf({ value }: OperatorRow): z.output<typeof noteValue> {
  return noteValue.parse(JSON.parse(value));
}

/** Adds a note. @throws CodedError `written_limit` */
export async function addNote(
  store: EvidenceStore,
  { root, turn }: NotedTurn,
  note: Pick<TurnNote, "text" | "by" | "created_at">,
): Promise<TurnNote> {
  if ((await notesOn(store, root, [turn])).length >= writtenMax) {
    throw new CodedError("written_limit");
  }
  const { text, by, created_at } = note;
  const row: OperatorRow = {
    kind: "note",
    tenant: tenantText(turn.user_id),
    place: root,
    id: randomUUID(),
    subject: turnRecordKey(turn),
    version: 1,
    created_at,
    value: JSON.stringify({ text, by, changed_at: null }),
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
    readonly principal: Principal;
  },
): Promise<TurnNote> {
  const { id, text, version, changed_at, principal } = change;
  const row = await rowOf(store, noted, id);
  const { by } = valueOf(row);
  if (by !== principal.name) throw new CodedError("forbidden");
  const next = {
    ...row,
    version: version + 1,
    value: JSON.stringify({ text, by, changed_at }),
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
  { id, principal }: { readonly id: string; readonly principal: Principal },
): Promise<void> {
  const row = await rowOf(store, noted, id);
  if (!mayDelete(principal, valueOf(row))) throw new CodedError("forbidden");
  if (!(await store.operatorRows.remove(row))) throw new CodedError("store_conflict");
}

/** True for the author of a note, and for an admin. */
export function mayDelete({ name, role }: Principal, { by }: Pick<TurnNote, "by">): boolean {
  return by === name || role === "admin";
}

async function rowOf(
  { operatorRows }: EvidenceStore,
  { root, turn }: NotedTurn,
  id: string,
): Promise<OperatorRow> {
  const rows = await operatorRows.list("note", [tenantText(turn.user_id)], root);
  const key = turnRecordKey(turn);
  const row = rows.find((one) => one.id === id && one.subject === key);
  if (row === undefined) throw new CodedError("not_found");
  return row;
}

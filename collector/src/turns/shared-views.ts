/**
 * @module SharedViews: named filters of the list of turns that all operators of a tenant see. A
 * principal without a tenant shares with the others without one; one that is bound to an
 * application, with those of that application.
 */
import { randomUUID } from "node:crypto";

import { CodedError } from "@turnproof/semconv";
import { subjectOf, tenantText } from "@turnproof/store";
import type { EvidenceStore, OperatorRow } from "@turnproof/store";
import { z } from "zod";

import type { Principal } from "../access/principal.ts";
import { writtenMax } from "./written-text.ts";

/** A shared view. */
export interface SharedView {
  readonly id: string;
  readonly name: string;
  /** The query of the address of the list, with its question mark. */
  readonly query: string;
  /** Name of the principal who shared it. */
  readonly by: string;
  readonly created_at: string;
}

const viewValue = z.object({ name: z.string(), query: z.string(), by: z.string() });

/** Owner of the views of principals without a tenant; no tenant has this text. */
const everyTenant = "every tenant";

function ownerOf({ userId }: Principal): string {
  return userId === undefined ? everyTenant : tenantText(userId);
}

function placeOf({ applicationId }: Principal): string {
  return JSON.stringify(["turns", applicationId ?? null]);
}

/** Views that the principal sees, by name. */
export async function sharedViews(
  store: EvidenceStore,
  principal: Principal,
): Promise<readonly SharedView[]> {
  const rows = await rowsOf(store, principal);
  return rows.map(viewOf).toSorted((a, b) => a.name.localeCompare(b.name, "en"));
}

function rowsOf({ operatorRows }: EvidenceStore, principal: Principal) {
  return operatorRows.list("view", [ownerOf(principal)], placeOf(principal));
}

function viewOf(row: OperatorRow): SharedView {
  const { id, created_at } = row;
  return { id, created_at, ...viewValue.parse(JSON.parse(row.value)) };
}

/** Shares a view. @throws CodedError `written_limit`, `name_taken` */
export async function shareView(
  store: EvidenceStore,
  principal: Principal,
  view: Pick<SharedView, "name" | "query" | "created_at"> & {
    /** Users that its filters name; a deletion of one deletes the view. */
    readonly users: readonly string[];
  },
): Promise<SharedView> {
  const { name, query, created_at, users } = view;
  const rows = await rowsOf(store, principal);
  if (rows.length >= writtenMax) throw new CodedError("written_limit");
  requireFree(rows, name);
  const row: OperatorRow = {
    kind: "view",
    tenant: ownerOf(principal),
    place: placeOf(principal),
    id: randomUUID(),
    subject: subjectOf(users),
    version: 1,
    created_at,
    value: JSON.stringify({ name, query, by: principal.name }),
  };
  if (!(await store.operatorRows.write(row))) throw new CodedError("store_conflict");
  return viewOf(row);
}

/** Renames one. @throws CodedError `not_found`, `name_taken`, `store_conflict` */
export async function renameView(
  store: EvidenceStore,
  principal: Principal,
  { id, name }: Pick<SharedView, "id" | "name">,
): Promise<SharedView> {
  const rows = await rowsOf(store, principal);
  const row = found(rows, id);
  requireFree(
    rows.filter((one) => one !== row),
    name,
  );
  const { query, by } = viewOf(row);
  const next = { ...row, version: row.version + 1, value: JSON.stringify({ name, query, by }) };
  if (!(await store.operatorRows.write(next))) throw new CodedError("store_conflict");
  return viewOf(next);
}

/** Deletes one. @throws CodedError `not_found`, `store_conflict` */
export async function deleteView(
  store: EvidenceStore,
  principal: Principal,
  id: string,
): Promise<void> {
  const row = found(await rowsOf(store, principal), id);
  if (!(await store.operatorRows.remove(row))) throw new CodedError("store_conflict");
}

function found(rows: readonly OperatorRow[], id: string): OperatorRow {
  const row = rows.find((one) => one.id === id);
  if (row === undefined) throw new CodedError("not_found");
  return row;
}

function requireFree(rows: readonly OperatorRow[], name: string): void {
  if (rows.some((row) => viewOf(row).name === name)) {
    throw new CodedError("name_taken");
  }
}

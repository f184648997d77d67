/**
 * @module OperatorRows: what operators write beside the evidence: notes on turns, and views that
 * they share. Each row belongs to one tenant, every provider has them, and a value is content: no
 * part of it ever enters an error, a log, a metric or an address.
 */
import { CodedError } from "@turnproof/semconv";

import { tenantText } from "./ledger/turn-fields.ts";

/** What a row is. */
export type OperatorKind = "note" | "view";

/** The subject of a view whose filters name these users; no id has a line end. */
export function subjectOf(users: readonly string[]): string {
  return users.map(tenantText).join("\n");
}

/** True where a row belongs to a tenant, or is a view whose filters name it. */
export function concerns({ kind, tenant, subject }: OperatorRow, requested: string): boolean {
  return tenant === requested || (kind === "view" && subject.split("\n").includes(requested));
}

/** Where a row is; each part is opaque text. */
export interface OperatorPlace {
  readonly kind: OperatorKind;
  /** The owner, as `tenantText` writes it, or another text that no tenant has. */
  readonly tenant: string;
  /** The root of a noted turn, or the list of a view. */
  readonly place: string;
  /** Unique among all rows. */
  readonly id: string;
}

/** One row. */
export interface OperatorRow extends OperatorPlace {
  /**
   * Key of the noted turn in the ledger; for a view the tenants that its filters name, as
   * {@link subjectOf} writes them.
   */
  readonly subject: string;
  /** 1 for a new row, one more for each change. */
  readonly version: number;
  /** ISO 8601 UTC; the same in every version. */
  readonly created_at: string;
  readonly value: string;
}

/**
 * Rows for request handlers; every method names the tenant. ClickHouse has no conditional write:
 * there two collectors that change one version at one moment can both succeed, and one of the two
 * rows stands, the same for every reader.
 */
export interface OperatorRows {
  /** Rows of these tenants at a place, oldest first, ties by id. */
  list(
    kind: OperatorKind,
    tenants: readonly string[],
    place: string,
  ): Promise<readonly OperatorRow[]>;
  /**
   * Adds a row of version 1, or replaces the version before. False where another version stands.
   * @throws CodedError record_invalid for text that a provider could not keep exactly
   */
  write(row: OperatorRow): Promise<boolean>;
  /** Deletes the row of this version. False where another stands, or none. */
  remove(row: OperatorPlace & Pick<OperatorRow, "version">): Promise<boolean>;
}

/** Administrative access of a provider, for retention and erasure; never for request handlers. */
export interface OperatorArchive {
  /** Rows of all tenants after an id, in the order of ids. */
  after(id: string, limit: number): Promise<readonly OperatorRow[]>;
  /** Deletes rows, and whatever remains of earlier versions of them. */
  forget(ids: readonly string[]): Promise<void>;
}

/** Both, as a provider implements them. */
export type OperatorTable = OperatorRows & OperatorArchive;

/** The rows for request handlers, with their arguments checked alike for every provider. */
export function operatorRowsOf(table: OperatorRows): OperatorRows {
  return {
    async list(kind, tenants, place) {
      // A provider may change malformed text, so that two tenants would have one name.
      const known = [...new Set(tenants)].filter((tenant) => tenant.isWellFormed());
      if (known.length === 0 || !place.isWellFormed()) return [];
      const rows = await table.list(kind, known, place);
      return rows.toSorted(byAge);
    },
    async write(row) {
      requireExact(row);
      return table.write(row);
    },
    async remove(row) {
      requireExact(row);
      return table.remove(row);
    },
  };
}

/** A row from a provider's record of it, with the names of the fields as keys. */
export function operatorRow(record: Readonly<Record<string, unknown>>): OperatorRow {
  return {
    kind: String(record["kind"]) as OperatorKind,
    tenant: String(record["tenant"]),
    place: String(record["place"]),
    id: String(record["id"]),
    subject: String(record["subject"]),
    version: Number(record["version"]),
    created_at: String(record["created_at"]),
    value: String(record["value"]),
  };
}

function requireExact(row: OperatorPlace & Partial<OperatorRow>): void {
  for (const [field, value] of Object.entries(row)) {
    if (typeof value === "string" && !value.isWellFormed()) {
      throw new CodedError("record_invalid", { field });
    }
  }
}

function byAge(a: OperatorRow, b: OperatorRow): number {
  if (a.created_at !== b.created_at) return a.created_at < b.created_at ? -1 : 1;
  return a.id < b.id ? -1 : 1;
}

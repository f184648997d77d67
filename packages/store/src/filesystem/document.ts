/**
 * @module Document: a row as a JSON file, and back. A file's content must agree with its place;
 * otherwise it is damaged or was moved, and is not a row.
 */
import { createHash } from "node:crypto";

import { scopedKinds, sharedKinds } from "@turnproof/semconv";
import type { ScopedKind, SharedKind } from "@turnproof/semconv";

import type { MemoryRecord, SharedRecord } from "../memory-store.ts";
import { documentName, tenantName } from "./safe-name.ts";

/** Folder of the rows of a shared kind, beside those of tenants. */
export const sharedName = "shared";

/** A row of a scoped or a shared kind. */
export type DocumentRow = MemoryRecord | SharedRecord;

/** The text of a row, and its hash, by which an index identifies this content. */
export function encodeDocument(row: DocumentRow): {
  readonly bytes: Buffer;
  readonly hash: string;
} {
  const bytes = Buffer.from(JSON.stringify(row), "utf8");
  return { bytes, hash: hashOf(bytes) };
}

/** Hash of a document's bytes. */
export function hashOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex").slice(0, 32);
}

/** Folder of a row, below its collection. */
export function folderOf(row: DocumentRow): string {
  return "user_id" in row ? tenantName(row.user_id) : sharedName;
}

/** The row in these bytes; undefined unless it belongs to this kind, folder and name. */
export function decodeDocument(
  bytes: Uint8Array,
  at: { readonly kind: ScopedKind | SharedKind; readonly folder: string; readonly name: string },
): DocumentRow | undefined {
  const row = parseObject(bytes);
  if (row === undefined || !isRow(row)) return undefined;
  const here = row.kind === at.kind && folderOf(row) === at.folder;
  return here && documentName(row.id) === at.name ? row : undefined;
}

/** A JSON object; undefined for any other value. */
export function parseObject(source: Uint8Array | string): Record<string, unknown> | undefined {
  try {
    const text = typeof source === "string" ? source : Buffer.from(source).toString("utf8");
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) return undefined;
    return parsed as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

function isRow(row: object): row is DocumentRow {
  const { id, kind, data, created_at, version, user_id } = row as Partial<MemoryRecord>;
  if (typeof id !== "string" || typeof created_at !== "string") return false;
  if (typeof version !== "number" || typeof data !== "object" || data === null) return false;
  if ((sharedKinds as readonly unknown[]).includes(kind)) return !("user_id" in row);
  const tenant = user_id === null || typeof user_id === "string";
  return tenant && (scopedKinds as readonly unknown[]).includes(kind);
}

/**
 * @module ResourceReading: reads resource references and selection ledgers from untrusted records.
 * Every part must pass the guard for its registry row; a part that does not is left out and
 * reported.
 */
import { attribute, isRecord, limits, provenanceStatuses, screenValue } from "@turnproof/semconv";
import type { AttributeRow, ProvenanceStatus, UntypedRecord } from "@turnproof/semconv";

import type { LedgerEntry, EventResource } from "./event.ts";

/** The readable part, and whether anything was left out. */
export interface Read<T> {
  readonly items: T[];
  readonly refused: boolean;
}

function fits(row: AttributeRow, value: unknown): value is string {
  return typeof value === "string" && value !== "" && screenValue(row, [value]) === undefined;
}

/** How a plain id is read; only older writers wrote one. */
export interface ResourceOptions {
  /** Type of a reference without one; without it such a reference is refused. */
  readonly defaultType?: string;
  readonly defaultVersion?: unknown;
}

/**
 * One reference, or undefined without a usable type and ref. Any other part that does not pass is
 * left out and reported through `flawed`.
 */
export function readResource(
  value: unknown,
  options: ResourceOptions = {},
  flawed: () => void = () => undefined,
): EventResource | undefined {
  const record: UntypedRecord =
    typeof value === "string" ? { ref: value } : isRecord(value) ? value : {};
  const type = record["resource_type"] ?? record["type"] ?? options.defaultType;
  const ref = record["ref"] ?? record["resource_ref"] ?? record["id"];
  if (!fits(attribute.input_types, type) || !fits(attribute.input_refs, ref)) return undefined;
  const version = textOf(record["version"] ?? options.defaultVersion);
  const role = record["role"] ?? undefined;
  const owned = record["ownership_verified"] ?? undefined;
  const provenance = record["provenance_status"] ?? undefined;
  const resource: { -readonly [K in keyof EventResource]: EventResource[K] } = {
    resource_type: type,
    ref,
  };
  if (fits(attribute.input_versions, version)) resource.version = version;
  else if (version !== undefined) flawed();
  if (fits(attribute.input_roles, role)) resource.role = role;
  else if (role !== undefined) flawed();
  if (typeof owned === "boolean") resource.ownership_verified = owned;
  else if (owned !== undefined) flawed();
  if ((provenanceStatuses as readonly unknown[]).includes(provenance)) {
    resource.provenance_status = provenance as ProvenanceStatus;
  } else if (provenance !== undefined) flawed();
  return resource;
}

/** A version that older writers wrote as a number becomes its digits. */
function textOf(version: unknown): unknown {
  if (version === null) return undefined;
  return typeof version === "number" && Number.isSafeInteger(version) ? String(version) : version;
}

/** A list of references, at most 32; any other value is refused. */
export function readResources(value: unknown, options: ResourceOptions = {}): Read<EventResource> {
  if (!Array.isArray(value)) return { items: [], refused: true };
  let refused = value.length > limits.listEntriesMax;
  const items: EventResource[] = [];
  for (let i = 0; i < Math.min(value.length, limits.listEntriesMax); i += 1) {
    const resource = readResource(value[i], options, () => {
      refused = true;
    });
    if (resource === undefined) refused = true;
    else items.push(resource);
  }
  return { items, refused };
}

/** A selection ledger, at most 32 lines. */
export function readLedger(value: unknown): Read<LedgerEntry> {
  if (!Array.isArray(value)) return { items: [], refused: true };
  let refused = value.length > limits.listEntriesMax;
  const flawed = (): void => {
    refused = true;
  };
  const items: LedgerEntry[] = [];
  for (let i = 0; i < Math.min(value.length, limits.listEntriesMax); i += 1) {
    const line: unknown = value[i];
    const resource = isRecord(line) ? readResource(line["resource"], {}, flawed) : undefined;
    if (resource === undefined || !isRecord(line)) flawed();
    else items.push(readLine(line, resource, flawed));
  }
  return { items, refused };
}

function readLine(line: UntypedRecord, resource: EventResource, flawed: () => void): LedgerEntry {
  const entry: { -readonly [K in keyof LedgerEntry]: LedgerEntry[K] } = { resource };
  const rank = line["candidate_rank"] ?? undefined;
  const score = line["relevance_score"] ?? undefined;
  const selected = line["selected"] ?? undefined;
  const reason = line["selection_reason"] ?? undefined;
  if (typeof rank === "number" && Number.isSafeInteger(rank)) entry.candidate_rank = rank;
  else if (rank !== undefined) flawed();
  if (typeof score === "number" && Number.isFinite(score)) entry.relevance_score = score;
  else if (score !== undefined) flawed();
  if (typeof selected === "boolean") entry.selected = selected;
  else if (selected !== undefined) flawed();
  if (fits(attribute.ledger_reasons, reason)) entry.selection_reason = reason;
  else if (reason !== undefined) flawed();
  return entry;
}

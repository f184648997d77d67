/**
 * @module Recommendation record: converts recommendations to records of the memory store, and
 * back. They are a shared kind, so a reader's access is checked against the owner in the record.
 */
import type { DraftExperiment, Recommendation } from "@turnproof/evidence";
import { CodedError } from "@turnproof/semconv";
import type { Json, MemoryStore, SharedRecord, SharedStore } from "@turnproof/store";

/** A recommendation with its history. */
export interface StoredRecommendation extends Recommendation {
  readonly proposed_at: string;
  readonly reviewed_at: string | null;
  /** The reviewer's note. */
  readonly note?: string;
  /** Drafts of every accepted revision. */
  readonly experiments: readonly DraftExperiment[];
}

/** The shared half of the memory. @throws CodedError `not_configured` without a memory */
export function sharedOf(memory: MemoryStore | undefined): SharedStore {
  if (memory === undefined) throw new CodedError("not_configured");
  return memory.shared;
}

/** The recommendation of a record; undefined for any other record. */
export function readRecommendation({ data }: SharedRecord): StoredRecommendation | undefined {
  const whole =
    typeof data["recommendation_id"] === "string" &&
    typeof data["revision"] === "number" &&
    typeof data["state"] === "string" &&
    typeof data["owner"] === "object" &&
    Array.isArray(data["evidence_ids"]) &&
    Array.isArray(data["experiments"]);
  return whole ? (data as unknown as StoredRecommendation) : undefined;
}

/** A value as a record's data: a copy without undefined fields. */
export function jsonOf(value: object): { readonly [key: string]: Json } {
  return JSON.parse(JSON.stringify(value)) as { readonly [key: string]: Json };
}

/** @module HistoryRows: histories of windows, states and ownership, with the answer of the text. */
import type { WindowMetadata } from "@turnproof/evidence";

import { again, task, taskWindow, update } from "./text-rows.ts";
import {
  artifact,
  at,
  contract,
  delivery,
  invoice,
  ledger,
  success,
  whole,
  without,
  work,
} from "./text-windows.ts";
import type { Json } from "./verdict-cases.ts";

/** What happened, the status and what keeps it from success, the events, how they are judged. */
export type History = readonly [
  caption: string,
  expected: string,
  events: readonly unknown[],
  options?: { readonly taskId?: string; readonly metadata?: WindowMetadata | null },
];

/** The day of all histories. */
export const day = "2026-11-21T";
const denied = { ownership_verified: false };
const binding = (second: number, owned: boolean, extra: Json = {}): Json =>
  at(
    second,
    "context_binding",
    { ownership_verified: owned },
    { event_id: `b-${second}`, ...extra },
  );
/** A fresh delivery of the first version. */
export const sameAgain = (attributes: Json = {}): Json =>
  again(attributes, { input_refs: [invoice("1")] });

/** How the window was read. */
export const windows: readonly History[] = [
  ["a plain list", "partial metadata_missing", success(), { metadata: null }],
  [
    "window_complete alone",
    "partial metadata_incomplete",
    success(),
    { metadata: { window_complete: true } },
  ],
  ["all that a window has to say", "success", success()],
  [
    "the last page",
    "partial window_incomplete",
    success(),
    { metadata: { ...whole, window_complete: false } },
  ],
  [
    "one error",
    "partial normalization_errors",
    success(),
    { metadata: { ...whole, normalization_errors: 1 } },
  ],
  ["a value that is no event", "partial events_rejected", [...success(), { event_kind: "intent" }]],
  ["nothing at all", "unknown", []],
];

/** What the latest state is. */
export const latest: readonly History[] = [
  [
    "an update failed",
    "failed artifact_persistence_unverified delivery_version_mismatch",
    [...success(), update({ artifact_status: "failed" }), sameAgain()],
  ],
  [
    "an attempt failed before the artifact",
    "success",
    [
      ...success(),
      artifact(
        { artifact_status: "failed", persistence_verified: false },
        { event_id: "early", timestamp: `${day}08:00:15Z`, output_refs: [invoice("1")] },
      ),
    ],
  ],
  [
    "deleted",
    "partial artifact_missing",
    [...success(), update({ artifact_status: "deleted" }), sameAgain()],
  ],
  [
    "a later delivery was refused",
    "failed delivery_not_emitted",
    [...success(), sameAgain({ emitted: false })],
  ],
  [
    "an earlier delivery was refused",
    "success",
    [
      ...success(),
      delivery({ emitted: false }, { event_id: "early", timestamp: `${day}08:00:35Z` }),
    ],
  ],
  [
    "a new version, no fresh delivery",
    "partial delivery_precedes_evidence",
    [...success(), update()],
  ],
  ["a new version, delivered", "success", [...success(), update(), again()]],
  [
    "another version delivered",
    "partial delivery_version_mismatch",
    success({ delivery: delivery({}, { input_refs: [invoice("2")] }) }),
  ],
  [
    "no version delivered",
    "partial delivery_version_mismatch",
    success({ delivery: delivery({}, { input_refs: [without(invoice("1"), "version")] }) }),
  ],
  [
    "delivered before it was parsed",
    "partial contract_not_emitted",
    success({ contract: contract({}, { timestamp: `${day}08:00:41Z` }) }),
  ],
];

/** Producers, sources and ownership. */
export const ownership: readonly History[] = [
  [
    "the producer failed",
    "partial artifact_producer_failed",
    success({ work: work({}, { status: "error" }) }),
  ],
  [
    "another version of the source",
    "partial artifact_source_mismatch",
    success({ artifact: artifact({}, { input_refs: [{ ...ledger, version: "11" }] }) }),
  ],
  [
    "no source",
    "partial artifact_provenance_invalid artifact_source_missing",
    success({ artifact: artifact({}, { input_refs: [] }) }),
  ],
  [
    "the artifact is not owned",
    "failed artifact_ownership_unverified",
    success({ artifact: artifact({}, { output_refs: [invoice("1", denied)] }) }),
  ],
  [
    "a source is not owned",
    "failed artifact_ownership_unverified",
    success({
      artifact: artifact(
        {},
        {
          input_refs: [ledger, { resource_type: "note", ref: "n", ...denied, role: "supporting" }],
        },
      ),
    }),
  ],
  [
    "a source without provenance",
    "partial artifact_provenance_invalid",
    success({
      artifact: artifact({}, { input_refs: [{ ...ledger, provenance_status: "missing" }] }),
    }),
  ],
  [
    "a source not verified yet",
    "success",
    success({
      artifact: artifact({}, { input_refs: [{ ...ledger, provenance_status: "unverified" }] }),
    }),
  ],
  [
    "what was delivered has failed provenance",
    "partial provenance_missing",
    success({
      delivery: delivery({}, { input_refs: [invoice("1", { provenance_status: "failed" })] }),
    }),
  ],
  ["the binding is not owned", "failed ownership_unverified", [...success(), binding(5, false)]],
  [
    "the binding was owned after all",
    "success",
    [...success(), binding(5, false), binding(35, true)],
  ],
  [
    "owned after the delivery",
    "failed ownership_unverified",
    [...success(), binding(5, false), binding(45, true)],
  ],
  [
    "owned, and delivered again",
    "success",
    [...success(), binding(5, false), binding(45, true), sameAgain()],
  ],
  [
    "owned, says a stranger",
    "failed ownership_unverified",
    [...success(), binding(5, false), binding(35, true, { ingest_trusted: false })],
  ],
  [
    "denied again",
    "failed ownership_unverified",
    [...success(), binding(5, true), binding(35, false)],
  ],
  [
    "a candidate that was not selected",
    "success",
    [
      ...success(),
      at(
        6,
        "memory_selection",
        {},
        {
          selection_ledger: [
            { selected: false, resource: { resource_type: "note", ref: "n", ...denied } },
          ],
        },
      ),
    ],
  ],
  [
    "a denial for another task",
    "success",
    [...taskWindow("a"), ...taskWindow("b"), binding(5, false, task("b"))],
    { taskId: "a" },
  ],
  [
    "a denial for this task",
    "failed ownership_unverified",
    [...taskWindow("a"), ...taskWindow("b"), binding(5, false, task("b"))],
    { taskId: "b" },
  ],
  [
    "a denial without a task",
    "failed ownership_unverified",
    [...taskWindow("a"), ...taskWindow("b"), binding(5, false)],
    { taskId: "a" },
  ],
];

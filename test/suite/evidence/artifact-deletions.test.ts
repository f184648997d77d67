/**
 * @module ArtifactDeletions: whom a deletion concerns, and which attempts a named artifact
 * replaces.
 */
import { expect, test } from "vitest";

import {
  artifact,
  requests,
  began,
  by,
  deleted,
  ended,
  failed,
  made,
  shows,
  reported,
  unnamed,
} from "./artifact-rows.ts";
import type { Row } from "./artifact-rows.ts";

const gone = (ref: string, extra = {}) =>
  artifact(
    15,
    { ...deleted, artifact_type: "bill" },
    { event_id: "gone", output_refs: [made("1", ref)], ...extra },
  );
const note = artifact(10, { artifact_type: "note" }, { event_id: "note" });

test.each<Row>([
  [
    "of the resource under another type",
    [requests(), artifact(), gone("reply-1"), shows()],
    [
      "partial",
      "artifact_missing? reply gone intent-1",
      "- reply missing artifact_deleted gone",
      "- reply superseded later_state artifact-10",
    ],
  ],
  [
    "of another resource",
    [requests(), artifact(), gone("reply-2"), shows()],
    [
      "success",
      "- bill missing artifact_deleted gone",
      "- reply present artifact_persisted artifact-10",
    ],
  ],
  [
    "of the ref under another resource type",
    [requests(), artifact(), gone("", { output_refs: [made("1", "reply-1", "file")] }), shows()],
    [
      "success",
      "- bill missing artifact_deleted gone",
      "- reply present artifact_persisted artifact-10",
    ],
  ],
  [
    "of a resource that is told under two types",
    [requests(["reply", "note"]), artifact(), note, gone("reply-1"), shows()],
    [
      "partial",
      "artifact_missing? note gone intent-1",
      "artifact_missing? reply gone intent-1",
      "- note missing artifact_deleted gone",
      "- reply missing artifact_deleted gone",
      "- note superseded later_state note",
      "- reply superseded later_state artifact-10",
    ],
  ],
  [
    "of no resource",
    [requests(), artifact(), gone("", unnamed), shows()],
    [
      "success",
      "- bill missing artifact_deleted gone",
      "- reply present artifact_persisted artifact-10",
    ],
  ],
])("a deletion %s", (_caption, events, expected) => {
  expect(reported([began, ended, ...events])).toEqual(expected);
});

test.each<Row>([
  [
    "that failed, before it",
    [artifact(5, failed, unnamed), artifact()],
    ["success", "- reply present artifact_persisted artifact-10"],
  ],
  [
    "that did not fail, before it",
    [artifact(5, {}, unnamed), artifact()],
    [
      "success",
      "- reply present artifact_persisted artifact-10",
      "- reply present artifact_persisted artifact-5",
    ],
  ],
  [
    "that failed, after it",
    [artifact(), artifact(12, failed, unnamed)],
    [
      "failed",
      "artifact_persistence_unverified reply artifact-12",
      "delivery_artifact_unnamed? reply artifact-12",
      "- reply failed artifact_persistence_unverified artifact-12",
      "- reply present artifact_persisted artifact-10",
    ],
  ],
  [
    "that failed at its instant, before it by number",
    [artifact(10, failed, { ...unnamed, ...by("p", 1, "attempt") }), artifact(10, {}, by("p", 2))],
    ["success", "- reply present artifact_persisted artifact-10"],
  ],
  [
    "that failed at its instant, after it by number",
    [artifact(10, failed, { ...unnamed, ...by("p", 3, "attempt") }), artifact(10, {}, by("p", 2))],
    [
      "failed",
      "artifact_persistence_unverified reply attempt",
      "delivery_artifact_unnamed? reply attempt",
      "- reply failed artifact_persistence_unverified attempt",
      "- reply present artifact_persisted artifact-10",
    ],
  ],
])("an attempt without a resource %s", (_caption, events, expected) => {
  expect(reported([requests(), began, ended, ...events, shows()])).toEqual(expected);
});

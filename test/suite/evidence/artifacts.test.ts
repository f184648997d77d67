/** @module Artifacts: which state of an artifact counts, and what it must rest on. */
import { expect, test } from "vitest";

import {
  requests,
  began,
  ended,
  artifact,
  shows,
  by,
  failed,
  deleted,
  unnamed,
  reported,
  made,
  without,
} from "./artifact-rows.ts";
import type { Row } from "./artifact-rows.ts";

const states: Row[] = [
  [
    "whole",
    [requests(), began, ended, artifact(), shows()],
    ["success", "- reply present artifact_persisted artifact-10"],
  ],
  [
    "of no asked type",
    [requests([]), began, ended, artifact(), shows()],
    ["success", "- reply present artifact_persisted artifact-10"],
  ],
  [
    "of an older version, superseded",
    [requests(), began, ended, artifact(5, failed), artifact(), shows()],
    [
      "success",
      "- reply present artifact_persisted artifact-10",
      "- reply superseded later_state artifact-5",
    ],
  ],
  [
    "failed last",
    [requests(), began, ended, artifact(5), artifact(10, failed), shows()],
    [
      "failed",
      "artifact_persistence_unverified reply artifact-10",
      "- reply failed artifact_persistence_unverified artifact-10",
      "- reply superseded later_state artifact-5",
    ],
  ],
  [
    "recorded with an error",
    [requests(), began, ended, artifact(10, {}, { status: "error" }), shows()],
    [
      "failed",
      "artifact_persistence_unverified reply artifact-10",
      "- reply failed artifact_persistence_unverified artifact-10",
    ],
  ],
  [
    "not read back",
    [requests(), began, ended, artifact(10, { persistence_verified: false }), shows()],
    [
      "partial",
      "artifact_persistence_unverified reply artifact-10",
      "- reply unconfirmed artifact_persistence_unverified artifact-10",
    ],
  ],
  [
    "deleted last",
    [requests(), began, ended, artifact(5), artifact(10, deleted), shows()],
    [
      "partial",
      "artifact_missing? reply artifact-10 intent-1",
      "- reply missing artifact_deleted artifact-10",
      "- reply superseded later_state artifact-5",
    ],
  ],
  [
    "deleted last, under another type",
    [
      requests(),
      began,
      ended,
      artifact(5),
      artifact(10, { ...deleted, artifact_type: "other" }),
      shows(),
    ],
    [
      "partial",
      "artifact_missing? reply artifact-10 intent-1",
      "- reply missing artifact_deleted artifact-10",
      "- reply superseded later_state artifact-5",
    ],
  ],
  [
    "deleted and kept at one instant",
    [requests(), began, ended, artifact(), artifact(10, deleted, { event_id: "gone" }), shows()],
    [
      "partial",
      "artifact_missing? reply artifact-10 gone intent-1",
      "- reply missing artifact_deleted artifact-10 gone",
    ],
  ],
  [
    "restored",
    [requests(), began, ended, artifact(5, deleted), artifact(), shows()],
    [
      "success",
      "- reply present artifact_persisted artifact-10",
      "- reply superseded later_state artifact-5",
    ],
  ],
  [
    "never recorded",
    [requests(), shows()],
    ["partial", "artifact_missing? reply intent-1", "- reply missing artifact_missing"],
  ],
  [
    "asked for twice and never recorded",
    [requests(), requests(["reply"], 2), shows()],
    ["partial", "artifact_missing? reply intent-1 intent-2", "- reply missing artifact_missing"],
  ],
  [
    "of another type than asked",
    [requests(["note"]), began, ended, artifact(), shows()],
    [
      "partial",
      "artifact_missing? note intent-1",
      "- note missing artifact_missing",
      "- reply present artifact_persisted artifact-10",
    ],
  ],
  [
    "typed by its resource",
    [requests(), began, ended, without(artifact(), "artifact_type"), shows()],
    ["success", "- reply present artifact_persisted artifact-10"],
  ],
  [
    "a newer one of its type",
    [
      requests(),
      began,
      ended,
      artifact(5, failed, { output_refs: [made("1", "reply-0")] }),
      artifact(),
      shows(),
    ],
    [
      "failed",
      "artifact_persistence_unverified reply artifact-5",
      "- reply failed artifact_persistence_unverified artifact-5",
      "- reply present artifact_persisted artifact-10",
    ],
  ],
  [
    "one of two at one instant",
    [
      requests(),
      began,
      ended,
      artifact(10, failed, { event_id: "other", output_refs: [made("1", "reply-0")] }),
      artifact(),
      shows(),
    ],
    [
      "failed",
      "artifact_persistence_unverified reply other",
      "delivery_artifact_unnamed? reply other",
      "- reply failed artifact_persistence_unverified other",
      "- reply present artifact_persisted artifact-10",
    ],
  ],
  [
    "without a source",
    [requests(), began, ended, artifact(10, {}, { input_refs: [] }), shows()],
    [
      "partial",
      "artifact_provenance_invalid reply artifact-10",
      "- reply unconfirmed artifact_provenance_invalid artifact-10",
    ],
  ],
  [
    "independent of sources",
    [
      requests(),
      began,
      ended,
      artifact(10, { source_independent: true }, { input_refs: [] }),
      shows(),
    ],
    ["success", "- reply present artifact_persisted artifact-10"],
  ],
  [
    "by a producer that is missing",
    [requests(), artifact(), shows()],
    [
      "partial",
      "artifact_producer_missing? reply artifact-10",
      "- reply unconfirmed artifact_producer_missing artifact-10",
    ],
  ],
  [
    "by a producer that did not end",
    [requests(), began, artifact(), shows()],
    [
      "partial",
      "artifact_producer_incomplete? reply application_action-2 artifact-10",
      "turn_unfinished application_action-2",
      "- reply unconfirmed artifact_producer_incomplete artifact-10",
    ],
  ],
  [
    "by nobody",
    [requests(), without(artifact(), "producing_span_id"), shows()],
    [
      "partial",
      "artifact_producer_missing? reply artifact-10",
      "- reply unconfirmed artifact_producer_missing artifact-10",
    ],
  ],
  [
    "by a producer that failed",
    [requests(), began, { ...ended, status: "error" }, artifact(), shows()],
    [
      "partial",
      "artifact_producer_failed reply application_action-2 application_action-3 artifact-10",
      "- reply unconfirmed artifact_producer_failed artifact-10",
    ],
  ],
  [
    "of another owner",
    [
      requests(),
      began,
      ended,
      artifact(10, { ownership_verified: false }, { event_id: "artifact-10" }),
      shows(),
    ],
    [
      "failed",
      "artifact_ownership_unverified reply artifact-10",
      "- reply failed artifact_ownership_unverified artifact-10",
    ],
  ],
  [
    "with an inherited identity",
    [requests(), began, ended, artifact(10, {}, { identity_derived: ["user_id"] }), shows()],
    [
      "partial",
      "artifact_identity_derived reply artifact-10",
      "- reply unconfirmed artifact_identity_derived artifact-10",
    ],
  ],
];

const attempts: Row[] = [
  [
    "before the named one",
    [artifact(5, failed, unnamed), artifact(), shows()],
    ["success", "- reply present artifact_persisted artifact-10"],
  ],
  [
    "after the named one",
    [artifact(), artifact(15, failed, unnamed), shows()],
    [
      "failed",
      "artifact_persistence_unverified reply artifact-15",
      "delivery_artifact_unnamed? reply artifact-15",
      "- reply failed artifact_persistence_unverified artifact-15",
      "- reply present artifact_persisted artifact-10",
    ],
  ],
  [
    "without a named one",
    [artifact(10, failed, unnamed), shows()],
    [
      "failed",
      "artifact_persistence_unverified reply artifact-10",
      "delivery_artifact_unnamed? reply artifact-10",
      "- reply failed artifact_persistence_unverified artifact-10",
    ],
  ],
  [
    "before it by the producer's number",
    [
      artifact(10, failed, { ...unnamed, ...by("p", 1, "try") }),
      artifact(10, {}, by("p", 2)),
      shows(),
    ],
    ["success", "- reply present artifact_persisted artifact-10"],
  ],
  [
    "after it by the producer's number",
    [
      artifact(10, failed, { ...unnamed, ...by("p", 3, "try") }),
      artifact(10, {}, by("p", 2)),
      shows(),
    ],
    [
      "failed",
      "artifact_persistence_unverified reply try",
      "delivery_artifact_unnamed? reply try",
      "- reply failed artifact_persistence_unverified try",
      "- reply present artifact_persisted artifact-10",
    ],
  ],
  [
    "at its instant by another producer",
    [
      artifact(10, failed, { ...unnamed, ...by("q", 1, "try") }),
      artifact(10, {}, by("p", 2)),
      shows(),
    ],
    [
      "failed",
      "artifact_persistence_unverified reply try",
      "delivery_artifact_unnamed? reply try",
      "- reply failed artifact_persistence_unverified try",
      "- reply present artifact_persisted artifact-10",
    ],
  ],
];

test.each(states)("an artifact %s", (_caption, events, expected) => {
  expect(reported(events)).toEqual(expected);
});

test.each(attempts)("an attempt without a resource %s", (_caption, events, expected) => {
  expect(reported([requests(), began, ended, ...events])).toEqual(expected);
});

/**
 * @module ArtifactDeliveries: which delivery names an artifact, and when a charge for it is early.
 */
import { expect, test } from "vitest";

import {
  requests,
  began,
  ended,
  charge,
  artifact,
  shows,
  by,
  failed,
  unnamed,
  reported,
  made,
} from "./artifact-rows.ts";
import type { Row } from "./artifact-rows.ts";

const deliveries: Row[] = [
  [
    "of another version",
    [artifact(), shows(20, [made("2")])],
    [
      "partial",
      "delivery_version_mismatch reply artifact-10 delivery-20",
      "- reply unconfirmed delivery_version_mismatch artifact-10",
    ],
  ],
  [
    "of no version",
    [artifact(), shows(20, [made()])],
    [
      "partial",
      "delivery_version_mismatch reply artifact-10 delivery-20",
      "- reply unconfirmed delivery_version_mismatch artifact-10",
    ],
  ],
  [
    "of an artifact without a version",
    [artifact(10, {}, { output_refs: [made()] }), shows()],
    [
      "partial",
      "artifact_version_unknown reply artifact-10",
      "delivery_version_mismatch reply artifact-10 delivery-20",
      "- reply unconfirmed artifact_version_unknown artifact-10",
    ],
  ],
  [
    "of another resource",
    [artifact(), shows(20, [made("1", "reply-0")])],
    [
      "partial",
      "delivery_artifact_unnamed? reply artifact-10",
      "- reply unconfirmed delivery_artifact_unnamed artifact-10",
    ],
  ],
  [
    "of another resource type",
    [artifact(), shows(20, [made("1", "reply-1", "note")])],
    [
      "partial",
      "delivery_artifact_unnamed? reply artifact-10",
      "- reply unconfirmed delivery_artifact_unnamed artifact-10",
    ],
  ],
  [
    "of another resource's version",
    [artifact(), shows(20, [made("2"), made("1", "reply-0"), made("1", "reply-1", "note")])],
    [
      "partial",
      "delivery_version_mismatch reply artifact-10 delivery-20",
      "- reply unconfirmed delivery_version_mismatch artifact-10",
    ],
  ],
  [
    "of both versions",
    [artifact(), shows(20, [made("2"), made("1")])],
    ["success", "- reply present artifact_persisted artifact-10"],
  ],
  [
    "before it",
    [artifact(), shows(5)],
    [
      "partial",
      "delivery_precedes_evidence? reply artifact-10 delivery-5",
      "- reply unconfirmed delivery_precedes_evidence artifact-10",
    ],
  ],
  [
    "before its newest version",
    [artifact(5), artifact(10, {}, { output_refs: [made("2")] }), shows(8)],
    [
      "partial",
      "delivery_precedes_evidence? reply artifact-10 delivery-8",
      "- reply unconfirmed delivery_precedes_evidence artifact-10",
      "- reply superseded later_state artifact-5",
    ],
  ],
  [
    "before the intent",
    [{ ...requests(), timestamp: "2026-01-01T00:00:30Z" }, artifact(), shows()],
    [
      "partial",
      "intent_after_delivery delivery-20 intent-1",
      "- reply unconfirmed intent_after_delivery artifact-10",
    ],
  ],
  [
    "of its older version last",
    [artifact(), shows(20), shows(25, [made("0")])],
    [
      "partial",
      "delivery_version_mismatch reply artifact-10 delivery-25",
      "- reply unconfirmed delivery_version_mismatch artifact-10",
    ],
  ],
  [
    "of its older version first",
    [artifact(), shows(20, [made("0")]), shows(25)],
    ["success", "- reply present artifact_persisted artifact-10"],
  ],
  [
    "of two versions at one instant",
    [artifact(), shows(20, [made("0")], { event_id: "stale" }), shows()],
    [
      "partial",
      "delivery_version_mismatch reply artifact-10 stale",
      "- reply unconfirmed delivery_version_mismatch artifact-10",
    ],
  ],
  [
    "of one version of two at one instant",
    [artifact(), artifact(10, {}, { event_id: "twin", output_refs: [made("2")] }), shows()],
    [
      "partial",
      "delivery_version_mismatch reply artifact-10 delivery-20 twin",
      "- reply unconfirmed delivery_version_mismatch artifact-10 twin",
    ],
  ],
  [
    "at its instant, before it by number, and of another version by another producer",
    [
      artifact(20, {}, by("p", 5)),
      shows(20, [made("0")], by("p", 3, "early")),
      shows(20, [made("0")], by("q", 1)),
    ],
    [
      "partial",
      "delivery_version_mismatch reply artifact-20 delivery-20",
      "- reply unconfirmed delivery_version_mismatch artifact-20",
    ],
  ],
  [
    "at its instant, of its version before it, and of another version after it",
    [
      artifact(20, {}, by("p", 5)),
      shows(20, [made("1")], by("p", 3, "early")),
      shows(20, [made("0")], by("q", 1, "other")),
      shows(20, [made("1")], by("r", 1)),
    ],
    [
      "partial",
      "delivery_version_mismatch reply artifact-20 other",
      "- reply unconfirmed delivery_version_mismatch artifact-20",
    ],
  ],
];

const charges: Row[] = [
  [
    "after it",
    [artifact(), charge(12), shows()],
    ["success", "- reply present artifact_persisted artifact-10"],
  ],
  [
    "before it",
    [artifact(), charge(8), shows()],
    [
      "partial",
      "credit_before_persistence charge-8",
      "- reply present artifact_persisted artifact-10",
    ],
  ],
  [
    "at its instant",
    [artifact(), charge(10), shows()],
    ["success", "- reply present artifact_persisted artifact-10"],
  ],
  [
    "at its instant, before it by number",
    [artifact(10, {}, by("p", 5)), charge(10, by("p", 4)), shows()],
    [
      "partial",
      "credit_before_persistence charge-10",
      "- reply present artifact_persisted artifact-10",
    ],
  ],
  [
    "at its instant, after it by number",
    [artifact(10, {}, by("p", 5)), charge(10, by("p", 6)), shows()],
    ["success", "- reply present artifact_persisted artifact-10"],
  ],
  [
    "that began before it and is no result",
    [artifact(), charge(8, { phase: "start" }), shows()],
    ["success", "- reply present artifact_persisted artifact-10"],
  ],
  [
    "between two versions",
    [
      artifact(5),
      charge(8),
      artifact(10, {}, { output_refs: [made("2")] }),
      shows(20, [made("2")]),
    ],
    [
      "success",
      "- reply present artifact_persisted artifact-10",
      "- reply superseded later_state artifact-5",
    ],
  ],
  [
    "between a failed attempt and it",
    [artifact(5, failed), charge(8), artifact(), shows()],
    [
      "partial",
      "credit_before_persistence charge-8",
      "- reply present artifact_persisted artifact-10",
      "- reply superseded later_state artifact-5",
    ],
  ],
  [
    "between two resources",
    [
      artifact(5),
      charge(8),
      artifact(10, {}, { output_refs: [made("1", "reply-2")] }),
      shows(20, [made("1"), made("1", "reply-2")]),
    ],
    [
      "partial",
      "credit_before_persistence charge-8",
      "- reply present artifact_persisted artifact-10",
      "- reply present artifact_persisted artifact-5",
    ],
  ],
  [
    "without anything persisted",
    [artifact(10, failed), charge(12), shows()],
    [
      "failed",
      "artifact_persistence_unverified reply artifact-10",
      "credit_before_persistence charge-12",
      "- reply failed artifact_persistence_unverified artifact-10",
    ],
  ],
  [
    "without any artifact",
    [charge(12), shows()],
    [
      "partial",
      "artifact_missing? reply intent-1",
      "credit_before_persistence charge-12",
      "- reply missing artifact_missing",
    ],
  ],
  [
    "of a resource without a name",
    [artifact(10, {}, unnamed), charge(12), shows()],
    [
      "partial",
      "delivery_artifact_unnamed? reply artifact-10",
      "- reply unconfirmed delivery_artifact_unnamed artifact-10",
    ],
  ],
];

test.each(deliveries)("a delivery %s", (_caption, events, expected) => {
  expect(reported([requests(), began, ended, ...events])).toEqual(expected);
});

test.each(charges)("a charge %s", (_caption, events, expected) => {
  expect(reported([requests(), began, ended, ...events])).toEqual(expected);
});

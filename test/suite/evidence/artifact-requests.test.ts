/**
 * @module ArtifactRequests: several intents that request artifacts, and the sources they declare.
 */
import { expect, test } from "vitest";

import { requests, began, ended, artifact, shows, reported, source } from "./artifact-rows.ts";
import type { Row } from "./artifact-rows.ts";
import { event } from "./turn-event.ts";

const labelled: Row[] = [
  [
    "once",
    [requests(), began, ended, artifact(), shows()],
    ["success", "- reply present artifact_persisted artifact-10"],
  ],
  [
    "twice",
    [requests(), requests(["reply"], 2), began, ended, artifact(), shows()],
    ["success", "- reply present artifact_persisted artifact-10"],
  ],
  [
    "by type and as whatever is made",
    [requests(), requests([], 2), began, ended, artifact(), shows()],
    ["success", "- reply present artifact_persisted artifact-10"],
  ],
  [
    "again after its delivery",
    [requests(), requests(["reply"], 30), began, ended, artifact(), shows()],
    [
      "partial",
      "intent_after_delivery delivery-20 intent-30",
      "- reply unconfirmed intent_after_delivery artifact-10",
    ],
  ],
  [
    "as whatever is made after it",
    [requests(), requests([], 30), began, ended, artifact(), shows()],
    [
      "partial",
      "intent_after_delivery delivery-20 intent-30",
      "- reply unconfirmed intent_after_delivery artifact-10",
    ],
  ],
  [
    "as another type after it",
    [requests(), requests(["note"], 30), began, ended, artifact(), shows()],
    [
      "partial",
      "artifact_missing? note intent-30",
      "intent_after_delivery delivery-20 intent-30",
      "- note missing artifact_missing",
      "- reply present artifact_persisted artifact-10",
    ],
  ],
  [
    "by an intent without types",
    [event("intent", 1, {}, {}), began, ended, artifact(), shows()],
    ["success", "- reply present artifact_persisted artifact-10"],
  ],
  [
    "with its source",
    [requests(["reply"], 1, { input_refs: [source] }), began, ended, artifact(), shows()],
    ["success", "- reply present artifact_persisted artifact-10"],
  ],
  [
    "with another version of its source",
    [
      requests(["reply"], 1, { input_refs: [{ ...source, version: "4" }] }),
      began,
      ended,
      artifact(),
      shows(),
    ],
    [
      "partial",
      "artifact_source_mismatch reply artifact-10 intent-1",
      "- reply present artifact_persisted artifact-10",
    ],
  ],
  [
    "with a source of another type",
    [
      requests(["reply"], 1, { input_refs: [{ resource_type: "mail", ref: "m" }] }),
      began,
      ended,
      artifact(),
      shows(),
    ],
    [
      "partial",
      "artifact_source_missing? reply artifact-10 intent-1",
      "- reply present artifact_persisted artifact-10",
    ],
  ],
  [
    "with a source by one of two intents",
    [
      requests(),
      requests(["reply"], 2, { input_refs: [{ resource_type: "mail", ref: "m" }] }),
      began,
      ended,
      artifact(),
      shows(),
    ],
    [
      "partial",
      "artifact_source_missing? reply artifact-10 intent-2",
      "- reply present artifact_persisted artifact-10",
    ],
  ],
];

test.each(labelled)("asked for %s", (_caption, events, expected) => {
  expect(reported(events.map((one) => ({ ...one, task_id: "task" })))).toEqual(expected);
});

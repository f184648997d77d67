/** @module ArtifactSources: what an artifact must rest on, and which span may have produced it. */
import { expect, test } from "vitest";
import type { EventResource, TurnEvent } from "@turnproof/evidence";

import { artifact, requests, began, ended, shows, source, reported } from "./artifact-rows.ts";
import { event } from "./turn-event.ts";

const mail: EventResource = { resource_type: "mail", ref: "m" };
const other: EventResource = { ...source, ref: "doc-2" };
const newer: EventResource = { ...source, version: "4" };
const aside: EventResource = { ...other, role: "background" };
const current: EventResource = { ...source, role: "authoritative_current_source" };

const rests: [string, EventResource[], EventResource[], string[]][] = [
  [
    "what was declared",
    [source],
    [source],
    ["success", "- reply present artifact_persisted artifact-10"],
  ],
  [
    "more than was declared",
    [source],
    [source, mail],
    ["success", "- reply present artifact_persisted artifact-10"],
  ],
  [
    "one of two",
    [source, mail],
    [source],
    [
      "partial",
      "artifact_source_missing? reply artifact-10 intent-1",
      "- reply present artifact_persisted artifact-10",
    ],
  ],
  [
    "neither of two",
    [newer, mail],
    [source],
    [
      "partial",
      "artifact_source_mismatch reply artifact-10 intent-1",
      "artifact_source_missing? reply artifact-10 intent-1",
      "- reply present artifact_persisted artifact-10",
    ],
  ],
  [
    "another of its type",
    [source],
    [other],
    [
      "partial",
      "artifact_source_mismatch reply artifact-10 intent-1",
      "- reply present artifact_persisted artifact-10",
    ],
  ],
  [
    "another that only supports",
    [source],
    [aside],
    [
      "partial",
      "artifact_source_missing? reply artifact-10 intent-1",
      "- reply present artifact_persisted artifact-10",
    ],
  ],
  [
    "what was declared as support",
    [aside],
    [mail],
    ["success", "- reply present artifact_persisted artifact-10"],
  ],
  [
    "what was declared with a role",
    [current],
    [source],
    ["success", "- reply present artifact_persisted artifact-10"],
  ],
  [
    "a newer version of what it supports",
    [source],
    [{ ...newer, role: "background" }],
    [
      "partial",
      "artifact_source_mismatch reply artifact-10 intent-1",
      "- reply present artifact_persisted artifact-10",
    ],
  ],
  [
    "one version of two",
    [source, newer],
    [source],
    [
      "partial",
      "artifact_source_mismatch reply artifact-10 intent-1",
      "- reply present artifact_persisted artifact-10",
    ],
  ],
  [
    "the same ref of another type",
    [source],
    [{ ...mail, ref: "doc" }],
    [
      "partial",
      "artifact_source_mismatch reply artifact-10 intent-1",
      "- reply present artifact_persisted artifact-10",
    ],
  ],
];

const span = (
  kind: TurnEvent["event_kind"],
  extra: Partial<TurnEvent> = {},
  attributes: TurnEvent["attributes"] = {},
): TurnEvent => event(kind, 3, attributes, { phase: "result", span_id: "span", ...extra });

const degraded = { tool_outcome: "degraded" } as const;
const producers: [string, TurnEvent[], string[]][] = [
  [
    "a model call",
    [span("model_call")],
    ["success", "- reply present artifact_persisted artifact-10"],
  ],
  [
    "a tool call",
    [span("tool_call")],
    ["success", "- reply present artifact_persisted artifact-10"],
  ],
  [
    "a degraded tool call",
    [span("tool_call", { status: "partial" }, degraded)],
    ["success", "- reply present artifact_persisted artifact-10"],
  ],
  [
    "a partial tool call",
    [span("tool_call", { status: "partial" })],
    [
      "partial",
      "artifact_producer_failed reply artifact-10 tool_call-3",
      "- reply unconfirmed artifact_producer_failed artifact-10",
    ],
  ],
  [
    "a failed tool call",
    [span("tool_call", { status: "error" }, degraded)],
    [
      "partial",
      "artifact_producer_failed reply artifact-10 tool_call-3",
      "- reply unconfirmed artifact_producer_failed artifact-10",
    ],
  ],
  [
    "a partial model call",
    [span("model_call", { status: "partial" }, degraded)],
    [
      "partial",
      "artifact_producer_failed reply artifact-10 model_call-3",
      "- reply unconfirmed artifact_producer_failed artifact-10",
    ],
  ],
  [
    "a queue transition",
    [span("queue_transition")],
    ["success", "- reply present artifact_persisted artifact-10"],
  ],
  [
    "an action of its task",
    [span("application_action", { task_id: "task" })],
    ["success", "- reply present artifact_persisted artifact-10"],
  ],
  [
    "an action of another task",
    [span("application_action", { task_id: "other" })],
    [
      "partial",
      "artifact_producer_missing? reply artifact-10",
      "- reply unconfirmed artifact_producer_missing artifact-10",
    ],
  ],
  [
    "a structural span",
    [span("span")],
    [
      "partial",
      "artifact_producer_incomplete? reply artifact-10 span-3",
      "- reply unconfirmed artifact_producer_incomplete artifact-10",
    ],
  ],
  [
    "an artifact",
    [span("artifact", { phase: "event" })],
    [
      "partial",
      "artifact_persistence_unverified artifact-3",
      "artifact_producer_missing? artifact-3",
      "artifact_producer_missing? reply artifact-10",
      "artifact_provenance_invalid artifact-3",
      "- unconfirmed artifact_persistence_unverified artifact-3",
      "- reply unconfirmed artifact_producer_missing artifact-10",
    ],
  ],
  [
    "a contract",
    [span("contract", { phase: "event" }, { contract_name: "form" })],
    [
      "partial",
      "artifact_producer_missing? reply artifact-10",
      "contract_incomplete form contract-3",
      "contract_unparsed form contract-3",
      "- reply unconfirmed artifact_producer_missing artifact-10",
    ],
  ],
  [
    "feedback",
    [span("feedback", { phase: "event" })],
    [
      "partial",
      "artifact_producer_missing? reply artifact-10",
      "- reply unconfirmed artifact_producer_missing artifact-10",
    ],
  ],
  [
    "a report",
    [span("data_quality", { phase: "event" })],
    [
      "partial",
      "artifact_producer_missing? reply artifact-10",
      "- reply unconfirmed artifact_producer_missing artifact-10",
    ],
  ],
  [
    "an attempt that failed before it",
    [{ ...began, phase: "result", status: "error" }, ended],
    ["success", "- reply present artifact_persisted artifact-10"],
  ],
  [
    "a start alone",
    [began],
    [
      "partial",
      "artifact_producer_incomplete? reply application_action-2 artifact-10",
      "turn_unfinished application_action-2",
      "- reply unconfirmed artifact_producer_incomplete artifact-10",
    ],
  ],
  [
    "two results at one instant",
    [ended, { ...ended, event_id: "broken", status: "error" }],
    [
      "partial",
      "artifact_producer_failed reply application_action-3 artifact-10 broken",
      "- reply unconfirmed artifact_producer_failed artifact-10",
    ],
  ],
];

test.each(rests)("an artifact that rests on %s", (_caption, declared, held, expected) => {
  const intent = requests(["reply"], 1, { input_refs: declared });
  const events = [intent, began, ended, artifact(10, {}, { input_refs: held }), shows()];
  expect(reported(events)).toEqual(expected);
});

test.each(producers)("an artifact that comes from %s", (_caption, made, expected) => {
  const task_id = "task";
  const events = [
    ...[requests(), artifact(), shows()].map((one) => ({ ...one, task_id })),
    ...made,
  ];
  expect(reported(events)).toEqual(expected);
});

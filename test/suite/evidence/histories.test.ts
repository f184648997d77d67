/**
 * Histories written by hand from the requirements. The statuses were written down before the judge
 * ran; what keeps each from success was then held against the text.
 */
import { reconcileOutcome } from "@turnproof/evidence";
import type { WindowMetadata } from "@turnproof/evidence";
import { describe, expect, test } from "vitest";

import { day, sameAgain, latest, ownership, windows } from "./history-rows.ts";
import type { History } from "./history-rows.ts";
import { model, task, taskWindow } from "./text-rows.ts";
import {
  artifact,
  as,
  at,
  contract,
  delivery,
  intent,
  ledger,
  success,
  whole,
  without,
  work,
} from "./text-windows.ts";
import type { Json } from "./verdict-cases.ts";

const outcome = (second: number, stated: string, source = "desk", extra: Json = {}): Json =>
  at(
    second,
    "outcome",
    { outcome: stated, verified: true, source },
    { event_id: `o-${second}`, ...extra },
  );
const ending = (second: number, extra: Json = {}): Json =>
  at(second, "turn", {}, { event_id: `t-${second}`, phase: "result", span_id: "dd01", ...extra });
const starting = (second: number, span: string): Json =>
  at(
    second,
    "turn",
    {},
    { event_id: `${span}:start`, phase: "start", status: "started", span_id: span },
  );
const secondParse = (extra: Json = {}): Json =>
  contract({}, { event_id: "parse-2", timestamp: `${day}08:00:45Z`, ...extra });
/** What a process sent, and when that arrived. */
const from = (events: readonly Json[], producer_id: string, received_at: string): Json[] =>
  events.map((event, index) => ({ ...event, producer_id, producer_seq: index + 1, received_at }));
const failedParse = contract({ parser_status: "failed" });
const tool = (attributes: Json, extra: Json): Json =>
  work(attributes, { event_kind: "tool_call", ...extra });

/** The status, and everything that keeps it from success. */
function judge(events: readonly unknown[], options: History[3] = {}): string {
  const { metadata = whole, taskId = null } = options;
  const verdict = reconcileOutcome(events, { normalizationMetadata: metadata, taskId });
  const blocking = verdict.findings.filter(({ effect }) => effect === "blocking");
  const codes = new Set(blocking.map(({ code }) => code));
  return [verdict.status, ...codes, ...verdict.missing_stages, ...verdict.window.reasons].join(" ");
}

const tasks: readonly History[] = [
  ["both tasks", "success", [...taskWindow("a"), ...taskWindow("b")]],
  [
    "one was not delivered",
    "partial contract_not_emitted",
    [...taskWindow("a"), ...taskWindow("b", { delivery: null })],
  ],
  [
    "the other was",
    "success",
    [...taskWindow("a"), ...taskWindow("b", { delivery: null })],
    { taskId: "a" },
  ],
  [
    "delivered in another thread",
    "partial contract_not_emitted",
    success({ delivery: delivery({}, { thread_id: "dialog-4" }) }),
  ],
  [
    "delivered to nobody",
    "partial contract_not_emitted",
    success({ delivery: delivery({}, { user_id: null }) }),
  ],
  ["one labelled intent", "success", success({ intent: intent({}, task("a")) })],
  [
    "two labelled intents",
    "partial artifact_missing contract_missing",
    [...success({ intent: intent({}, task("a")) }), intent({}, { event_id: "i2", ...task("b") })],
  ],
  ["a task that nobody had", "unknown", taskWindow("a"), { taskId: "z" }],
];

const contracts: readonly History[] = [
  [
    "recovered",
    "partial contract_recovered",
    success({ contract: contract({ recovery_used: true }) }),
  ],
  [
    "no closing marker",
    "partial contract_incomplete",
    success({ contract: contract({ closing_marker_found: false }) }),
  ],
  [
    "it has no markers",
    "success",
    success({
      contract: without(
        contract({ unmarked: true }),
        "opening_marker_found",
        "closing_marker_found",
      ),
    }),
  ],
  [
    "nobody says",
    "partial contract_incomplete",
    success({ contract: without(contract(), "closing_marker_found") }),
  ],
  ["parsing failed", "failed contract_parse_failed", success({ contract: failedParse })],
  [
    "parsed again",
    "partial contract_not_emitted",
    [...success({ contract: failedParse }), secondParse()],
  ],
  [
    "parsed and delivered again",
    "success",
    [...success({ contract: failedParse }), secondParse(), sameAgain()],
  ],
  [
    "not acknowledged",
    "partial delivery_unconfirmed",
    success({ delivery: delivery({ acknowledged: null }) }),
  ],
  [
    "acknowledgement denied",
    "failed delivery_unconfirmed",
    success({ delivery: delivery({ acknowledged: false }) }),
  ],
  [
    "a stage is missing",
    "partial model_call_result",
    success({ intent: intent({ coverage_profile: "chat_response" }) }),
  ],
  [
    "the stage is there",
    "success",
    [...success({ intent: intent({ coverage_profile: "chat_response" }) }), model(15, {})],
  ],
  [
    "the stage failed",
    "partial model_call_result",
    [
      ...success({ intent: intent({ coverage_profile: "chat_response" }) }),
      model(15, {}, { status: "error" }),
    ],
  ],
  [
    "a degraded tool made it",
    "success",
    success({ work: tool({ tool_outcome: "degraded" }, { status: "partial" }) }),
  ],
  [
    "a failed tool made it",
    "partial artifact_producer_failed",
    success({ work: tool({ tool_outcome: "provider_error" }, { status: "error" }) }),
  ],
];

const skewed = (ms: string): Json[] => [
  ...from([intent(), work(), contract(), delivery()], "web", `${day}08:00:42Z`),
  ...from([artifact({}, { timestamp: `${day}08:00:${ms}Z` })], "worker", `${day}08:00:42Z`),
];
const sourced = (provenance_status: string, second: string): Json => ({
  timestamp: `${day}08:00:${second}Z`,
  input_refs: [{ ...ledger, provenance_status }],
});
const order: readonly History[] = [
  [
    "a worker's batch arrives two hours late",
    "success",
    [
      ...from([intent(), contract(), delivery()], "web", `${day}08:00:41Z`),
      ...from([work(), artifact()], "worker", `${day}10:00:41Z`),
    ],
  ],
  ["0.4 s of skew", "success", skewed("40.400")],
  ["1 s of skew", "partial delivery_precedes_evidence", skewed("41.000")],
  [
    "a delivery of 2099 before a refusal",
    "failed delivery_not_emitted clock_ahead",
    [
      ...from(success({ delivery: null }), "web", `${day}08:00:41Z`),
      ...from([delivery({}, { timestamp: "2099-01-01T00:00:00Z" })], "page", `${day}08:00:41Z`),
      ...from([sameAgain({ emitted: false })], "web-2", `${day}08:01:00Z`),
    ],
  ],
  [
    "a source denied, and verified again by its own producer, whose clock runs late",
    "success",
    [
      ...from(
        [
          intent({}, { input_refs: [{ ...ledger, provenance_status: "verified" }] }),
          contract(),
          delivery(),
        ],
        "web",
        `${day}08:00:41Z`,
      ),
      ...from(
        [
          work({}, { timestamp: `${day}08:00:00.600Z` }),
          artifact({}, sourced("missing", "00.700")),
          at(9, "tool_call", {}, sourced("verified", "00.800")),
        ],
        "worker",
        `${day}08:00:42Z`,
      ),
    ],
  ],
  [
    "an intent after its delivery",
    "partial intent_after_delivery",
    success({ intent: intent({}, { timestamp: `${day}08:00:50Z` }) }),
  ],
];

const later = { ...whole, as_of: `${day}09:00:00Z` };
const soon = { ...whole, as_of: `${day}08:05:00Z` };
const loss = (begin: string, end: string): WindowMetadata => ({
  ...whole,
  losses: [
    { from: `${day}${begin}Z`, to: `${day}${end}Z`, lost: 1, sampled_out: 0, write_failures: 0 },
  ],
});
const ends: readonly History[] = [
  ["the outcome failed", "failed outcome_failed", [...success(), outcome(50, "failure")]],
  [
    "another source is content",
    "failed outcome_failed",
    [...success(), outcome(50, "failure"), outcome(51, "success", "bot")],
  ],
  [
    "its source took it back",
    "success",
    [...success(), outcome(50, "failure"), outcome(51, "success")],
  ],
  [
    "a stranger says that it failed",
    "success",
    [...success(), outcome(50, "failure", "desk", { ingest_trusted: false })],
  ],
  [
    "cancelled after the acknowledgement",
    "partial turn_cancelled",
    [...success(), ending(45, { status: "partial" })],
  ],
  [
    "the turn ended in error",
    "failed turn_failed",
    [...success(), ending(45, { status: "error" })],
  ],
  [
    "an attempt failed, the next did not",
    "success",
    [...success(), ending(3, { status: "error" }), ending(45, { span_id: "dd02" })],
  ],
  [
    "the turn never ended",
    "partial turn_unfinished",
    [...success(), starting(0, "dd01")],
    { metadata: later },
  ],
  [
    "the turn goes on",
    "partial turn_open",
    [...success(), starting(0, "dd01")],
    { metadata: soon },
  ],
  [
    "another attempt ended",
    "success",
    [...success(), starting(0, "dd01"), starting(4, "dd02"), ending(45, { span_id: "dd02" })],
    { metadata: later },
  ],
  [
    "a loss while it was open",
    "partial known_loss",
    success(),
    { metadata: loss("08:00:05", "08:00:10") },
  ],
  ["a loss an hour later", "success", success(), { metadata: loss("09:00:05", "09:00:10") }],
];

describe.each<[string, readonly History[]]>([
  ["windows", windows],
  ["the latest state", latest],
  ["sources and ownership", ownership],
  ["tasks", tasks],
  ["contracts, stages and tools", contracts],
  ["order", order],
  ["outcomes, ends and losses", ends],
])("%s", (_group, histories) => {
  for (const [caption, expected, events, options] of histories) {
    test(`${caption}: ${expected}`, () => {
      expect(judge(events, options)).toBe(expected);
      expect(judge([...events, ...events].toReversed(), options)).toBe(expected);
    });
  }
});

test("what another tenant was delivered satisfies nobody else", () => {
  const other = { user_id: "customer-9" };
  const withoutDelivery = success({ delivery: null });
  expect(judge([...withoutDelivery, ...as([delivery()], other)])).toContain("partial");
  expect(judge([...success(), ...as(withoutDelivery, other)])).toContain("partial");
  expect(judge([...success(), ...as(success(), other)])).toBe("success");
});

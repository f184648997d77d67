/** @module Deliveries: what each is wanting, for the task and for all that it may have carried. */
import type { TurnEvent } from "@turnproof/evidence";
import { describe, expect, test } from "vitest";

import { artifact, requests, began, by, ended, made, shows, reported } from "./artifact-rows.ts";
import type { Row } from "./artifact-rows.ts";
import { event } from "./turn-event.ts";

type Attributes = TurnEvent["attributes"];

/** A delivery of the reply with these attributes. */
const message = (
  attributes: Attributes,
  second = 20,
  extra: Partial<TurnEvent> = {},
): TurnEvent => ({
  ...shows(second, [made("1")], extra),
  attributes,
});
const silent: Attributes = {};
const sent: Attributes = { emitted: true };
const seen: Attributes = { emitted: true, acknowledged: true };
const unsent: Attributes = { emitted: false };
const refused: Attributes = { emitted: true, acknowledged: false };
const error = { status: "error" } as const;

test.each<Row>([
  ["acknowledged", [message(seen)], ["success", "- present delivery_acknowledged delivery-20"]],
  [
    "not acknowledged",
    [message(sent)],
    [
      "partial",
      "delivery_unconfirmed? delivery-20",
      "- unconfirmed delivery_unconfirmed delivery-20",
    ],
  ],
  [
    "refused by its receiver",
    [message(refused)],
    ["failed", "delivery_unconfirmed delivery-20", "- failed delivery_refused delivery-20"],
  ],
  [
    "refused by its receiver and called an error",
    [message(refused, 20, error)],
    ["failed", "delivery_unconfirmed delivery-20", "- failed delivery_refused delivery-20"],
  ],
  [
    "not sent",
    [message(unsent)],
    ["failed", "delivery_not_emitted delivery-20", "- failed delivery_not_emitted delivery-20"],
  ],
  [
    "that failed and says of no sending",
    [message({ acknowledged: false }, 20, error)],
    ["failed", "delivery_not_emitted delivery-20", "- failed delivery_not_emitted delivery-20"],
  ],
  [
    "that failed although it was acknowledged",
    [message(seen, 20, error)],
    ["failed", "delivery_not_emitted delivery-20", "- failed delivery_not_emitted delivery-20"],
  ],
  [
    "that says nothing",
    [message(silent)],
    [
      "partial",
      "delivery_not_emitted delivery-20",
      "- unconfirmed delivery_not_emitted delivery-20",
    ],
  ],
  [
    "whose user is derived",
    [message(seen, 20, { identity_derived: ["user_id"] })],
    [
      "partial",
      "delivery_identity_derived delivery-20",
      "- unconfirmed delivery_identity_derived delivery-20",
    ],
  ],
  [
    "refused, then acknowledged",
    [message(refused), message(seen, 25)],
    [
      "success",
      "- present delivery_acknowledged delivery-25",
      "- superseded later_state delivery-20",
    ],
  ],
])("a delivery %s", (_caption, events, expected) => {
  expect(reported([requests(), began, ended, artifact(), ...events], "delivery")).toEqual(expected);
});

test("without any delivery the link is missing", () => {
  expect(reported([requests(), began, ended, artifact()], "delivery")).toEqual([
    "partial",
    "delivery_missing? intent-1",
    "- missing delivery_missing",
  ]);
});

describe("a delivery that is not the task's latest", () => {
  const elsewhere = shows(30, [made("1", "other")], { event_id: "elsewhere" });
  const another = artifact(10, { artifact_type: "note" }, { event_id: "second" });
  const judged = (attributes: Attributes): string[] =>
    reported([
      requests(["reply", "note"]),
      began,
      ended,
      artifact(),
      another,
      message(attributes),
      elsewhere,
    ]);
  test("is noted once for all that it carried, and each link gives its want", () => {
    expect(judged(sent)).toEqual([
      "partial",
      "delivery_unconfirmed? delivery-20",
      "- note unconfirmed delivery_unconfirmed second",
      "- reply unconfirmed delivery_unconfirmed artifact-10",
    ]);
    expect(judged(seen)[0]).toBe("success");
  });
  test("is bad where it was refused", () => {
    expect(judged(refused)[0]).toBe("failed");
  });
});

describe("two deliveries of one instant", () => {
  const numbered = artifact(20, {}, by("p", 5, "made"));
  const judged = (...deliveries: TurnEvent[]): string[] =>
    reported([requests(), began, ended, numbered, ...deliveries]);
  test("what is wanting of one before the artifact by its number is not said of the artifact", () => {
    const early = message(sent, 20, by("p", 4, "early"));
    const later = message(seen, 20, by("q", 1, "later"));
    const elsewhere = shows(30, [made("1", "other")]);
    expect(judged(early, later, elsewhere)).toEqual([
      "success",
      "- reply present artifact_persisted made",
    ]);
    expect(judged({ ...early, producer_seq: 6 }, later, elsewhere)).toEqual([
      "partial",
      "delivery_unconfirmed? early",
      "- reply unconfirmed delivery_unconfirmed made",
    ]);
  });
  test("one without a number may be the later one", () => {
    const unnumbered = message(sent, 20, { producer_id: "p", event_id: "unnumbered" });
    expect(judged(unnumbered, message(seen, 20, by("q", 1, "later")))[1]).toBe(
      "delivery_unconfirmed? unnumbered",
    );
  });
});

describe("the delivery of a required contract that something else follows", () => {
  const form = { contract_name: "form" };
  const intent = event("intent", 1, { required_contracts: ["form"] }, {});
  const record = event(
    "contract",
    20,
    { ...form, parser_status: "success", opening_marker_found: true, closing_marker_found: true },
    by("p", 5),
  );
  const carries = (attributes: Attributes, extra: Partial<TurnEvent> = {}): TurnEvent =>
    event("delivery", 20, { ...form, ...attributes }, { event_id: "carries", ...extra });
  const later = shows(30, []);
  const judged = (...deliveries: TurnEvent[]): string =>
    reported([intent, record, ...deliveries, later])
      .slice(0, 2)
      .join(" ");
  test("has to have gone out", () => {
    expect(judged(carries(seen))).toBe("success");
    expect(judged(carries(silent))).toBe("partial contract_not_emitted? form carries contract-20");
    expect(judged(carries(unsent))).toBe("failed contract_not_emitted form carries contract-20");
  });
  test("is no refusal of the record where its number is before the record's", () => {
    const early = carries(unsent, by("p", 4, "early"));
    const open = carries(silent, by("q", 1));
    expect(judged(early, open)).toBe(
      "partial contract_not_emitted? form carries contract-20 early",
    );
    expect(judged({ ...early, producer_seq: 6 }, open)).toBe(
      "failed contract_not_emitted form carries contract-20 early",
    );
    expect(judged(early)).toMatch(/^partial contract_not_emitted\?/);
  });
  test("is told again by one that names no contract and follows it", () => {
    const both = event("intent", 1, { required_contracts: ["form", "table"] }, {});
    const table = { contract_name: "table" };
    const other = event("contract", 20, { ...record.attributes, ...table }, { event_id: "table" });
    const last = event("delivery", 30, { ...table, ...seen }, {});
    const again = (second: number): TurnEvent =>
      event("delivery", second, sent, { event_id: "again" });
    const all = (unnamed: TurnEvent): string[] =>
      reported([both, record, other, carries(seen), unnamed, last]);
    expect(all(again(25))).toEqual(["partial", "delivery_unconfirmed? again"]);
    expect(all(again(15))).toEqual(["success"]);
  });
});

test("an intent that was stamped after its delivery was received contradicts the clocks", () => {
  const intent = {
    ...requests(["reply"], 20, by("web", 1)),
    timestamp: "2026-01-01T00:00:20.400Z",
  };
  const delivery = shows(20, [made("1")], {
    ...by("worker", 1),
    caused_by_event_id: "intent-20",
    received_at: "2026-01-01T00:00:20.100Z",
  });
  expect(reported([intent, began, ended, artifact(), delivery]).slice(0, 2)).toEqual([
    "partial",
    "clock_conflict delivery-20 intent-20",
  ]);
  const { received_at: _, ...unreceived } = delivery;
  expect(reported([intent, began, ended, artifact(), unreceived])[0]).toBe("success");
});

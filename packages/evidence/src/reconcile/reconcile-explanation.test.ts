/** @module The sentence of a verdict: its words, and how many of the reasons it has. */
import { expect, test } from "vitest";

import type { Finding } from "./finding-list.ts";
import { explain } from "./reconcile-explanation.ts";
import type { WindowReason } from "./reconcile-window.ts";

type Grounds = Parameters<typeof explain>[1];

const finding = (code: string, title: string, subject: string | null = null): Finding =>
  ({ code, title, subject }) as Finding;
const grounds = (some: Partial<Grounds>, reasons: readonly WindowReason[] = []): Grounds => ({
  trust: { complete: reasons.length === 0, read_completeness: "complete", reasons },
  findings: [],
  missing: [],
  intents: 1,
  ...some,
});

const late = finding("delivery_missing", "Delivery missing", "reply");
const bad = finding("turn_failed", "Turn failed");

test("a success says how many intents are satisfied", () => {
  const rest = "satisfied, delivered and acknowledged in a complete window.";
  expect(explain("success", grounds({}))).toBe(`Success: the intent is ${rest}`);
  expect(explain("success", grounds({ intents: 2 }))).toBe(`Success: all 2 intents are ${rest}`);
});

test("an unknown verdict has nothing to judge", () => {
  expect(explain("unknown", grounds({}))).toBe(
    "Unknown: neither what was to be delivered nor any delivery is recorded, so there is " +
      "nothing to judge.",
  );
});

test("the first finding stands with its code and subject, and the others are counted", () => {
  expect(explain("failed", grounds({ findings: [bad] }))).toBe(
    "Failed: turn failed (turn_failed).",
  );
  expect(explain("partial", grounds({ findings: [late, bad, bad] }))).toBe(
    "Partial: delivery missing (delivery_missing: reply); and 2 more.",
  );
});

test("so does the first reason of the window, and every missing stage", () => {
  const window = grounds({ findings: [bad, late], missing: ["artifact", "delivery"] }, [
    "known_loss",
    "truncated",
  ]);
  expect(explain("partial", window)).toBe(
    "Partial: turn failed (turn_failed); evidence was lost while the turn was open (known_loss); " +
      "missing stages: artifact, delivery; and 2 more.",
  );
});

test.each<[WindowReason, string]>([
  ["metadata_missing", "nothing proves that the window is complete"],
  ["metadata_incomplete", "the reader does not report whether it read everything"],
  ["window_incomplete", "the window was not read completely"],
  ["truncated", "the window was truncated"],
  ["normalization_errors", "some records could not be read"],
  ["read_incomplete", "the reader calls its reading incomplete"],
  ["events_rejected", "some values are no events"],
  ["known_loss", "evidence was lost while the turn was open"],
  ["sampled_out", "evidence was sampled out"],
  ["write_failures", "a producer could not write evidence"],
])("%s says that %s", (reason, text) => {
  expect(explain("partial", grounds({}, [reason]))).toBe(`Partial: ${text} (${reason}).`);
});

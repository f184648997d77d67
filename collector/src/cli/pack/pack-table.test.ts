/** The table of articles: each state of each row follows from the facts alone. */
import { expect, test } from "vitest";

import type { PackFacts } from "./pack-facts.ts";
import { packTable } from "./pack-table.ts";

const log = { ok: true, records: 5, checkpoints: 1, findings: 0, tree_head: "note", key: "k" };
const accounted = { at_least: 0, reported: 2, producers: 2, active_since: 0 };
const whole: PackFacts = {
  from: "2026-01-01T00:00:00Z",
  to: "2026-11-01T00:00:00Z",
  made_at: "2026-11-02T00:00:00Z",
  version: "0",
  store: "s",
  events: { rows: 9, first_received: "a", last_received: "b", complete: true },
  turns: { rows: 3, judged: 2, with_findings: 1 },
  oldest_kept: "2026-01-02T00:00:00.000000Z",
  retention: { floor_days: 183, legal_hold: false },
  losses: {
    dropped_by_producers: accounted,
    lost_frames: 0,
    corrupt_ranges: 0,
    quarantined: 0,
    balanced: true,
  },
  audit: { ...log, window: { accesses: 4, covered: true, since: "2026-01-01T00:00:00Z", off: [] } },
  deletions: [],
  retentions: { log, since: "2026-01-01T00:00:00Z", runs: [] },
  roots: { rows: 5, without_turn: 2 },
  rules: 6,
};

const states = (facts: PackFacts): Readonly<Record<string, string>> =>
  Object.fromEntries(packTable(facts).map(({ article, state }) => [article, state]));

test("what the evidence shows is proven, and what a person must add is partial at best", () => {
  expect(states(whole)).toEqual({
    "12(1)": "proven",
    "12(2)(a)": "partial",
    "12(2)(b), (c)": "partial",
    "12 (traceability)": "proven",
    "12 (removals)": "proven",
    "19(1)": "proven",
    "26(6)": "proven",
    "72": "partial",
  });
});

test("turns that ended in the window are not those of its events", () => {
  const because = (facts: PackFacts, article: string): string =>
    packTable(facts).find((row) => row.article === article)?.because ?? "";
  expect(because(whole, "12(2)(b), (c)")).toBe(
    "The files hold 9 events of 5 root traces, and 3 turns that ended in the window; " +
      "that they are monitored is not in them.",
  );
  const judged = "2 of 3 turns that ended in the window are judged, 1 with findings; ";
  const decides = "which of them is a risk, a person decides.";
  expect(because(whole, "12(2)(a)")).toBe(
    `${judged}${decides} Of 2 root traces there are events and no such turn.`,
  );
  const all = { ...whole, roots: { rows: 3, without_turn: 0 } };
  expect(because(all, "12(2)(a)")).toBe(judged + decides);
  // Packs of earlier rules verify as they were signed.
  const { roots: _roots, ...earlier } = { ...whole, rules: 5 as const };
  expect(because(earlier, "12(2)(b), (c)")).toContain("9 events of 3 turns;");
  expect(because(earlier, "12(2)(a)")).toContain("2 of 3 turns are judged,");
});

test("nothing is proven by nothing", () => {
  const nothing: PackFacts = {
    ...whole,
    events: { rows: 0, first_received: null, last_received: null, complete: true },
    turns: { rows: 0, judged: 0, with_findings: 0 },
    oldest_kept: null,
    retention: { floor_days: null, legal_hold: false },
    audit: null,
    retentions: { log: null, since: null, runs: [] },
  };
  expect(new Set(Object.values(states(nothing)))).toEqual(new Set(["not_evidenced"]));
});

test.each<[string, Partial<PackFacts["losses"]>]>([
  ["unread", { dropped_by_producers: null }],
  ["dropped", { dropped_by_producers: { ...accounted, at_least: 1 } }],
  ["unreported", { dropped_by_producers: { ...accounted, at_least: null, reported: 0 } }],
  ["partly reported", { dropped_by_producers: { ...accounted, reported: 1 } }],
  ["late", { dropped_by_producers: { ...accounted, active_since: 1 } }],
  ["lost", { lost_frames: 1 }],
  ["damaged", { corrupt_ranges: 1 }],
  ["quarantined", { quarantined: 1 }],
  ["unbalanced", { balanced: false }],
])("recording with %s data is partial", (_name, losses) => {
  expect(states({ ...whole, losses: { ...whole.losses, ...losses } })["12(1)"]).toBe("partial");
});

test("losses are stated with who reported them, and as a total only where all did", () => {
  const of = (dropped: PackFacts["losses"]["dropped_by_producers"]): string =>
    packTable({ ...whole, losses: { ...whole.losses, dropped_by_producers: dropped } })[0]
      ?.because ?? "";
  const stated = (text: string): string => `Spans dropped by producers: ${text}.`;
  const some = { at_least: 148, reported: 2, producers: 15, active_since: 0 };
  expect(of(some)).toBe(
    stated("at least 148, reported by 2 of 15 producers; the others reported nothing"),
  );
  expect(of({ ...some, producers: 2 })).toBe(stated("148, reported by all 2 producers"));
  expect(of({ ...some, producers: 2, active_since: 1 })).toBe(
    stated(
      "at least 148, reported by 2 of 2 producers; 1 of those sent events after their last report",
    ),
  );
  expect(of({ ...some, at_least: null, reported: 0 })).toBe(
    stated("unknown: none of 15 producers reported its losses"),
  );
  expect(of(null)).toBe("The reports of producers' losses could not be read.");
  // Packs of earlier rules verify as they were signed.
  const earlier = (dropped: number | null): string =>
    packTable({
      ...whole,
      rules: 4,
      losses: { ...whole.losses, dropped_by_producers: dropped },
    })[0]?.because ?? "";
  expect(earlier(null)).toBe("Not every producer reported its losses.");
  expect(earlier(148)).toBe("Producers report dropped spans.");
});

test("logs are kept by 183 days or a hold, and proven once that time has passed", () => {
  const of = (floor_days: number | null, legal_hold: boolean, oldest_kept: string | null): string =>
    states({ ...whole, retention: { floor_days, legal_hold }, oldest_kept })["26(6)"] ?? "";
  const [young, old] = ["2026-10-01T00:00:00Z", "2026-05-03T00:00:00Z"];
  expect(of(182, false, old)).toBe("not_evidenced");
  expect(of(null, false, old)).toBe("not_evidenced");
  expect(of(183, false, young)).toBe("partial");
  expect(of(183, false, old)).toBe("proven");
  expect(of(null, true, old)).toBe("proven");
  expect(of(183, false, null)).toBe("partial");
});

test("a window that was not read completely, and a log that was edited, prove nothing", () => {
  const cut = states({ ...whole, events: { ...whole.events, complete: false } });
  expect(cut["12(1)"]).toBe("partial");
  const { audit } = whole;
  if (audit === null) throw new Error("no audit");
  const edited = states({ ...whole, audit: { ...audit, ok: false, findings: 1 } });
  expect(edited["12 (traceability)"]).toBe("not_evidenced");
  const unsigned = states({ ...whole, audit: { ...audit, tree_head: null } });
  expect(unsigned["12 (traceability)"]).toBe("partial");
});

test("traceability needs receipts, accesses and a tree head over them; deletions are none", () => {
  const of = (audit: PackFacts["audit"], events = whole.events): string =>
    states({ ...whole, audit, events })["12 (traceability)"] ?? "";
  const within = (accesses: number, covered: boolean) => ({
    ...log,
    window: { accesses, covered },
  });
  // A log of deletions alone.
  expect(of(within(0, true))).toBe("not_evidenced");
  expect(of(within(1, false))).toBe("partial");
  expect(of(within(1, true))).toBe("proven");
  const none = { ...whole.events, first_received: null, last_received: null };
  expect(of(within(1, true), none)).toBe("not_evidenced");
  expect(of(log)).toBe("not_evidenced");
});

test("accesses before the audit log began, or while it was off, leave traceability partial", () => {
  const of = (since: string, off: readonly { from: string; to: string }[] = []): string => {
    const window = { accesses: 4, covered: true, since, off: [...off] };
    const row = packTable({ ...whole, audit: { ...log, window } }).find(
      ({ article }) => article === "12 (traceability)",
    );
    return `${row?.state}: ${row?.because}`;
  };
  const late = "2026-03-01T00:00:00Z";
  expect(of(late)).toBe(`partial: Accesses before ${late} are not recorded.`);
  // Nothing was there to access before the second of January.
  expect(of("2026-01-01T12:00:00Z")).toMatch(/^proven: /);
  const time = { from: late, to: "2026-03-02T00:00:00Z" };
  expect(of(whole.from, [time])).toBe(
    `partial: Accesses from ${time.from} to ${time.to} are not recorded.`,
  );
});

const run: NonNullable<PackFacts["retentions"]>["runs"][number] = {
  at: "2026-06-01T00:00:00Z",
  reason: "age",
  result: "ok",
  shortest_days: 183,
  before: {},
  tenants: 0,
  removed: [{ store: "evidence", class: "metadata", rows: 7 }],
};

test.each<[string, Partial<NonNullable<PackFacts["retentions"]>>, string]>([
  ["a run with its counts", { runs: [run] }, "proven"],
  ["a run without an end", { runs: [{ ...run, result: "begun", removed: [] }] }, "partial"],
  ["a run that failed", { runs: [{ ...run, result: "failed" }] }, "partial"],
  ["a log that began in the window", { since: "2026-02-01T00:00:00Z" }, "partial"],
  ["no signed head", { log: { ...log, tree_head: null } }, "partial"],
  ["an edited log", { log: { ...log, ok: false } }, "not_evidenced"],
  ["no log", { log: null, since: null }, "not_evidenced"],
])("removals with %s", (_name, retentions, state) => {
  const all = { log, since: whole.from, runs: [], ...retentions };
  expect(states({ ...whole, retentions: all })["12 (removals)"]).toBe(state);
});

test("a deletion without a reason, or in no whole audit log, leaves removals partial", () => {
  const deleted = { at: run.at, reason: "reason not recorded", result: "ok" };
  expect(states({ ...whole, deletions: [deleted] })["12 (removals)"]).toBe("partial");
  expect(states({ ...whole, audit: null })["12 (removals)"]).toBe("partial");
});

test("removals after the window count, and an earlier pack has those of its window alone", () => {
  const late = "2026-11-01T12:00:00Z";
  const deletions = [
    { at: late, reason: "mistaken_collection", result: "begun" },
    { at: late, reason: "mistaken_collection", result: "ok" },
  ];
  const retentions = { log, since: whole.from, runs: [run, { ...run, at: late }] };
  const because = (facts: PackFacts): string | undefined =>
    packTable(facts).find(({ article }) => article === "12 (removals)")?.because;
  const facts = { ...whole, deletions, retentions };
  expect(because(facts)).toBe(
    "2 runs of retention with counts, and 1 deletions of users with reasons, up to the making of the pack; 2 of them after the window.",
  );
  expect(because({ ...facts, rules: 2 })).toBe(
    "2 runs of retention with counts, and 1 deletions of users with reasons.",
  );
});

test("a run by a shorter age that removed evidence shows that logs were not kept", () => {
  const of = (shortest_days: number, rows: number): string => {
    const removed = [{ store: "evidence", class: "metadata", rows }];
    const retentions = { log, since: whole.from, runs: [{ ...run, shortest_days, removed }] };
    return states({ ...whole, retentions })["19(1)"] ?? "";
  };
  expect([of(30, 7), of(30, 0), of(183, 7)]).toEqual(["partial", "proven", "proven"]);
});

test("logs of a deleted user were not kept by the setting; an earlier pack follows its own rule", () => {
  const deletions = [
    { at: run.at, reason: "mistaken_collection", result: "begun" },
    { at: run.at, reason: "mistaken_collection", result: "ok" },
  ];
  const kept = packTable({ ...whole, deletions }).filter(({ duty }) => duty.includes("six months"));
  expect(kept.map(({ state }) => state)).toEqual(["partial", "partial"]);
  expect(kept[0]?.because).toMatch(/^Logs of users were deleted, 1 time, first at 2026-06-01T/);
  const { rules: _rules, ...earlier } = { ...whole, deletions };
  expect(states(earlier)["19(1)"]).toBe("proven");
});

test("the table of a pack of an earlier version follows its own rules", () => {
  const { retentions: _retentions, rules: _rules, ...facts } = whole;
  const earlier = packTable({ ...facts, audit: log });
  expect(earlier.map(({ article }) => article)).not.toContain("12 (removals)");
  expect(earlier.find(({ article }) => article === "12 (traceability)")).toEqual({
    article: "12 (traceability)",
    duty: "Access to the logs is recorded, and the record shows later changes.",
    state: "proven",
    because: "5 records hold under the signed tree head.",
  });
});

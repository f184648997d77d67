/** @module Tasks: the verdict of one task, of a turn without a question, and of a context. */
import { reconcileOutcome } from "@turnproof/evidence";
import type { TurnEvent } from "@turnproof/evidence";
import { describe, expect, test } from "vitest";

import { artifact, requests, began, ended, made, shows, reported } from "./artifact-rows.ts";
import { whole } from "./text-windows.ts";
import { event } from "./turn-event.ts";

type Extra = Partial<TurnEvent>;

const done = [began, ended, artifact(), shows()];

describe("an intent", () => {
  const profiled = (extra: Extra = {}): TurnEvent => {
    const one = requests(["reply"], 1, extra);
    return { ...one, attributes: { ...one.attributes, coverage_profile: "support" } };
  };
  test("is the first link, by its coverage profile", () => {
    const links = reported([requests(), ...done], "intent");
    expect(links).toEqual(["success", "- present intent_recorded intent-1"]);
    expect(reported([profiled(), ...done], "intent").at(-1)).toBe(
      "- support present intent_recorded intent-1",
    );
  });
  test.each(["agent_id", "thread_id", "turn_id", "root_trace_id"] as const)(
    "without a %s is not satisfied",
    (field) => {
      const all = [requests(), ...done].map((one) => {
        const { [field]: _, ...rest } = one;
        return rest;
      });
      const lines = reported(all, "intent");
      expect(lines[0]).toBe("partial");
      expect(lines).toContain("intent_identity_incomplete intent-1");
      expect(lines.at(-1)).toBe("- unconfirmed intent_identity_incomplete intent-1");
    },
  );
  test("that asks for nothing still wants evidence", () => {
    expect(reported([requests([])])).toEqual([
      "partial",
      "delivery_missing? intent-1",
      "evidence_missing? intent-1",
    ]);
    expect(reported([requests([]), shows()])).toEqual(["partial", "evidence_missing? intent-1"]);
    expect(reported([requests([]), ...done])[0]).toBe("success");
  });
  test("of which an artifact is missing says that, and not that nothing was delivered", () => {
    expect(reported([requests()])).toEqual([
      "partial",
      "artifact_missing? reply intent-1",
      "- reply missing artifact_missing",
    ]);
    expect(reported([requests()], "delivery").at(-1)).toBe("- missing delivery_missing");
    expect(reported([requests(["reply", "note"]), ...done])).not.toContain(
      "evidence_missing? intent-1",
    );
  });
  test("whose contract is missing or was not sent says that alone", () => {
    const intent = event("intent", 1, { required_contracts: ["form"] }, {});
    const record = event(
      "contract",
      10,
      {
        contract_name: "form",
        parser_status: "success",
        opening_marker_found: true,
        closing_marker_found: true,
      },
      {},
    );
    expect(reported([intent])).toEqual(["partial", "contract_missing? form intent-1"]);
    expect(reported([intent, record])).toEqual([
      "partial",
      "contract_not_emitted? form contract-10",
    ]);
  });
});

describe("evidence that nobody asked for", () => {
  test("has its diagnostics and links, and wants no delivery", () => {
    const wanting = [began, ended, artifact()];
    expect(reported(wanting, "delivery")).toEqual(["partial", "intent_missing? artifact-10"]);
    expect(reported([...wanting, shows(20, [made("2")])], "delivery")).toEqual([
      "partial",
      "intent_missing? artifact-10 delivery-20",
      "- present delivery_acknowledged delivery-20",
    ]);
  });
});

describe("a side effect", () => {
  const effect = (side_effect: boolean, extra: Extra = {}): TurnEvent =>
    event(
      "application_action",
      5,
      { side_effect },
      { event_id: "effect", phase: "result", span_id: "effect", ...extra },
    );
  test("without an intent is an orphan", () => {
    expect(reported([effect(true)])).toContain("orphan_action? effect");
    expect(reported([effect(false)])).not.toContain("orphan_action? effect");
    expect(reported([requests(), ...done, effect(true)])[0]).toBe("success");
  });
});

describe("a lost context", () => {
  const lost = (extra: Extra = {}): TurnEvent =>
    event(
      "data_quality",
      6,
      { quality_code: "trace_context_missing" },
      { event_id: "lost", ...extra },
    );
  const labelled = (task_id: string, ...events: TurnEvent[]): TurnEvent[] =>
    events.map((one) => ({ ...one, task_id }));
  const codes = (events: readonly TurnEvent[], taskId: string): string[] =>
    reconcileOutcome(events, { normalizationMetadata: whole, taskId }).findings.map(
      ({ code, task_id }) => `${code} ${String(task_id)}`,
    );
  test("is said of its task, and without a label of the turn", () => {
    expect(reported([requests(), ...done, lost()])[1]).toBe("trace_context_missing lost");
    const window = labelled("a", requests(), ...done);
    expect(codes(window, "a")).toEqual([]);
    expect(codes([...window, ...labelled("a", lost())], "a")).toEqual(["trace_context_missing a"]);
    expect(codes([...window, ...labelled("b", lost())], "a")).toEqual([]);
  });
  test("of the turn stands where one of two tasks is asked for", () => {
    const second = labelled("b", requests([], 2));
    const window = [...labelled("a", requests(), ...done), ...second];
    expect(codes([...window, lost()], "a")).toEqual(["trace_context_missing null"]);
  });
});

describe("an effect of a later cause", () => {
  const late = (second: number): TurnEvent =>
    event("tool_call", second, {}, { phase: "start", event_id: "cause", producer_id: "q" });
  test.each<[string, (extra: Extra) => TurnEvent[]]>([
    ["an intent", (extra) => [requests(["reply"], 1, extra), ...done]],
    ["an artifact", (extra) => [requests(), began, ended, artifact(10, {}, extra), shows()]],
    [
      "a delivery",
      (extra) => [requests(), began, ended, artifact(), shows(20, [made("1")], extra)],
    ],
    [
      "a contract",
      (extra) => [
        requests(),
        ...done,
        event(
          "contract",
          10,
          {
            contract_name: "form",
            parser_status: "success",
            opening_marker_found: true,
            closing_marker_found: true,
          },
          extra,
        ),
      ],
    ],
  ])("that is %s contradicts the clocks", (_kind, window) => {
    const caused = { caused_by_event_id: "cause", producer_id: "p" };
    expect(reported([...window(caused), late(30)])[1]).toMatch(/^clock_conflict /);
    expect(reported([...window(caused), late(0)])[0]).toBe("success");
    expect(reported([...window({}), late(30)])[0]).toBe("success");
  });
});

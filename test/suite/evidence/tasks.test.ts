/** @module Tasks: what is said of one task, of a turn without a question, and of a context. */
import { reconcileOutcome } from "@turnproof/evidence";
import type { TurnEvent } from "@turnproof/evidence";
import { describe, expect, test } from "vitest";

import { artifact, asks, began, ended, made, shows, told } from "./artifact-rows.ts";
import { whole } from "./text-windows.ts";
import { event } from "./turn-event.ts";

type Extra = Partial<TurnEvent>;

const done = [began, ended, artifact(), shows()];

describe("an intent", () => {
  const profiled = (extra: Extra = {}): TurnEvent => {
    const one = asks(["reply"], 1, extra);
    return { ...one, attributes: { ...one.attributes, coverage_profile: "support" } };
  };
  test("is the first link, by its coverage profile", () => {
    const links = told([asks(), ...done], "intent");
    expect(links).toEqual(["success", "- present intent_recorded intent-1"]);
    expect(told([profiled(), ...done], "intent").at(-1)).toBe(
      "- support present intent_recorded intent-1",
    );
  });
  test.each(["agent_id", "thread_id", "turn_id", "root_trace_id"] as const)(
    "without a %s is not satisfied",
    (field) => {
      const all = [asks(), ...done].map((one) => {
        const { [field]: _, ...rest } = one;
        return rest;
      });
      const lines = told(all, "intent");
      expect(lines[0]).toBe("partial");
      expect(lines).toContain("intent_identity_incomplete intent-1");
      expect(lines.at(-1)).toBe("- unconfirmed intent_identity_incomplete intent-1");
    },
  );
  test("that asks for nothing still wants evidence", () => {
    expect(told([asks([])])).toEqual([
      "partial",
      "delivery_missing? intent-1",
      "evidence_missing? intent-1",
    ]);
    expect(told([asks([]), shows()])).toEqual(["partial", "evidence_missing? intent-1"]);
    expect(told([asks([]), ...done])[0]).toBe("success");
  });
  test("of which an artifact is missing says that, and not that nothing was delivered", () => {
    expect(told([asks()])).toEqual([
      "partial",
      "artifact_missing? reply intent-1",
      "- reply missing artifact_missing",
    ]);
    expect(told([asks()], "delivery").at(-1)).toBe("- missing delivery_missing");
    expect(told([asks(["reply", "note"]), ...done])).not.toContain("evidence_missing? intent-1");
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
    expect(told([intent])).toEqual(["partial", "contract_missing? form intent-1"]);
    expect(told([intent, record])).toEqual(["partial", "contract_not_emitted? form contract-10"]);
  });
});

describe("evidence that nobody asked for", () => {
  test("has its diagnostics and links, and wants no delivery", () => {
    const wanting = [began, ended, artifact()];
    expect(told(wanting, "delivery")).toEqual(["partial", "intent_missing? artifact-10"]);
    expect(told([...wanting, shows(20, [made("2")])], "delivery")).toEqual([
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
    expect(told([effect(true)])).toContain("orphan_action? effect");
    expect(told([effect(false)])).not.toContain("orphan_action? effect");
    expect(told([asks(), ...done, effect(true)])[0]).toBe("success");
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
    expect(told([asks(), ...done, lost()])[1]).toBe("trace_context_missing lost");
    const window = labelled("a", asks(), ...done);
    expect(codes(window, "a")).toEqual([]);
    expect(codes([...window, ...labelled("a", lost())], "a")).toEqual(["trace_context_missing a"]);
    expect(codes([...window, ...labelled("b", lost())], "a")).toEqual([]);
  });
  test("of the turn stands where one of two tasks is asked for", () => {
    const second = labelled("b", asks([], 2));
    const window = [...labelled("a", asks(), ...done), ...second];
    expect(codes([...window, lost()], "a")).toEqual(["trace_context_missing null"]);
  });
});

describe("an effect of a later cause", () => {
  const late = (second: number): TurnEvent =>
    event("tool_call", second, {}, { phase: "start", event_id: "cause", producer_id: "q" });
  test.each<[string, (extra: Extra) => TurnEvent[]]>([
    ["an intent", (extra) => [asks(["reply"], 1, extra), ...done]],
    ["an artifact", (extra) => [asks(), began, ended, artifact(10, {}, extra), shows()]],
    ["a delivery", (extra) => [asks(), began, ended, artifact(), shows(20, [made("1")], extra)]],
    [
      "a contract",
      (extra) => [
        asks(),
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
    expect(told([...window(caused), late(30)])[1]).toMatch(/^clock_conflict /);
    expect(told([...window(caused), late(0)])[0]).toBe("success");
    expect(told([...window({}), late(30)])[0]).toBe("success");
  });
});

/** @module Coverage profiles: which stages a declared profile requires, and of which task. */
import { describe, expect, test } from "vitest";

import { defineCoverageProfiles, readCoverage } from "./coverage.ts";
import type { TurnEvent } from "../event/event.ts";

const read = { readCompleteness: "complete" } as const;
const identity = { agent_id: "a", user_id: "u", thread_id: "t", turn_id: "n", root_trace_id: "r" };

function event(kind: TurnEvent["event_kind"], extra: Partial<TurnEvent> = {}): TurnEvent {
  return {
    ...identity,
    schema_version: 3,
    event_id: `${kind}-${extra.task_id ?? ""}`,
    event_kind: kind,
    phase: "result",
    status: "success",
    timestamp: "2026-01-01T00:00:00Z",
    attributes: {},
    ...extra,
  };
}

const delivered = [
  event("intent", { task_id: "task" }),
  event("model_call"),
  event("contract", { task_id: "task" }),
  event("delivery", { task_id: "task" }),
];

test("a profile that the turn declares asks of the whole turn, whatever the task", () => {
  const turn = event("turn", { attributes: { coverage_profile: "interactive_response" } });
  const whole = readCoverage([turn, ...delivered], read);
  expect(whole.profiles.map((profile) => profile.missing_stages)).toEqual([[]]);
  expect(whole.instrumentation).toBe("complete");
  const cut = readCoverage([turn, ...delivered.slice(0, 3)], read);
  expect(cut.profiles.map((profile) => profile.missing_stages)).toEqual([["delivery"]]);
});

test("a profile of an intent asks of its own task: another task's delivery is not its own", () => {
  const intent = event("intent", {
    task_id: "task",
    attributes: { coverage_profile: "interactive_response" },
  });
  const moved = event("delivery", { task_id: "other" });
  const { profiles } = readCoverage([intent, ...delivered.slice(1, 3), moved], read);
  expect(profiles.map((profile) => profile.missing_stages)).toEqual([["delivery"]]);
});

test("nothing declared is unknown, never complete", () => {
  expect(readCoverage(delivered, read)).toMatchObject({ instrumentation: "unknown", profiles: [] });
});

/** A row for every required profile: its task, and its missing stages. */
function requested(
  events: readonly TurnEvent[],
  own: Parameters<typeof defineCoverageProfiles>[0] = {},
): (readonly [string | undefined, string, ...string[]])[] {
  const { profiles } = readCoverage(events, { ...read, profiles: defineCoverageProfiles(own) });
  return profiles.map((one) => [one.task_id, one.profile, ...one.missing_stages]);
}

const declaring = (kind: TurnEvent["event_kind"], profile: string, task_id?: string): TurnEvent =>
  event(kind, {
    ...(task_id === undefined ? {} : { task_id }),
    attributes: { coverage_profile: profile },
  });
const verified = event("outcome", { attributes: { verified: true, outcome: "accepted" } });

test.each([
  ["chat_response", ["model_call_result"]],
  ["content_ingestion", ["context_binding", "tool_call_result", "outcome"]],
  ["content_derived_artifact", ["intent", "memory_supply", "artifact", "delivery", "outcome"]],
  ["interactive_response", ["model_call_result", "contract", "delivery"]],
] as const)("%s asks for each of its stages", (profile, required) => {
  const turn = declaring("turn", profile);
  const there = required.map((stage) =>
    stage === "outcome" ? verified : event(stage.replace("_result", "") as TurnEvent["event_kind"]),
  );
  expect(readCoverage([turn, ...there], read)).toMatchObject({
    instrumentation: "complete",
    profiles: [{ profile, registered: true, required_stages: required, missing_stages: [] }],
  });
  required.forEach((stage, at) => {
    const cut = readCoverage([turn, ...there.toSpliced(at, 1)], read);
    expect(cut).toMatchObject({ instrumentation: "partial", missing_stages: [stage] });
  });
});

test("an incomplete read is never complete coverage", () => {
  const events = [declaring("turn", "chat_response"), event("model_call")];
  for (const readCompleteness of ["partial", "unknown", "untrusted"] as const) {
    const coverage = readCoverage(events, { readCompleteness });
    expect(coverage).toMatchObject({ instrumentation: "partial", missing_stages: [] });
    expect(coverage.read_completeness).toBe(readCompleteness);
  }
});

describe("stages", () => {
  const missing = (required: string, ...events: TurnEvent[]): unknown => {
    const own = { own: [required as "outcome"] };
    return requested([declaring("turn", "own"), ...events], own)[0]?.slice(2);
  };
  test("a call that has only begun is recorded and has no result", () => {
    for (const kind of ["model_call", "tool_call"] as const) {
      const begun = event(kind, { phase: "start", status: "started" });
      expect(missing(kind, begun)).toEqual([]);
      expect(missing(`${kind}_result`, begun)).toEqual([`${kind}_result`]);
      expect(missing(`${kind}_result`, begun, event(kind))).toEqual([]);
    }
    const turn = declaring("turn", "own");
    expect(requested([turn], { own: ["turn_result"] })[0]?.slice(2)).toEqual([]);
    const begun = { ...turn, phase: "start" as const };
    expect(requested([begun], { own: ["turn_result"] })[0]?.slice(2)).toEqual(["turn_result"]);
  });
  test("a failed model call is none; a failed tool call was made", () => {
    expect(missing("model_call", event("model_call", { status: "error" }))).toEqual(["model_call"]);
    expect(missing("tool_call", event("tool_call", { status: "error" }))).toEqual([]);
  });
  test("an outcome counts where it is verified, trusted and no failure", () => {
    expect(missing("outcome", verified)).toEqual([]);
    const silent = { ...verified, attributes: { verified: true } };
    expect(missing("outcome", silent)).toEqual([]);
    const others: TurnEvent[] = [
      { ...verified, attributes: { outcome: "accepted" } },
      { ...verified, ingest_trusted: false },
      { ...verified, status: "error" },
      { ...verified, attributes: { verified: true, outcome: "Failed" } },
    ];
    for (const other of others) expect(missing("outcome", other)).toEqual(["outcome"]);
  });
  test("only a verified outcome makes the outcome recorded", () => {
    const recorded = (...events: TurnEvent[]): string =>
      readCoverage(events, read).outcome_verification;
    expect(recorded(event("turn"), verified)).toBe("recorded");
    expect(recorded({ ...verified, ingest_trusted: false })).toBe("unknown");
    expect(recorded({ ...verified, event_kind: "delivery" })).toBe("unknown");
  });
});

describe("profiles of a host", () => {
  test("replace or join the built-in ones", () => {
    const known = defineCoverageProfiles({ chat_response: ["turn"], mine: ["tool_call_result"] });
    expect(known.get("chat_response")).toEqual(["turn"]);
    expect(known.get("mine")).toEqual(["tool_call_result"]);
    expect(known.get("interactive_response")).toContain("contract");
  });
  test("a stage that does not exist is refused, beside good ones too", () => {
    const bad = ["turn_result", "feedback", "artifact_result" as never] as const;
    expect(() => defineCoverageProfiles({ good: ["turn_result"], bad })).toThrow("unknown stage");
  });
  test("one that nobody registered is a missing stage of its own name", () => {
    expect(readCoverage([declaring("turn", "nobody")], read).profiles).toEqual([
      {
        ...identity,
        profile: "nobody",
        registered: false,
        required_stages: [],
        missing_stages: ["profile:nobody"],
      },
    ]);
  });
});

test("a turn without a profile requires nothing, whatever its neighbour declares", () => {
  const events = [event("intent"), { ...declaring("intent", "chat_response"), turn_id: "other" }];
  expect(requested(events)).toEqual([[undefined, "chat_response", "model_call_result"]]);
});

describe("whose evidence a stage is", () => {
  const own = { own: ["contract", "delivery"] } as const;
  const two = [declaring("intent", "own", "a"), declaring("intent", "own", "b")];

  test("each task's own; tasks and profiles are told in the order of their names", () => {
    const events = [
      ...two.toReversed(),
      declaring("plan", "also", "a"),
      event("delivery", { task_id: "a" }),
      event("contract", { task_id: "a" }),
      event("contract", { task_id: "b" }),
    ];
    const also = { ...own, also: ["artifact"] } as const;
    expect(requested(events, also)).toEqual([
      ["a", "also", "artifact"],
      ["a", "own"],
      ["b", "own", "delivery"],
    ]);
    expect(requested(events.toReversed(), also)).toEqual(requested(events, also));
  });

  test("unlabelled host evidence is of the one intent, and of none where there are two", () => {
    const unlabelled = [event("contract"), event("delivery")];
    expect(requested([two[0] as TurnEvent, ...unlabelled], own)).toEqual([["a", "own"]]);
    expect(requested([declaring("plan", "own", "a"), ...unlabelled], own)).toEqual([["a", "own"]]);
    expect(requested([...two, ...unlabelled], own)).toEqual([
      ["a", "own", "contract", "delivery"],
      ["b", "own", "contract", "delivery"],
    ]);
  });

  test.each([
    "model_call",
    "tool_call",
    "memory_supply",
    "memory_retrieval",
    "context_binding",
    "turn",
  ] as const)("an unlabelled %s of the runtime serves every task", (kind) => {
    const runtime = { own: [kind] } as const;
    expect(requested([...two, event(kind)], runtime)).toEqual([
      ["a", "own"],
      ["b", "own"],
    ]);
    expect(requested([...two, event(kind, { task_id: "a" })], runtime)).toEqual([
      ["a", "own"],
      ["b", "own", kind],
    ]);
  });

  test("a profile without a task takes what no intent claims", () => {
    const plan = declaring("plan", "own");
    const labelled = [event("contract", { task_id: "a" }), event("delivery", { task_id: "b" })];
    expect(requested([plan, ...labelled], own)).toEqual([[undefined, "own"]]);
    const claimed = [plan, event("intent", { task_id: "a" }), ...labelled];
    expect(requested(claimed, own)).toEqual([[undefined, "own", "contract"]]);
  });

  test("one of an intent without a task takes what carries no label", () => {
    const intent = declaring("intent", "own");
    const labelled = event("contract", { task_id: "a" });
    expect(requested([intent, labelled, event("delivery")], own)).toEqual([
      [undefined, "own", "contract"],
    ]);
    const beside = [intent, two[0] as TurnEvent, event("delivery"), labelled];
    expect(requested(beside, own)).toEqual([
      ["a", "own", "delivery"],
      [undefined, "own", "contract"],
    ]);
  });

  test("one of the turn takes all labels; one of a labelled turn event its own", () => {
    const evidence = [
      event("contract", { task_id: "a" }),
      event("delivery", { task_id: "b" }),
      ...two.map((intent) => ({ ...intent, attributes: {} })),
    ];
    expect(requested([declaring("turn", "own"), ...evidence], own)).toEqual([[undefined, "own"]]);
    const unlabelled = [declaring("turn", "own"), event("contract"), event("delivery")];
    expect(requested(unlabelled, own)).toEqual([[undefined, "own"]]);
    expect(requested([declaring("turn", "own", "a"), ...evidence], own)).toEqual([
      ["a", "own", "delivery"],
    ]);
  });
});

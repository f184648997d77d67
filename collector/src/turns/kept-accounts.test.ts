/** A cached account is returned only for the same question about equal events. */
import type { TurnEvent, WindowMetadata } from "@turnproof/evidence";
import { expect, test } from "vitest";

import { KeptAccounts } from "./kept-accounts.ts";
import type { KeptQuestion } from "./kept-accounts.ts";
import { factsOf } from "./turn-account.ts";
import type { RootFacts } from "./turn-account.ts";

const metadata: WindowMetadata = { window_complete: true };

const event = (index: number, more: Partial<TurnEvent> = {}): TurnEvent => ({
  schema_version: 3,
  event_id: `${index}:result`,
  event_kind: index === 0 ? "turn" : "tool_call",
  phase: "result",
  status: "success",
  timestamp: "2026-11-21T10:00:00.000Z",
  received_at: "2026-11-21T10:00:01.000Z",
  revision: 1,
  span_id: `${index}`,
  user_id: "usr_a",
  root_trace_id: "root",
  ...more,
  attributes: { tool_name: "search", ...more.attributes },
});

/** Accounts that count how often one was computed. */
class Counted {
  made = 0;
  readonly #kept: KeptAccounts<RootFacts>;

  constructor(bounds: ConstructorParameters<typeof KeptAccounts>[0] = {}) {
    this.#kept = new KeptAccounts(bounds);
  }

  of(reported: KeptQuestion): RootFacts {
    return this.#kept.of(reported, () => {
      this.made += 1;
      return factsOf(reported.events);
    });
  }
}

const three = (): TurnEvent[] => [event(0), event(1), event(2)];

test("equal events of one question are accounted for once", () => {
  const accounts = new Counted();
  const first = accounts.of({ question: "a", events: three(), metadata });
  const again = accounts.of({ question: "a", events: three(), metadata: { ...metadata } });
  expect(again).toBe(first);
  expect(accounts.made).toBe(1);
});

test.each([
  ["another asker", "b", three(), metadata],
  ["an event more", "a", [...three(), event(3)], metadata],
  ["an event less", "a", three().slice(1), metadata],
  ["a status", "a", [event(0), event(1), event(2, { status: "error" })], metadata],
  ["an attribute", "a", [event(0), event(1), event(2, { attributes: { model: "m" } })], metadata],
  ["a null for nothing", "a", [event(0), event(1), event(2, { user_id: null })], metadata],
  ["what was read of it", "a", three(), { window_complete: false }],
] as const)("%s is told anew", (_name, question, events, stated) => {
  const accounts = new Counted();
  const first = accounts.of({ question: "a", events: three(), metadata });
  const second = accounts.of({ question, events, metadata: stated });
  expect(second).not.toBe(first);
  expect(accounts.made).toBe(2);
  expect(second).toEqual(new Counted().of({ question, events, metadata: stated }));
});

test("what is kept is bounded in number and in events", () => {
  const accounts = new Counted({ events: 12 });
  const request = (question: string, events: readonly TurnEvent[]): unknown =>
    accounts.of({ question, events, metadata });
  const huge = Array.from({ length: 13 }, (_, index) => event(index));
  expect(request("huge", huge)).not.toBe(request("huge", huge));
  const first = request("0", three());
  for (const question of ["1", "2", "3"]) request(question, three());
  expect(request("0", three())).toBe(first);
  request("4", three());
  expect(request("0", three())).not.toBe(first);
});

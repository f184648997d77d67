/** @module RandomQuestions: random queries about random records of the ledger. */
import fc from "fast-check";
import type { Arbitrary } from "fast-check";

import {
  listFields,
  microsOf,
  numberFields,
  textFields,
  timeFields,
} from "../ledger/turn-fields.ts";
import type { ListField, NumberField, TextField, TimeField } from "../ledger/turn-fields.ts";
import type {
  CallField,
  CallOptions,
  CallValues,
  TurnCondition,
  TurnOrder,
} from "../ledger/turn-query.ts";
import { groupOrderFields } from "../ledger/turn-query.ts";
import { turnOrderFields } from "../ledger/turn-orders.ts";
import type { EvidenceScope } from "../scope.ts";
import { randomTurn, turnRecords } from "./random-turns.ts";
import { few, id, maybe, ms, time } from "./random-values.ts";
import { allTenants } from "./sample-event.ts";
import type { TurnHistory } from "./turn-answers.ts";

const namesOf = <T extends string>(table: Readonly<Record<T, unknown>>): Arbitrary<T> =>
  fc.constantFrom(...(Object.keys(table) as T[]));

/** Fields that turns are counted by. */
const countedField: Arbitrary<TextField | ListField> = fc.oneof(
  namesOf<TextField>(textFields),
  namesOf<ListField>(listFields),
);

const value: Arbitrary<string> = fc.oneof(
  id,
  fc.constantFrom("success", "failed", "unjudged", "error", "hit", "none", "delivery", "id:one"),
  fc.constantFrom("contract:a=holds", "a=holds", "a=violated", "a@0f=holds", "app:one"),
  fc.constantFrom("\ud800", "\ufffd"),
);

/** Parts of ids: in another case, of control characters, with a meaning in patterns. */
const part: Arbitrary<string> = fc.oneof(
  value,
  fc.constantFrom(
    "o",
    "ON",
    "0",
    "1",
    "\u0000W",
    "t\u0000",
    "\u0001",
    "N\u00ef",
    "ü",
    "Ü",
    ".",
    "'",
    "_",
  ),
);

/** Numbers that are no valid measurement. */
const odd: Arbitrary<number> = fc.constantFrom(NaN, Infinity, -Infinity, -0, 0.1 + 0.2);

/** Values of a call, some of them. */
const calledKeys = {
  kind: fc.constantFrom("model" as const, "tool" as const, "agent" as const),
  name: maybe(few),
  provider: maybe(few),
  outcome: maybe(fc.constantFrom("success", "error", "fallback")),
  error_type: maybe(few),
};
const knownUsage = fc.constantFrom("i", "o", "io", "ioc", "iox", "iocx", "iocwr", "iocwrx", "cwr");
// Few calls equal values of every key, so most conditions have those of the columns alone.
const calledValues: Arbitrary<CallValues> = fc.oneof(
  { weight: 3, arbitrary: fc.record(calledKeys, { requiredKeys: ["kind"] }) },
  fc.record(
    { ...calledKeys, service_tier: maybe(few), known: maybe(knownUsage) },
    { requiredKeys: ["kind"] },
  ),
);

/** A condition. */
const randomCondition: Arbitrary<TurnCondition> = fc.letrec<{ one: TurnCondition }>((tie) => {
  const plain = fc.oneof(
    fc.record({ text: namesOf<TextField>(textFields), is: maybe(value) }),
    fc.record({
      part: fc.constantFrom(
        ...(["agent_id", "thread_id", "root_trace_id", "turn_id", "tenant", "name"] as const),
      ),
      of: part,
    }),
    fc.record({ prefix: fc.constant("root_trace_id" as const), of: part }),
    fc.record({ list: namesOf<ListField>(listFields), has: fc.option(value, { freq: 4 }) }),
    fc.record({
      number: namesOf<NumberField>(numberFields),
      sign: fc.constantFrom("<" as const, "<=" as const, "=" as const, ">=" as const, ">" as const),
      value: fc.oneof({ weight: 9, arbitrary: ms }, { weight: 1, arbitrary: odd }),
    }),
    fc.record({ time: namesOf<TimeField>(timeFields), from: time }),
    fc.record({ time: namesOf<TimeField>(timeFields), to: time }),
  );
  const any = fc.record({ any: fc.array(tie("one"), { maxLength: 3 }) });
  const chosen = fc.oneof({ depthSize: "small" }, plain, any);
  return {
    one: fc
      .tuple(chosen, fc.boolean())
      .map(([recorded, not]) => (not ? { ...recorded, not: true as const } : recorded)),
  };
}).one;

/** An order of a list. */
const randomOrder: Arbitrary<TurnOrder> = fc
  .tuple(fc.constantFrom(...turnOrderFields), fc.boolean())
  .map(([by, up]) => (up ? { by, ascending: true as const } : { by }));

const scope: Arbitrary<EvidenceScope> = fc.oneof(
  fc.constant(allTenants),
  fc.constantFrom("one", "o'ne", "two").map((tenant) => ({ tenant })),
  fc.constant({ tenant: null }),
  fc.constant({ tenant: "one", applicationId: "two" }),
);

const callFields: Arbitrary<CallField[]> = fc.uniqueArray(
  fc.constantFrom<CallField[]>(
    "name",
    "provider",
    "outcome",
    "error_type",
    "agent_id",
    "release",
    "tenant",
    "thread_id",
  ),
  { maxLength: 3 },
);

const callOptions: Arbitrary<CallOptions> = fc.record(
  { everyMs: fc.constantFrom(1, 60_000), inputSteps: fc.constantFrom([], [0], [1, 2], [2, 39]) },
  { requiredKeys: [] },
);

/** A history and a query about it. */
export const turnHistories: Arbitrary<TurnHistory> = fc.record({
  records: turnRecords,
  gone: fc.array(randomTurn, { maxLength: 4 }),
  query: fc.record({ scope, where: fc.array(randomCondition, { maxLength: 2 }) }),
  order: randomOrder,
  field: countedField,
  by: callFields,
  divided: callOptions,
  called: calledValues,
  everyMs: fc.constantFrom(undefined, 1, 60_000, 86_400_000),
  time: fc.constantFrom(undefined, "started_at", "ended_at", "first_received", "received_at"),
  aheadFrom: fc.option(time.map(microsOf), { nil: undefined }),
  groupOrder: fc.option(
    fc.record({ by: fc.constantFrom(...groupOrderFields), ascending: fc.boolean() }),
    { nil: undefined },
  ),
});

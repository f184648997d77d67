/**
 * @module AdversarialWindows: windows that a naive judge answers in quadratic time. Each takes a
 * size `n` and has a small multiple of `n` events, mostly in one task of one turn, where nothing
 * keeps what belongs together small.
 */
import { artifact, at, contract, delivery, intent, invoice, ledger } from "./text-windows.ts";
import type { Json } from "./verdict-cases.ts";

/** A clock of distinct instants. */
const time = (step: number): string => {
  const seconds = Math.floor(step / 1000);
  const rest = String(step % 1000).padStart(3, "0");
  return new Date(Date.UTC(2026, 10, 21, 9, 0, seconds)).toISOString().replace("000Z", `${rest}Z`);
};

const times = (n: number, make: (i: number) => Json | Json[]): Json[] =>
  Array.from({ length: n }, (_, i) => make(i)).flat();

const numbered = (event: Json, i: number, extra: Json = {}): Json => ({
  ...event,
  event_id: `${String(event["event_kind"])}-${i}`,
  ...extra,
});

const nobody = { task_id: undefined };
const free = { expected_artifact_types: [], required_contracts: [] };
const other = (i: number, version = "1"): Json => ({ ...invoice(version), ref: `invoice-${i}` });
const work = (i: number, extra: Json = {}): Json =>
  at(
    10,
    "application_action",
    {},
    { phase: "result", span_id: "aaaaaaaaaaaaaa01", ...extra, event_id: `work-${i}` },
  );

/** Windows by name, before labels. */
const bare: { readonly [name: string]: (n: number) => Json[] } = {
  "revisions of one ref, each delivered": (n) => [
    intent(),
    work(0),
    ...times(n, (i) => [
      numbered(artifact(), i, { timestamp: time(2 * i), output_refs: [invoice(String(i))] }),
      numbered(delivery(), i, { timestamp: time(2 * i + 1), input_refs: [invoice(String(i))] }),
    ]),
  ],
  "failed attempts without a resource": (n) => [
    intent(),
    ...times(n, (i) => [
      numbered(artifact({ artifact_status: "failed" }), 2 * i, {
        output_refs: [],
        timestamp: time(n + i),
      }),
      numbered(artifact(), 2 * i + 1, { output_refs: [other(i)], timestamp: time(i) }),
    ]),
  ],
  "intents without a type, artifacts of one instant": (n) => [
    ...times(n, (i) => numbered(intent(free), i)),
    ...times(n, (i) => numbered(artifact(), i, { output_refs: [other(i)] })),
  ],
  "intents with sources of their own, artifacts with theirs": (n) => [
    ...times(n, (i) =>
      numbered(intent(free), i, { input_refs: [{ ...ledger, ref: `ledger-${i}` }] }),
    ),
    ...times(n, (i) =>
      numbered(artifact(), i, {
        output_refs: [other(i)],
        input_refs: [{ ...ledger, ref: `ledger-${i}` }],
      }),
    ),
  ],
  "intents for a type that was deleted again and again": (n) => [
    ...times(n, (i) => numbered(intent(), i)),
    ...times(n, (i) =>
      numbered(artifact({ artifact_status: "deleted" }), i, { output_refs: [other(i)] }),
    ),
  ],
  "types that share a ref, deliveries of one instant": (n) => [
    intent(free),
    ...times(n, (i) => numbered(artifact({ artifact_type: `type-${i}` }), i)),
    ...times(n, (i) => numbered(delivery(), i)),
  ],
  "types that share a ref, deliveries of their own instants": (n) => [
    intent(free),
    ...times(n, (i) =>
      numbered(artifact({ artifact_type: `type-${i}` }), i, { timestamp: time(i) }),
    ),
    ...times(n, (i) => numbered(delivery(), i, { timestamp: time(n + i) })),
  ],
  "contracts, and deliveries that name none": (n) => [
    intent(free),
    ...times(n, (i) => numbered(contract({ contract_name: `contract-${i}` }), i)),
    ...times(n, (i) => numbered(delivery({ contract_name: undefined }), i)),
  ],
  "records of one contract at one instant": (n) => [
    intent(free),
    ...times(n, (i) => numbered(contract(), i)),
    ...times(n, (i) => numbered(delivery(), i)),
  ],
  "charges and artifacts": (n) => [
    intent(free),
    ...times(n, (i) => numbered(artifact(), i, { output_refs: [other(i)] })),
    ...times(n, (i) => numbered(at(15, "application_action", { credit_decision: "charged" }), i)),
  ],
  "artifacts of one span with many results": (n) => [
    intent(free),
    ...times(n, (i) => [work(i), numbered(artifact(), i, { output_refs: [other(i)] })]),
  ],
  "versions of one ref from one span with many results": (n) =>
    times(n, (i) => [
      work(i, { input_refs: [{ ...ledger, ref: `ledger-${i}` }] }),
      numbered(artifact(), i, { output_refs: [invoice(String(i))] }),
    ]),
  "versions of one ref from spans of many roots": (n) =>
    times(n, (i) => [
      work(i, { root_trace_id: `root-${i}`, input_refs: [ledger] }),
      numbered(artifact(), i, { root_trace_id: `root-${i}`, output_refs: [invoice(String(i))] }),
    ]),
  "contracts under one span with many calls": (n) => [
    intent(free),
    ...times(n, (i) => [
      at(
        5,
        "model_call",
        { finish_reason: ["stop"] },
        { event_id: `call-${i}`, phase: "result", span_id: "call" },
      ),
      numbered(contract({ contract_name: `contract-${i}` }), i, { parent_span_id: "call" }),
    ]),
  ],
  "contracts after calls of one instant": (n) => [
    intent(free),
    ...times(n, (i) => [
      at(
        5,
        "model_call",
        { finish_reason: ["stop"] },
        { event_id: `call-${i}`, phase: "result", span_id: `call-${i}` },
      ),
      numbered(contract({ contract_name: `contract-${i}` }), i),
    ]),
  ],
  "deliveries of contracts that nobody recorded": (n) => [
    intent(),
    ...times(n, (i) => numbered(delivery({ contract_name: `contract-${i}` }), i)),
  ],
  "tasks with everything, and as much without a label": (n) =>
    times(n, (i) => {
      const task = { task_id: `task-${i}` };
      return [
        numbered(intent(), i, task),
        numbered(artifact(), 2 * i, { ...task, output_refs: [other(i)] }),
        numbered(contract(), 2 * i, task),
        numbered(delivery(), 2 * i, { ...task, input_refs: [other(i)] }),
        numbered(artifact(), 2 * i + 1, { ...nobody, output_refs: [other(i)] }),
        numbered(contract(), 2 * i + 1, nobody),
        numbered(delivery(), 2 * i + 1, { ...nobody, input_refs: [other(i)] }),
      ];
    }),
  "clocks and receipts that contradict each other": (n) => [
    intent(free),
    ...times(n, (i) => [
      numbered(artifact({ artifact_type: `type-${i}` }), i, {
        received_at: "2026-11-21T12:00:00Z",
        output_refs: [invoice("1")],
      }),
      numbered(delivery(), i, { received_at: "2026-11-21T11:00:00Z" }),
    ]),
  ],
  "profiles of many tasks in one turn": (n) =>
    times(n, (i) => [
      numbered(intent({ ...free, coverage_profile: "interactive_response" }), i, {
        task_id: `task-${i}`,
      }),
      numbered(contract(), i, { task_id: `other-${i}` }),
    ]),
  "spans that name each other": (n) =>
    times(n, (i) => work(i, { span_id: `span-${i}`, parent_span_id: `span-${(i + 1) % n}` })),
  "a chain of spans, each caused by the next": (n) =>
    times(n, (i) =>
      work(i, {
        span_id: `span-${i}`,
        caused_by_event_id: `work-${i + 1}`,
        ...(i === 0 ? {} : { parent_span_id: `span-${i - 1}` }),
      }),
    ),
  "points under one span": (n) =>
    times(n, (i) => at(10, "feedback", { rating: 1 }, { event_id: `point-${i}`, span_id: "one" })),
  "copies of one event": (n) => times(n, () => work(0)),
  "one event with ever new contents": (n) => times(n, (i) => work(0, { duration_ms: i })),
};

/** The windows by name. What has no label of its own is of one task. */
export const adversarialWindows: { readonly [name: string]: (n: number) => Json[] } = {
  ...Object.fromEntries(
    Object.entries(bare).map(([name, build]) => [
      name,
      (n: number) => build(n).map((event) => ({ task_id: "task", ...event })),
    ]),
  ),
  "intents and evidence, all without labels": (n) =>
    times(n, (i) => [
      numbered(intent(), i),
      numbered(artifact(), i, { output_refs: [other(i)] }),
      numbered(contract(), i),
      numbered(delivery(), i, { input_refs: [other(i)] }),
    ]),
};

/**
 * @module ReconcileContracts: whether the latest record of each contract is clean and was
 * delivered afterwards (requirements: Reconciliation 2, 3, 7, and replacement of a failed parse).
 */
import type { FindingCode } from "./diagnostics-table.ts";
import type { TurnEvent } from "../event/event.ts";
import { noteUnestablished } from "./reconcile-bench.ts";
import type { Bench, LinkReason, LinkState } from "./reconcile-bench.ts";
import {
  covering,
  isCoverRefused,
  noteCover,
  noteLateIntents,
  noteUnnamed,
} from "./reconcile-delivery.ts";
import { statesOf, statesWithin } from "./reconcile-order.ts";
import type { States } from "./reconcile-order.ts";
import { isTruncated, markerMissing } from "./reconcile-truncation.ts";

interface ContractState extends States {
  readonly name: string | undefined;
  /** Undefined where neither the intent nor the record states it. */
  readonly required: boolean | undefined;
  /** The latest intents that require it. */
  readonly intents: readonly TurnEvent[];
}

/** The record's own statement that it is required; an older record counts where it has none. */
function statedRequired({ latest, older }: States): boolean | undefined {
  const stated = (events: readonly TurnEvent[], value: boolean): boolean =>
    events.some((event) => event.attributes.required === value);
  if (stated(latest, true)) return true;
  if (stated(latest, false)) return false;
  return stated(older, true) ? true : stated(older, false) ? false : undefined;
}

function contractStates(bench: Bench): ContractState[] {
  const { intents, contracts } = bench.scope;
  const requiring = new Map<string | undefined, TurnEvent[]>();
  for (const intent of intents) {
    for (const name of new Set(intent.attributes.required_contracts)) {
      const known = requiring.get(name);
      if (known === undefined) requiring.set(name, [intent]);
      else known.push(intent);
    }
  }
  const byName = new Map<string | undefined, TurnEvent[]>();
  for (const name of requiring.keys()) byName.set(name, []);
  for (const record of contracts) {
    const name = record.attributes.contract_name;
    const records = byName.get(name);
    if (records === undefined) byName.set(name, [record]);
    else records.push(record);
  }
  return [...byName].map(([name, records]) => {
    const states = statesWithin(bench.scope.turn, records);
    const requesting = requiring.get(name);
    return {
      name,
      ...states,
      required: requesting === undefined ? statedRequired(states) : true,
      intents: statesOf(requesting ?? []).latest,
    };
  });
}

/** Judges every contract of the task. */
export function judgeContracts(bench: Bench): void {
  const states = contractStates(bench);
  for (const contract of states) {
    const { name, latest, older } = contract;
    noteUnestablished(bench, contract, isClean);
    const from = bench.notices.length;
    if (latest.length === 0) {
      const evidence = bench.scope.intents;
      bench.notices.push({ code: "contract_missing", subject: name, evidence, absence: true });
    }
    for (const record of latest) judgeRecord(bench, contract, record);
    const clean = bench.notices.length === from;
    if (clean && contract.required !== false) bench.valid = true;
    const reason = bench.notices[from]?.code;
    bench.links.push({ link: "contract", name, ...linkOf(contract, reason), evidence: latest });
    if (older.length > 0) {
      const link = { link: "contract", state: "superseded", reason: "later_state" } as const;
      bench.links.push({ ...link, name, evidence: older });
    }
    if (latest.length > 0 && contract.required !== false) judgeEmission(bench, contract);
  }
  const recorded = new Set(states.map((contract) => contract.name));
  for (const delivery of bench.scope.deliveries) {
    const name = delivery.attributes.contract_name;
    if (name === undefined || recorded.has(name)) continue;
    const code = "contract_unrecorded";
    bench.notices.push({ code, subject: name, evidence: [delivery], absence: true });
  }
}

function isClean(record: TurnEvent): boolean {
  const { parser_status: parser, recovery_used: recovery } = record.attributes;
  return parser === "success" && recovery !== true && !markerMissing(record);
}

function judgeRecord(bench: Bench, contract: ContractState, record: TurnEvent): void {
  const { parser_status: parser, recovery_used: recovery } = record.attributes;
  const note = (code: FindingCode): void => {
    bench.notices.push({ code, subject: contract.name, evidence: [record] });
  };
  if (parser === "failed" || parser === "missing") note("contract_parse_failed");
  if (parser === "failed" && contract.required !== false) bench.bad = true;
  if (parser === undefined || (parser === "success" && record.status === "error")) {
    note("contract_unparsed");
  }
  if (parser === "partial" || markerMissing(record)) note("contract_incomplete");
  if (isTruncated(bench.scope, record)) note("contract_truncated");
  if (recovery === true) note("contract_recovered");
}

function linkOf(
  contract: ContractState,
  reason: FindingCode | undefined,
): { readonly state: LinkState; readonly reason: LinkReason } {
  if (reason === undefined) {
    const optional = contract.required === false;
    return { state: "present", reason: optional ? "contract_optional" : "contract_clean" };
  }
  if (reason === "contract_missing") return { state: "missing", reason };
  if (reason === "contract_parse_failed") return { state: "failed", reason };
  if (reason === "contract_recovered") return { state: "recovered", reason };
  return { state: "unconfirmed", reason };
}

/**
 * A delivery must follow the latest record. Deliveries that name the contract carry it; where none
 * does, those without a contract name may. One of those that comes later may have carried it
 * again, so its refusal counts and its acknowledgement does not.
 */
function judgeEmission(bench: Bench, contract: ContractState): void {
  const { name: subject, latest } = contract;
  const { byContract, withoutContract } = bench.index;
  const naming = subject === undefined ? undefined : byContract.get(subject);
  const candidates = naming ?? withoutContract;
  const cover = covering(bench, candidates, latest);
  noteLateIntents(bench, candidates, contract.intents);
  if (!cover.emitted) {
    const evidence = [...latest, ...candidates.latest.shown];
    if (contract.required === true) {
      const refused = isCoverRefused(candidates, cover);
      const code = "contract_not_emitted";
      const none = bench.scope.deliveries.length === 0;
      const variant = none ? "nothing_delivered" : undefined;
      bench.notices.push({ code, subject, evidence, absence: !refused, variant });
      if (refused) bench.bad = true;
    } else if (bench.scope.deliveries.length > 0) {
      bench.notices.push({ code: "delivery_precedes_evidence", subject, evidence, absence: true });
    }
    return;
  }
  noteCover(bench, candidates, cover);
  if (naming !== undefined) noteUnnamed(bench, naming);
}

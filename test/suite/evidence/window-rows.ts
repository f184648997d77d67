/**
 * @module WindowRows: windows by the text about which window may be judged, whose evidence counts,
 * and which states stand.
 */
import { update, again, model, task, taskWindow } from "./text-rows.ts";
import type { Row } from "./text-rows.ts";
import {
  artifact,
  as,
  at,
  contract,
  delivery,
  intent,
  invoice,
  renamed,
  silentOn,
  success,
  whole,
  without,
} from "./text-windows.ts";

/** The rows. */
export const windowRows: readonly Row[] = [
  { rule: "4 success: all five", events: success(), status: "success", diagnostics: [] },
  {
    rule: "1: a plain list is unverified",
    events: success(),
    metadata: null,
    status: "partial",
    diagnostics: [],
  },
  {
    rule: "1: an untrusted reading",
    events: success(),
    metadata: { ...whole, read_completeness: "untrusted" },
    status: "partial",
  },
  {
    rule: "1: a reading of unknown completeness",
    events: success(),
    metadata: { ...whole, read_completeness: "unknown" },
    status: "partial",
  },
  {
    rule: "8: metadata that says nothing of completeness",
    events: success(),
    metadata: { truncated: false, normalization_errors: 0 },
    status: "partial",
  },
  ...(["truncated", "normalization_errors", "read_completeness"] as const).map((field) => ({
    rule: `8: metadata that is silent on ${field}`,
    events: success(),
    metadata: silentOn(field),
    status: "partial" as const,
  })),
  {
    rule: "8: metadata that says nothing but that the window is complete",
    events: success(),
    metadata: { window_complete: true },
    status: "partial",
  },
  {
    rule: "8: a mark says how far the window was read",
    events: success(),
    metadata: { ...silentOn("read_completeness"), as_of: "2026-11-21T08:10:00Z" },
    status: "success",
  },
  {
    rule: "8: what is no time is no mark",
    events: success(),
    metadata: { ...silentOn("read_completeness"), as_of: "all" },
    status: "partial",
  },
  {
    rule: "4 failed: only where the window is complete",
    events: success({ contract: contract({ parser_status: "failed" }) }),
    metadata: { ...whole, truncated: true },
    status: "partial",
    diagnostics: ["contract_parse_failed"],
  },
  { rule: "4 unknown: nothing at all", events: [], status: "unknown", diagnostics: [] },
  {
    rule: "4 unknown: a turn that only ran",
    events: [model(5, { model: "m" }), at(6, "turn", {}, { phase: "result" })],
    status: "unknown",
    diagnostics: [],
  },
  {
    rule: "4 partial: an intent alone",
    events: [intent()],
    status: "partial",
    diagnostics: ["artifact_missing", "contract_missing"],
  },
  {
    rule: "4 success needs artifact or contract evidence",
    events: [
      intent({ expected_artifact_types: [], required_contracts: [] }, { input_refs: [] }),
      delivery(),
    ],
    status: "partial",
    diagnostics: [],
  },
  {
    rule: "4 success: a contract alone is evidence enough",
    events: [intent({ expected_artifact_types: [] }, { input_refs: [] }), contract(), delivery()],
    status: "success",
    diagnostics: [],
  },
  {
    rule: "4 success: an artifact alone is evidence enough",
    events: success({
      intent: intent({ required_contracts: [] }),
      contract: null,
      delivery: without(delivery(), "contract_name"),
    }),
    status: "success",
    diagnostics: [],
  },
  {
    rule: "2: a deleted artifact does not satisfy",
    events: [
      ...success(),
      update({ artifact_status: "deleted" }, { output_refs: [invoice("1")] }),
      again({}, { input_refs: [invoice("1")] }),
    ],
    status: "partial",
    diagnostics: ["artifact_missing"],
  },
  {
    rule: "2: a failed update does not satisfy",
    events: [...success(), update({ artifact_status: "failed", persistence_verified: false })],
    status: "failed",
    diagnostics: ["artifact_persistence_unverified"],
  },
  {
    rule: "2, 3: an update that was delivered again",
    events: [...success(), update(), again()],
    status: "success",
    diagnostics: [],
  },
  {
    rule: "3: an older acknowledgement cannot verify a newer revision",
    events: [...success(), update()],
    status: "partial",
    diagnostics: [],
  },
  {
    rule: "3: the newer delivery still names the older version",
    events: [...success(), update(), again({}, { input_refs: [invoice("1")] })],
    status: "partial",
    diagnostics: [],
  },
  {
    rule: "3: a delivery that names both versions names the right one",
    events: [...success(), update(), again({}, { input_refs: [invoice("1"), invoice("2")] })],
    status: "success",
    diagnostics: [],
  },
  {
    rule: "3: at or after, so in the same instant",
    events: success({
      intent: intent({ required_contracts: [] }),
      contract: null,
      delivery: without(delivery({}, { timestamp: "2026-11-21T08:00:20Z" }), "contract_name"),
    }),
    status: "success",
    diagnostics: [],
  },
  {
    rule: "3: a nanosecond too early",
    events: success({
      intent: intent({ required_contracts: [] }),
      contract: null,
      artifact: artifact({}, { timestamp: "2026-11-21T08:00:40.000000001Z" }),
      delivery: without(delivery(), "contract_name"),
    }),
    status: "partial",
    diagnostics: [],
  },
  {
    rule: "transitions: a replacement parse without a fresh delivery",
    events: [
      ...success({ contract: contract({ parser_status: "failed" }) }),
      contract({}, { event_id: "reparse", timestamp: "2026-11-21T08:00:45Z" }),
    ],
    status: "partial",
    diagnostics: ["contract_not_emitted"],
  },
  {
    rule: "transitions: a replacement parse with a fresh delivery",
    events: [
      ...success({ contract: contract({ parser_status: "failed" }) }),
      contract({}, { event_id: "reparse", timestamp: "2026-11-21T08:00:45Z" }),
      again({}, { input_refs: [invoice("1")] }),
    ],
    status: "success",
    diagnostics: [],
  },
  {
    rule: "2: a later failed parse unmakes an earlier clean one",
    events: [
      ...success(),
      contract(
        { parser_status: "failed" },
        { event_id: "reparse", timestamp: "2026-11-21T08:00:45Z" },
      ),
      again({}, { input_refs: [invoice("1")] }),
    ],
    status: "failed",
    diagnostics: ["contract_parse_failed"],
  },
  {
    rule: "4: ties that would change the verdict resolve against it",
    events: [...success(), contract({ parser_status: "failed" }, { event_id: "tied" })],
    status: "failed",
    diagnostics: ["contract_parse_failed"],
  },
  {
    rule: "4: an intent without a turn never succeeds",
    events: success().map((event) => without(event, "turn_id")),
    status: "partial",
    diagnostics: [],
  },
  {
    rule: "4: an intent without an agent never succeeds",
    events: success().map((event) => without(event, "agent_id")),
    status: "partial",
    diagnostics: [],
  },
  {
    rule: "4: NULL equals NULL, so the anonymous scope can succeed",
    events: as(success(), { user_id: null }),
    status: "success",
    diagnostics: [],
  },
  {
    rule: "4: an unattributed delivery is not an anonymous one",
    events: as(success(), { user_id: null }).map((event) =>
      event["event_kind"] === "delivery" ? without(event, "user_id") : event,
    ),
    status: "partial",
  },
  {
    rule: "4: run and memory are no part of the tuple",
    events: success({ delivery: delivery({}, { run_id: "other", memory_id: "other" }) }),
    status: "success",
    diagnostics: [],
  },
  {
    rule: "5: two tasks, both good",
    events: [...taskWindow("a"), ...taskWindow("b")],
    status: "success",
    diagnostics: [],
  },
  {
    rule: "5: with a task, the other may have failed",
    events: [...taskWindow("a"), ...taskWindow("b", { artifact: null })],
    taskId: "a",
    status: "success",
    diagnostics: [],
  },
  {
    rule: "5: without a task, every intent",
    events: [...taskWindow("a"), ...taskWindow("b", { artifact: null })],
    status: "partial",
    diagnostics: ["artifact_missing"],
  },
  {
    rule: "5: a task that nobody knows",
    events: taskWindow("a"),
    taskId: "z",
    status: "unknown",
    diagnostics: [],
  },
  {
    rule: "5: unlabelled evidence serves one labelled intent",
    events: success({ intent: intent({}, task("a")) }),
    status: "success",
    diagnostics: [],
  },
  {
    rule: "5: the same, asked for by its task",
    events: success({ intent: intent({}, task("a")) }),
    taskId: "a",
    status: "success",
    diagnostics: [],
  },
  {
    rule: "5: unlabelled evidence serves nobody where two intents could have it",
    events: [
      ...success({ intent: intent({}, task("a")) }),
      intent({}, { ...task("b"), event_id: "intent-b" }),
    ],
    status: "partial",
    diagnostics: ["artifact_missing", "contract_missing"],
  },
  {
    rule: "6: evidence of another task is not used",
    events: success({ artifact: artifact({}, task("z")) }),
    status: "partial",
    // The action carries no label, so it is the intent's and no producer of the other task.
    diagnostics: ["artifact_missing", "artifact_producer_missing"],
  },
  {
    rule: "5: two turns of one root are judged for themselves",
    events: [...success(), ...renamed(as(success(), { turn_id: "round-2" }), "2")],
    status: "success",
    diagnostics: [],
  },
  {
    rule: "5: one turn's delivery does nothing for the other",
    events: [
      ...success(),
      ...renamed(as(success({ delivery: null }), { turn_id: "round-2" }), "2"),
    ],
    status: "partial",
    diagnostics: ["contract_not_emitted"],
  },
];

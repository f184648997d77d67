/**
 * @module ContractRows: windows by the text about contracts: recovery, markers, limits, emission
 * and what is required.
 */
import { again, model, task, taskWindow } from "./text-rows.ts";
import type { Row } from "./text-rows.ts";
import { contract, delivery, intent, invoice, success } from "./text-windows.ts";
import type { Json } from "./verdict-cases.ts";

/** Two contracts, each delivered by name, and between the two deliveries another one. */
const retold = (between: Json): Json[] => [
  ...success(),
  contract({ contract_name: "totals" }, { event_id: "totals" }),
  delivery(between, { event_id: "between", timestamp: "2026-11-21T08:00:45Z", input_refs: [] }),
  again({ contract_name: "totals" }, { input_refs: [invoice("1")] }),
];

/** The rows. */
export const contractRows: readonly Row[] = [
  {
    rule: "7: recovery is partial",
    events: success({ contract: contract({ recovery_used: true }) }),
    status: "partial",
    diagnostics: ["contract_recovered"],
  },
  {
    rule: "7: an opening marker is missing",
    events: success({ contract: contract({ opening_marker_found: false }) }),
    status: "partial",
    diagnostics: ["contract_incomplete"],
  },
  {
    rule: "7: the parser read a part",
    events: success({ contract: contract({ parser_status: "partial" }) }),
    status: "partial",
    diagnostics: ["contract_incomplete"],
  },
  {
    rule: "7: nothing was there to parse",
    events: success({ contract: contract({ parser_status: "missing" }) }),
    status: ["partial", "failed"],
    diagnostics: ["contract_parse_failed"],
  },
  {
    rule: "7: not emitted",
    events: success({ delivery: delivery({ emitted: false, acknowledged: null }) }),
    status: "failed",
    diagnostics: ["contract_not_emitted"],
  },
  {
    rule: "7: emitted, and nobody knows whether it arrived",
    events: success({ delivery: delivery({ acknowledged: null }) }),
    status: "partial",
    diagnostics: ["delivery_unconfirmed"],
  },
  {
    rule: "7: emitted and denied",
    events: success({ delivery: delivery({ acknowledged: false }) }),
    status: "failed",
    diagnostics: ["delivery_unconfirmed"],
  },
  {
    rule: "4: a contract that says that nobody requires it needs no delivery",
    events: success({
      intent: intent({ required_contracts: [] }),
      contract: contract({ required: false }, { timestamp: "2026-11-21T08:00:55Z" }),
    }),
    status: "success",
    diagnostics: [],
  },
  {
    rule: "3: a delivery follows the parsing of the contract that it carries",
    events: success({
      intent: intent({ required_contracts: [] }),
      contract: contract({}, { timestamp: "2026-11-21T08:00:55Z" }),
    }),
    status: "partial",
    diagnostics: [],
  },
  {
    rule: "4: a record may call itself required",
    events: success({
      intent: intent({ required_contracts: [] }),
      contract: contract({ required: true }, { timestamp: "2026-11-21T08:00:55Z" }),
    }),
    status: "partial",
    diagnostics: ["contract_not_emitted"],
  },
  {
    rule: "4: the producer of the text ended by length",
    events: [
      ...success(),
      model(25, { model: "m", finish_reason: ["length"] }, { span_id: "bbbbbbbbbbbbbb25" }),
    ],
    status: "partial",
    diagnostics: ["contract_truncated"],
  },
  {
    rule: "4: an earlier call ended by length, and a later one gave the text",
    events: [
      ...success(),
      model(15, { model: "m", finish_reason: ["length"] }),
      model(25, { model: "m", finish_reason: ["stop"] }),
    ],
    status: "success",
    diagnostics: [],
  },
  {
    rule: "4: a call after the record cannot have given its text",
    events: [
      ...success(),
      model(25, { model: "m", finish_reason: ["stop"] }),
      model(35, { model: "m", finish_reason: ["length"] }),
    ],
    status: "success",
    diagnostics: [],
  },
  {
    rule: "4: the record's own parent is the call that gave the text",
    events: [
      ...success({ contract: contract({}, { parent_span_id: "bbbbbbbbbbbbbb15" }) }),
      model(15, { model: "m", finish_reason: ["length"] }),
      model(25, { model: "m", finish_reason: ["stop"] }),
    ],
    status: "partial",
    diagnostics: ["contract_truncated"],
  },
  {
    rule: "4: a call of another task gave another text",
    events: [...taskWindow("a"), model(25, { model: "m", finish_reason: ["length"] }, task("z"))],
    status: "success",
    diagnostics: [],
  },
  {
    rule: "4: the limit was met and both markers are there",
    events: [
      ...success({ contract: contract({ output_limit: 2200 }) }),
      model(25, { model: "m", finish_reason: ["stop"], response_chars: 2200 }),
    ],
    status: "success",
    diagnostics: [],
  },
  {
    rule: "4: the limit was met and the closing marker is missing",
    events: [
      ...success({ contract: contract({ output_limit: 2200, closing_marker_found: false }) }),
      model(25, { model: "m", finish_reason: ["stop"], response_chars: 2200 }),
    ],
    status: "partial",
    diagnostics: ["contract_incomplete", "contract_truncated"],
  },
  {
    rule: "2: a later refusal that names no contract may be of a contract that was delivered by name",
    events: retold({ contract_name: undefined, emitted: false }),
    status: ["partial", "failed"],
  },
  {
    rule: "2: a later delivery without a name that nobody acknowledged is the latest result, too",
    events: retold({ contract_name: undefined, acknowledged: undefined }),
    status: ["partial", "failed"],
  },
  {
    rule: "2: a later delivery without a name that arrived spoils nothing",
    events: retold({ contract_name: undefined }),
    status: "success",
    diagnostics: [],
  },
  {
    rule: "2: a later delivery without a name repairs no refusal by name",
    events: [
      ...success({ delivery: delivery({ acknowledged: false }) }),
      again({ contract_name: undefined }, { input_refs: [invoice("1")] }),
    ],
    status: "failed",
  },
];

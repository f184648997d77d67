/**
 * @module HonestStatement: a statement as the collector signs it, over events of a golden window.
 */
import { readFileSync } from "node:fs";

import { judgeRules, reconcileOutcome } from "@turnproof/evidence";
import type { TurnEvent, WindowMetadata } from "@turnproof/evidence";

import { evidenceDigest } from "../../../collector/src/judge/statement.ts";
import type { Statement } from "../../../collector/src/judge/statement.ts";

const golden = new URL("../../golden/windows/completeness.json", import.meta.url);
const parsed = JSON.parse(readFileSync(golden, "utf8")) as {
  events: TurnEvent[];
  normalization_metadata: WindowMetadata;
};

/** The events that the statement is over. */
export const { events } = parsed;

const window = { ...parsed.normalization_metadata, as_of: "2026-10-05T09:00:00.000000Z" };
const verdict = reconcileOutcome(events, { normalizationMetadata: window });

/** Their verdicts. */
export const honestStatement: Statement = {
  v: 2,
  iss: "turnproof:test",
  iat: 1_791_187_200,
  identity: {
    agent_id: "clerk",
    root_trace_id: "0af7651916cd43dd8448eb211c80319c",
    user_id: "ann",
    scope: "operator",
  },
  task_id: null,
  status: verdict.status,
  findings: [...new Set(verdict.findings.map(({ code }) => code))].toSorted(),
  as_of: window.as_of,
  event_count: events.length,
  digest: evidenceDigest(events),
  judge: { version: "0.1.0", rules: judgeRules },
  trusted: null,
  bounds: { events_max: 200_000, bounded: false },
  window,
};

/**
 * @module SlowOrCostly: tools or models whose calls of a window are slower, costlier or fail more
 * than those of the window before, or of the same window a week earlier.
 */
import { isoTime } from "@turnproof/semconv";
import { z } from "zod";

import { addCost } from "../cost/call-cost.ts";
import type { Cost } from "../cost/call-cost.ts";
import { amountText, callsText, unpricedCalls } from "../pages/cost/cost-texts.ts";
import type { CostModel } from "../pages/cost/route.ts";
import type { ToolsModel } from "../pages/tools/route.ts";
import { durationText, shareText } from "../ui/display/figures.ts";
import { readTime } from "../ui/display/time-range.ts";
import { AnswerText, value } from "./answer-text.ts";
import { Refused } from "./requester.ts";
import type { Requester, RequestParameters } from "./requester.ts";
import { aTime, anAgent, timeForms, tool } from "./tool.ts";
import type { Tool } from "./tool.ts";

/** Which tool or model got slow or costly? */
export const slowOrCostly: Tool = tool({
  name: "which_tool_or_model_got_slow_or_costly",
  title: "Which tool or model got slow or costly?",
  description:
    "Calls, failures, p95 and, of models, cost per call: a window against the one before it, or " +
    "against the same one a week earlier. Largest change of p95 first.",
  input: {
    kind: z.enum(["tool", "model"]).optional().describe("Which calls; default tool."),
    hours: z.number().min(0.1).max(744).optional().describe("Length of a window; default 24."),
    until: aTime.optional().describe(`End of the window, default now: ${timeForms}.`),
    against: z.enum(["before", "last_week"]).optional().describe("Default before."),
    agent_id: anAgent,
    min_calls: z.int().min(1).optional().describe("Fewest calls of either window; default 5."),
  },
  async answer(request, input) {
    const { kind = "tool", hours = 24, against = "before", agent_id, min_calls: least = 5 } = input;
    const end = readTime(input.until ?? "-0s", Date.now());
    if (end === undefined) {
      throw new Refused("parameter_invalid", "A parameter has an invalid value.", "until");
    }
    const endMs = Date.parse(end);
    const sizeMs = hours * 3_600_000;
    const back = against === "before" ? sizeMs : 7 * 86_400_000;
    const [now, then] = [windowTo(endMs, sizeMs), windowTo(endMs - back, sizeMs)];
    const [{ named: after, groups }, { named: before, groups: earlier }] = await Promise.all([
      readCalls(request, kind, { ...now, agent_id }),
      readCalls(request, kind, { ...then, agent_id }),
    ]);
    const rows = [...after].flatMap(([name, row]) => {
      const old = before.get(name);
      return old === undefined || Math.min(row.calls, old.calls) < least
        ? []
        : [{ name, row, old, times: ratio(row.p95_ms, old.p95_ms) }];
    });
    rows.sort((a, b) => (b.times ?? 0) - (a.times ?? 0));
    const text = new AnswerText().add(
      `${kind} calls that ended ${now.start_time} to ${now.end_time}, against ${then.start_time} to ${then.end_time}`,
    );
    for (const { name, row, old, times } of rows) text.add(changeLine(kind, name, old, row, times));
    const fresh = [...after.keys()].filter((name) => !before.has(name)).map((name) => value(name));
    if (fresh.length > 0) {
      const where =
        earlier === before.size
          ? "only in the later window"
          : "only in the later window, or among the less called ones of the earlier, which are not read";
      text.add(`${where}: ${fresh.slice(0, 10).join(" ")}`);
    }
    if (groups > after.size) {
      text.add(`the ${after.size} most called of ${groups} in the later window are read`);
    }
    const few = after.size - rows.length - fresh.length;
    if (few > 0) text.add(`${few} with fewer than ${least} calls in a window are not compared`);
    if (rows.length === 0) text.add("Nothing is in both windows often enough to compare.");
    const shown = { ...now, agent_id };
    return text.end(`page: ${request.link("/tools", { ...shown, kind })}`);
  },
});

/** The most called ones of a window. */
interface WindowCalls {
  readonly named: ReadonlyMap<string | null, NamedCalls>;
  /** How many there are. */
  readonly groups: number;
}

interface NamedCalls {
  readonly calls: number;
  readonly failed: number;
  readonly p95_ms: number | null;
  /** Cost of a call with a price, and how many have none; "unknown" where none has one. */
  readonly cost: string;
}

function windowTo(endMs: number, sizeMs: number): { start_time: string; end_time: string } {
  return { start_time: isoTime(endMs - sizeMs), end_time: isoTime(endMs) };
}

async function readCalls(
  request: Requester,
  kind: "tool" | "model",
  filter: RequestParameters,
): Promise<WindowCalls> {
  const [{ items, groups }, costs] = await Promise.all([
    request.json<ToolsModel>("/tools.json", { ...filter, kind }),
    kind === "model"
      ? request.json<CostModel>("/cost.json", { ...filter, by: "model" })
      : undefined,
  ]);
  // A model has a row for each of its providers.
  const costsOf = new Map<string | null, Cost>();
  for (const row of costs?.items ?? []) {
    const known = costsOf.get(row.value);
    costsOf.set(row.value, known === undefined ? row : addCost(known, row));
  }
  const named = items.map(({ value: name, calls, outcomes, p95_ms }) => {
    const failed = (outcomes["error"] ?? 0) + (outcomes["provider_error"] ?? 0);
    const cost = costsOf.get(name);
    const each = (cost === undefined ? undefined : perCall(cost)) ?? "unknown";
    return [name, { calls, failed, p95_ms, cost: each }] as const;
  });
  return { named: new Map(named), groups };
}

/** A call of which a part of the tokens is not recorded has a range of prices. */
function perCall(row: Cost): string | undefined {
  const { low_usd: low, high_usd: high, priced_calls, ranged_calls } = row;
  if (low === null || high === null) return undefined;
  const calls = priced_calls + ranged_calls;
  const mean = amountText({ ...row, low_usd: low / calls, high_usd: high / calls });
  const without = unpricedCalls(row);
  return without === 0 ? mean : `${mean} (${callsText(without)} without a price)`;
}

function ratio(after: number | null, before: number | null): number | undefined {
  return after === null || before === null || before === 0 ? undefined : after / before;
}

function changeLine(
  kind: "tool" | "model",
  name: string | null,
  old: NamedCalls,
  row: NamedCalls,
  times: number | undefined,
): string {
  const took = (ms: number | null): string => (ms === null ? "unknown" : durationText(ms));
  const parts = [
    `${value(name)}: p95 ${took(old.p95_ms)} -> ${took(row.p95_ms)}` +
      (times === undefined ? "" : ` (x${times.toFixed(2)})`),
    `failed ${shareText(old.failed, old.calls)} -> ${shareText(row.failed, row.calls)}`,
    `calls ${old.calls} -> ${row.calls}`,
  ];
  if (kind === "model") {
    parts.push(`cost per call ${old.cost} -> ${row.cost}`);
  }
  return parts.join(", ");
}

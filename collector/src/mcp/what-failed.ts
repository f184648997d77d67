/** @module WhatFailed: the turns that did not succeed since a time, counted and listed. */
import { verdictStatuses } from "@turnproof/semconv";
import { z } from "zod";

import type { FacetsModel } from "../pages/turns/facets.ts";
import type { TurnsModel } from "../pages/turns/route.ts";
import { countText } from "../ui/display/figures.ts";
import { isRelative, relativeTexts } from "../ui/display/time-range.ts";
import { AnswerText, value } from "./answer-text.ts";
import { failedTurns } from "./failed-turns.ts";
import type { FailedPage } from "./failed-turns.ts";
import { pageWithin } from "./page-within.ts";
import { aTime, anAgent, anId, timeForms, tool, walkParameters } from "./tool.ts";
import type { RequestParameters } from "./requester.ts";
import type { Tool } from "./tool.ts";

/** What failed since …? */
export const whatFailed: Tool = tool({
  name: "what_failed_since",
  title: "What failed since …?",
  description:
    "Turns that did not succeed since a time: exact counts by verdict, finding, agent, tool, model " +
    "and release, then the turns: failed, partial, unknown with an error inside, other unknown, " +
    "newest first in each, with a cursor for more.",
  input: {
    since: aTime.describe(`Turns that ended at or after this time: ${timeForms}.`),
    until: aTime.optional().describe(`Turns that ended before this time: ${timeForms}.`),
    agent_id: anAgent,
    verdict: z
      .enum([...verdictStatuses, "not_success"])
      .optional()
      .describe("Default `not_success`: failed, partial and unknown."),
    finding: anId.optional().describe("Only turns with this finding, by its code."),
    q: z.string().max(800).optional().describe("Further terms such as `tool:search release:2.1`."),
    limit: z.int().min(1).max(50).optional().describe("Turns of one page; default 10."),
    ...walkParameters,
  },
  async answer(request, input, budget) {
    const { since, until, agent_id, verdict = "not_success", finding, q, limit, cursor } = input;
    const not = verdict === "not_success";
    const terms = [not ? "-verdict:success -verdict:unjudged" : "", q ?? ""].join(" ").trim();
    const filter = {
      start_time: since,
      end_time: until,
      agent_id,
      finding,
      verdict: not ? undefined : verdict,
      q: terms === "" ? undefined : terms,
    };
    const count = (of: RequestParameters): Promise<FacetsModel> | undefined =>
      cursor === undefined ? request.json<FacetsModel>("/traces/facets.json", of) : undefined;
    // A turn without a verdict may have failed; it has no finding yet.
    const waiting = { ...filter, verdict: "unjudged", finding: undefined, q };
    const [facets, unjudged] = await Promise.all([count(filter), count(waiting)]);
    return pageWithin({
      budget,
      limit: limit ?? 10,
      read: (size) =>
        failedTurns(
          request,
          { ...filter, q },
          { limit: size, verdict: not ? undefined : verdict, cursor },
        ),
      sizes: ({ items }) => items.map(() => 1),
      write: (page) => {
        const text = new AnswerText();
        if (facets !== undefined) addCounts(text, facets, since);
        if ((unjudged?.turns ?? 0) > 0) {
          text.add(`${countText(unjudged?.turns ?? 0)} more are not judged yet and not counted`);
        }
        for (const row of page.items) text.row(rowText(row));
        if (page.items.length === 0) {
          text.add(cursor === undefined ? "No turn passes." : "No further turn passes.");
        }
        return text.end(
          page.pending_frames === 0
            ? undefined
            : `${countText(page.pending_frames)} received batches are not readable yet and not counted`,
          ...restOf(page, facets?.turns),
          `page: ${request.link("/traces", filter)}`,
        );
      },
    });
  },
});

/** How to get the turns that are not on the page. */
function restOf({ items, next_cursor: next }: FailedPage, turns?: number): readonly string[] {
  if (next === null) return [];
  const left = turns === undefined ? 0 : turns - items.length;
  return [
    ...(left > 0 ? [`${countText(left)} more: call again with the cursor, or name a verdict`] : []),
    `cursor: ${next}`,
  ];
}

function rowText(row: TurnsModel["items"][number]): string {
  const codes = row.finding_codes ?? [];
  const tools = row.tools.error + row.tools.provider_error;
  return (
    `${row.ended_at.slice(0, 19)}Z ${row.verdict ?? "unjudged"} root ${value(row.root_trace_id)} ` +
    `agent ${value(row.agent_id)}: ${codes.map(value).join(" ") || "no finding"}` +
    (tools > 0 ? `, ${tools} failed tool calls` : "")
  );
}

/** Severity, the worst first. */
const verdictOrder = ["failed", "partial", "unknown", "success"];
const countedKeys = ["finding", "agent", "tool", "model", "release"];

function addCounts(text: AnswerText, { turns, facets }: FacetsModel, since: string): void {
  const from = isRelative(since) ? relativeTexts(since) : value(since);
  const verdicts = facets.find(({ key }) => key === "verdict")?.values ?? [];
  const counts = verdictOrder.flatMap((verdict) => {
    const found = verdicts.find(({ value: is }) => is === verdict);
    return found === undefined ? [] : [`${verdict} ${countText(found.count)}`];
  });
  text.always(
    `${countText(turns)} turns since ${from}`,
    counts.length === 0 ? undefined : `by verdict: ${counts.join(", ")}`,
  );
  for (const { key, values, total } of facets) {
    if (!countedKeys.includes(key) || values.length === 0) continue;
    const shown = values.slice(0, 6).map(({ value: is, count }) => `${value(is)} ${count}`);
    const more = total > 6 ? `, ${total - 6} more` : "";
    text.add(`by ${key}: ${shown.join(", ")}${more}`);
  }
}

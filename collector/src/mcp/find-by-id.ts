/** @module FindById: the roots that mention an opaque id. */
import { z } from "zod";

import type { FoundRoot } from "../pages/find/found-roots.ts";
import type { FindModel } from "../pages/find/route.ts";
import { countedText } from "../ui/display/figures.ts";
import { placeNames } from "../ui/display/find-texts.ts";
import { AnswerText, evidence, value } from "./answer-text.ts";
import { pageWithin } from "./page-within.ts";
import { anAgent, anId, tool, walkParameters } from "./tool.ts";
import type { Tool } from "./tool.ts";

/** Where is this id mentioned? */
export const findById: Tool = tool({
  name: "find_by_id",
  title: "Find by id",
  description:
    "Roots that mention an opaque id, over the whole history: user, thread, root, run, turn, task, " +
    "job, source, artifact, event, span or error id. Lists the places that were not searched.",
  input: {
    id: anId.describe("The id."),
    agent_id: anAgent,
    limit: z.int().min(1).max(200).optional().describe("Events of one page; default 100."),
    ...walkParameters,
  },
  async answer(request, { id, agent_id, limit = 100, cursor }, budget) {
    const query = { id, agent_id };
    return pageWithin({
      budget,
      limit,
      read: (size) =>
        request.json<FindModel>("/traces/find.json", { ...query, limit: size, cursor }),
      // The limit counts events, and a root may have several.
      sizes: ({ items }) => items.map(({ event_count: events }) => events),
      write: (model) => {
        const text = new AnswerText();
        // A root can have more events with the id on another page.
        const isPart = cursor !== undefined || model.next_cursor !== null;
        for (const row of model.items) text.row(rowText(row, isPart));
        if (model.items.length === 0) text.add(`Nothing in your scope mentions ${value(id)}.`);
        text.add(...model.places.filter(({ reach }) => reach !== "whole").map(placeText));
        if (model.pending_frames > 0) {
          text.add("Received batches are not readable yet; call again.");
        }
        return text.end(
          model.next_cursor === null ? undefined : `cursor: ${model.next_cursor}`,
          `page: ${request.link("/traces/find", query)}`,
        );
      },
    });
  },
});

/** A place that was not searched whole. No parameter of this tool names a tenant. */
function placeText({ place, reach, message }: FindModel["places"][number]): string {
  return reach === "tenant_not_named"
    ? `${placeNames[place]}: not searched. Its rows are kept apart by tenant; the linked page takes one.`
    : message;
}

function rowText(row: FoundRoot, isPart: boolean): string {
  const verdicts = (row.verdicts ?? []).map(({ verdict }) => verdict ?? "unjudged");
  return (
    `root ${value(row.root_trace_id)} agent ${value(row.agent_id)} ${row.last_at.slice(0, 19)}Z: ` +
    `${[...new Set(verdicts)].join(", ") || "not judged yet"}, in ${row.matched_by.join(", ")}, ` +
    `${countedText(row.event_count, "event")}${isPart ? " on this page" : ""}` +
    evidence(row.event_ids, row.event_count, 2)
  );
}

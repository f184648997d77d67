/**
 * @module `turnproof find`: the incident finder on the command line.
 */
import type { Command } from "commander";

import { leftOut } from "../ui/display/find-texts.ts";
import type { FoundRoot } from "../pages/find/found-roots.ts";
import type { FindModel } from "../pages/find/route.ts";
import { createClient } from "./client.ts";
import { withClient } from "./command.ts";
import type { SharedFlags } from "./command.ts";
import { attempt } from "./failure.ts";
import { exitCodes, printJson, printTable, printable, write } from "./terminal.ts";

interface FindFlags extends SharedFlags {
  readonly agent?: string;
  readonly thread?: string;
  readonly user?: string;
  readonly anonymous?: boolean;
  readonly since?: string;
  readonly until?: string;
  readonly limit?: string;
}

/** Most pages that one call follows. */
const pagesMax = 50;

/** Adds the command. */
export function addFindCommand(program: Command): void {
  withClient(program.command("find"))
    .argument("<id>", "a user, thread, root, run, turn, job, source, artifact, event or error id")
    .description("find the roots that mention an opaque id, over the whole history")
    .option("--agent <id>", "only this agent")
    .option("--thread <id>", "only this thread")
    .option("--user <id>", "only this tenant, with the rows of its memory")
    .option("--anonymous", "only what belongs to no tenant, with the rows of its memory")
    .option("--since <time>", "child events at or after this time (ISO 8601)")
    .option("--until <time>", "child events before this time (ISO 8601)")
    .option("--limit <events>", "events per page, 1 to 1,000")
    .addHelpText(
      "after",
      `
Exit code 0 when something was found, 1 when nothing was. The places that were searched, and those
that were not with the reason, are on stderr and under \`places\`: rows of memory are kept apart by tenant, so they
are only searched with --user or --anonymous.

  turnproof find thread-42
  turnproof find order-981 --since 2026-11-01 --json |
    jq '.items[].root_trace_id'`,
    )
    .action((id: string, flags: FindFlags) => attempt(flags, () => find(id, flags)));
}

async function find(id: string, flags: FindFlags): Promise<void> {
  const client = createClient(flags);
  const items: FoundRoot[] = [];
  let cursor: string | null = null;
  let places: FindModel["places"] = [];
  let pending = 0;
  let complete = true;
  for (let page = 0; page < pagesMax; page += 1) {
    const model: FindModel = await client.json<FindModel>("/traces/find.json", {
      id,
      agent_id: flags.agent,
      thread_id: flags.thread,
      user_id: flags.user,
      scope: flags.anonymous === true ? "anonymous" : undefined,
      start_time: flags.since,
      end_time: flags.until,
      limit: flags.limit,
      cursor: cursor ?? undefined,
    });
    items.push(...model.items);
    cursor = model.next_cursor;
    places = joined(places, model.places);
    pending = model.pending_frames;
    complete = cursor === null && pending === 0 && !places.some(({ reach }) => leftOut(reach));
    if (cursor === null) break;
  }
  if (flags.json === true) printJson({ items, complete, pending_frames: pending, places });
  else {
    printTable(
      ["LAST", "ROOT", "AGENT", "THREAD", "EVENTS", "FOUND IN", ""],
      items.map((row) => [
        row.last_at.slice(0, 19),
        printable(row.root_trace_id),
        printable(row.agent_id ?? "?"),
        printable(row.thread_id ?? "?"),
        String(row.event_count),
        row.matched_by.join(" "),
        row.has_error ? "error" : "",
      ]),
      "Nothing mentions this id.",
    );
    for (const { message } of places) write(message);
    if (pending > 0)
      write(`${pending} received batches are not readable yet; run the command again.`);
  }
  process.exitCode = items.length > 0 ? exitCodes.ok : exitCodes.failed;
}

/**
 * Merges two pages of one search: places searched on the earlier page stay searched, all else is
 * the later page's.
 */
function joined(before: FindModel["places"], now: FindModel["places"]): FindModel["places"] {
  return now.map((place) => {
    const known = before.find((one) => one.place === place.place);
    return place.reach === "earlier" && known !== undefined ? known : place;
  });
}

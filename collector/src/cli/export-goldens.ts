/**
 * @module ExportGoldens: golden trajectories of chosen turns: kinds, names, outcomes and keyed
 * fingerprints of their calls, in a file of contracts.
 */
import { goldensOf } from "@turnproof/contracts";
import type { Golden } from "@turnproof/contracts";
import { stringify } from "yaml";

import { collectorWindows } from "./check-windows.ts";
import { createClient } from "./client.ts";
import type { FilterFlags, SharedFlags } from "./command.ts";
import { exitCodes, fail, printJson, write } from "./terminal.ts";
import { termsOfOption } from "./unclear-terms.ts";

/** Writes them to stdout, as YAML or with `--json` as JSON. */
export async function exportGoldens(
  flags: SharedFlags & FilterFlags & { readonly limit: string; readonly filter?: string },
): Promise<void> {
  const limit = Number(flags.limit);
  if (!Number.isInteger(limit) || limit < 1) {
    fail("--limit is from 1.", exitCodes.usage);
    return;
  }
  const { kind, status, tool, filter, ...filters } = flags;
  const q = filter === undefined ? undefined : termsOfOption("--filter", filter);
  if (filter !== undefined && q === undefined) return;
  const terms = { event_kind: kind, status, tool_name: tool, q };
  const goldens: Golden[] = [];
  const taken = new Set<string>();
  let left = 0;
  let truncated = false;
  for await (const { window, more } of collectorWindows(
    createClient(flags),
    { ...filters, terms },
    limit,
  )) {
    const found = goldensOf(window.events, window.metadata, taken);
    goldens.push(...found.goldens);
    left += found.left_out;
    truncated = more;
  }
  const file = { version: 1, goldens };
  if (flags.json === true) printJson(file);
  else process.stdout.write(stringify(file));
  if (truncated) write(`More turns match; these are the newest ${limit}.`);
  const noun = goldens.length === 1 ? "trajectory" : "trajectories";
  const none = left === 0 ? "" : `; ${left} ${left === 1 ? "turn" : "turns"} gave none`;
  write(`${goldens.length} golden ${noun}${none}.`);
  if (left > 0) process.exitCode = exitCodes.partial;
  else if (goldens.length === 0) process.exitCode = exitCodes.unknown;
}

/** @module Command: the options that all commands share. */
import type { Command } from "commander";

import { configDefaults } from "../config/config-defaults.ts";
import type { ClientFlags } from "./client.ts";

/** Flags of commands that query a running collector. */
export interface SharedFlags extends ClientFlags {
  readonly json?: boolean;
}

/** Adds `--json`. */
export function withJson(command: Command): Command {
  return command.option("--json", "print JSON instead of a table");
}

/** Adds `--url`, `--token` and `--json`. */
export function withClient(command: Command): Command {
  return withJson(command)
    .option(
      "--url <url>",
      `address of the collector (default TURNPROOF_URL, else ${configDefaults.URL})`,
    )
    .option(
      "--token <token>",
      "token to authenticate with (default TURNPROOF_TOKEN, else the operator token)",
    );
}

/** Adds the filters of a listing. */
export function withFilters(command: Command): Command {
  return command
    .option("--agent <id>", "only this agent")
    .option("--thread <id>", "only this thread")
    .option("--user <id>", "only this tenant")
    .option("--root <id>", "only this root trace")
    .option("--kind <kind>", "only this kind of event, by its current or former name")
    .option("--status <status>", "only this status")
    .option("--tool <name>", "only this tool");
}

/** The filters as {@link withFilters} names them. */
export interface FilterFlags {
  readonly agent?: string;
  readonly thread?: string;
  readonly user?: string;
  readonly root?: string;
  readonly turn?: string;
  readonly kind?: string;
  readonly status?: string;
  readonly tool?: string;
  readonly since?: string;
  readonly until?: string;
}

/** The filters under the collector's parameter names. */
export function filterParameters(flags: FilterFlags): Record<string, string | undefined> {
  return {
    agent_id: flags.agent,
    thread_id: flags.thread,
    user_id: flags.user,
    root_trace_id: flags.root,
    turn_id: flags.turn,
    event_kind: flags.kind,
    status: flags.status,
    tool_name: flags.tool,
    start_time: flags.since,
    end_time: flags.until,
  };
}

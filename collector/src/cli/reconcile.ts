/**
 * @module `turnproof reconcile`: the strict verdict as an exit code, so that a pipeline can stop on
 * it.
 */
import { writeFile } from "node:fs/promises";

import type { Command } from "commander";
import pc from "picocolors";
import { reconcileOutcome } from "@turnproof/evidence";
import type { Verdict } from "@turnproof/evidence";

import type { ReconcileModel } from "../pages/reconcile/route.ts";
import { createClient } from "./client.ts";
import type { Parameters } from "./client.ts";
import { withClient } from "./command.ts";
import type { SharedFlags } from "./command.ts";
import { readEventFile } from "./event-file.ts";
import { attempt } from "./failure.ts";
import { exitCodes, fail, printJson, printTable, printable } from "./terminal.ts";

interface ReconcileFlags extends SharedFlags {
  readonly agent?: string;
  readonly root?: string;
  readonly thread?: string;
  readonly turn?: string;
  readonly task?: string;
  readonly events?: string;
  readonly jws?: string;
}

const verdictCodes: { readonly [K in Verdict["status"]]: number } = {
  success: exitCodes.ok,
  failed: exitCodes.failed,
  partial: exitCodes.partial,
  unknown: exitCodes.unknown,
};

/** Adds the command. */
export function addReconcileCommand(program: Command): void {
  withClient(program.command("reconcile"))
    .description("judge a root, or events from a file; the exit code is the verdict")
    .option("--agent <id>", "agent of the root")
    .option("--root <id>", "root trace to judge")
    .option("--thread <id>", "only this thread of it")
    .option("--turn <id>", "only this turn of it")
    .option("--task <id>", "judge this task alone")
    .option("--events <file>", "judge these events instead: a page, a list, or one per line")
    .option("--jws <file>", "also write the signed statement")
    .addHelpText(
      "after",
      `
Exit codes: 0 success, 1 failed, 3 partial, 4 unknown or no collector, 2 wrong arguments.

As a gate after a job:
  turnproof reconcile --agent writer --root "$TRACE_ID" \\
    --task "$JOB_ID" || exit 1

A file of events without its metadata is unverified, and at best partial.`,
    )
    .action((flags: ReconcileFlags) =>
      attempt({ ...flags, refusedCode: exitCodes.unknown }, () => reconcile(flags)),
    );
}

async function reconcile(flags: ReconcileFlags): Promise<void> {
  const verdict = flags.events === undefined ? await requested(flags) : await fromFile(flags);
  if (verdict === undefined) return;
  if (flags.json === true) printJson(verdict);
  else show(verdict);
  process.exitCode = verdictCodes[verdict.status];
}

async function requested(flags: ReconcileFlags): Promise<Verdict | undefined> {
  if (flags.agent === undefined || flags.root === undefined) {
    fail("Give --agent and --root, or --events FILE.", exitCodes.usage);
    return undefined;
  }
  const client = createClient(flags);
  const parameters: Parameters = {
    agent_id: flags.agent,
    root_trace_id: flags.root,
    thread_id: flags.thread,
    turn_id: flags.turn,
    task_id: flags.task,
  };
  if (flags.jws !== undefined) {
    await writeFile(flags.jws, await client.text("/traces/reconcile.jws", parameters));
  }
  return client.json<ReconcileModel>("/traces/reconcile.json", parameters);
}

async function fromFile(flags: ReconcileFlags): Promise<Verdict> {
  const read = await readEventFile(flags.events ?? "");
  return reconcileOutcome(read.events, {
    ...(flags.task === undefined ? {} : { taskId: flags.task }),
    ...(read.metadata === undefined ? {} : { normalizationMetadata: read.metadata }),
  });
}

function show(verdict: Verdict): void {
  const paint = { success: pc.green, failed: pc.red, partial: pc.yellow, unknown: pc.dim };
  process.stdout.write(`${paint[verdict.status](verdict.status)}  ${printable(verdict.why)}\n`);
  if (verdict.findings.length === 0) return;
  printTable(
    ["P", "FINDING", "WHAT", "EVIDENCE"],
    verdict.findings.map((finding) => [
      `P${finding.priority}`,
      finding.code,
      printable(finding.title),
      `${finding.evidence_count}${finding.confidence === "low" ? " (low confidence)" : ""}`,
    ]),
  );
}

/**
 * @module McpServer: the MCP server over one caller's reads. Every tool only reads; a refusal
 * is the tool's answer, with its code.
 */
import { McpServer } from "@modelcontextprotocol/server";
import type { CallToolResult } from "@modelcontextprotocol/server";

import { version } from "../version.ts";
import { tokensAtMost } from "./answer-text.ts";
import { Refused } from "./requester.ts";
import type { Requester } from "./requester.ts";
import { checkContract } from "./check-contract.ts";
import { compareReleases, compareTurns } from "./compare-turns.ts";
import { findById } from "./find-by-id.ts";
import { instrument } from "./instrument.ts";
import { lostTelemetry } from "./lost-telemetry.ts";
import { slowOrCostly } from "./slow-or-costly.ts";
import { budgetDefault } from "./tool.ts";
import type { Tool } from "./tool.ts";
import { whatFailed } from "./what-failed.ts";
import { whyFailed } from "./why-failed.ts";

/** Every tool, most used first. */
export const tools: readonly Tool[] = [
  whyFailed,
  whatFailed,
  compareTurns,
  compareReleases,
  slowOrCostly,
  lostTelemetry,
  findById,
  checkContract,
  instrument,
];

const instructions =
  "Evidence of AI agents' turns: metadata and verdicts, never prompts or answers. Unknown means " +
  "not recorded, never zero. Start with why_did_this_turn_fail for an id, or what_failed_since.";

/** A server for one caller. */
export function createMcpServer(request: Requester): McpServer {
  const server = new McpServer(
    { name: "turnproof", title: "Turnproof", version },
    { instructions, capabilities: { tools: {} } },
  );
  for (const { name, title, description, input, answer } of tools) {
    const annotations = { readOnlyHint: true, idempotentHint: true, openWorldHint: false };
    server.registerTool(
      name,
      { title, description, inputSchema: input, annotations },
      async (given): Promise<CallToolResult> => {
        const { budget = budgetDefault, ...parameters } = given as { readonly budget?: number };
        return answered(input, async () => {
          const text = await answer(request, parameters as never, budget);
          return text.within(budget);
        });
      },
    );
  }
  return server;
}

async function answered(
  input: Tool["input"],
  make: () => Promise<string>,
): Promise<CallToolResult> {
  try {
    const text = await make();
    return { content: [{ type: "text", text }], _meta: { tokens_at_most: tokensAtMost(text) } };
  } catch (error) {
    // Another error's message could hold anything.
    const text =
      error instanceof Refused
        ? `${error.code}: ${error.message}${parameterText(input, error.field)}`
        : "internal_error: The question could not be answered.";
    return { content: [{ type: "text", text }], isError: true };
  }
}

/** The tool's own names of parameters that the collector names otherwise. */
const ownNames: Readonly<Record<string, string>> = { start_time: "since", end_time: "until" };

/** The tool's parameter that a refusal concerns, and what it takes. */
function parameterText({ shape }: Tool["input"], field: string | undefined): string {
  const name = field === undefined ? undefined : (ownNames[field] ?? field);
  const schema = name === undefined ? undefined : shape[name];
  if (name === undefined || schema === undefined) return "";
  const { description = "" } = schema as { readonly description?: string };
  return ` Parameter ${name}: ${description}`;
}

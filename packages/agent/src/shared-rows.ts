/**
 * @module SharedRows: the newest rows of a shared kind that a turn reads, within a bound. Reaching
 * the bound is reported in the turn's supply and recorded.
 */
import type { SharedKind } from "@turnproof/semconv";
import type { SharedRecord } from "@turnproof/store";

import type { AgentParts } from "./parts.ts";
import type { TurnState } from "./turn-state.ts";

const rowsMax = 1_000;
/** Bound where each row costs a call: an embedding of a model, or a connection. */
const costlyRowsMax = 100;
const embedded: readonly SharedKind[] = ["skill", "shared_memory"];

/** The newest rows of a kind, newest first. */
export async function sharedRows(
  { memory }: AgentParts,
  { turn, sharedLimits }: TurnState,
  kind: SharedKind,
): Promise<readonly SharedRecord[]> {
  const costly = kind === "tool_server" || (embedded.includes(kind) && !memory.lexical);
  const limit = costly ? costlyRowsMax : rowsMax;
  const { rows, bounded } = await memory.shared.of(kind).newest(limit, turn);
  if (bounded) sharedLimits.add("memory_search_bounded");
  return rows;
}

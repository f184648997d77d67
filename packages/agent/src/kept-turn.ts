/** @module KeptTurn: what memory keeps of a turn: its messages, cut or whole, and its tools. */
import { CodedError } from "@turnproof/semconv";

import type { AgentParts } from "./parts.ts";
import type { TurnState } from "./turn-state.ts";

/** The answer is returned even when it could not be stored. */
export async function keepConversation(
  parts: AgentParts,
  state: TurnState,
  answer: string,
): Promise<void> {
  const { turnId } = state.traceContext.identity;
  try {
    const messages = [
      { role: "user" as const, text: state.query, turnId },
      { role: "assistant" as const, text: answer, turnId },
    ];
    await parts.memory.conversation.append(state.place, messages, () => {
      state.written.conversation += 1;
    });
  } catch (error) {
    state.written.error = CodedError.is(error) ? error.code : "write_failed";
  }
}

/** Outcome of a tool that was aborted while it ran. */
const cutOutcome = "unknown";

/**
 * Stores the question of a turn that ended without an answer, the text so far and the tools that
 * had run or were running, so that the next turn has them. The caller receives the original
 * failure, so a store that refuses this is reported in `persisted` only.
 */
export async function keepCutTurn(
  parts: AgentParts,
  state: TurnState,
  status: "error" | "cancelled",
): Promise<void> {
  if (state.written.conversation > 0) return;
  const { turnId } = state.traceContext.identity;
  const tools = [
    ...state.called.map(({ toolName: name, outcome }) => ({ name, outcome })),
    ...[...state.running].map(({ toolName: name }) => ({ name, outcome: cutOutcome })),
  ];
  const cut = { turnId, cut: { status, tools } };
  const { text } = state.streamed;
  try {
    const messages = [
      { role: "user" as const, text: state.query, ...cut },
      ...(text === "" ? [] : [{ role: "assistant" as const, text, ...cut }]),
    ];
    await parts.memory.conversation.append(state.place, messages, () => {
      state.written.conversation += 1;
    });
  } catch (error) {
    state.written.error = CodedError.is(error) ? error.code : "write_failed";
  }
}

/** Records the order of the tools for learning. */
export async function learn(parts: AgentParts, state: TurnState): Promise<void> {
  if (parts.options.learning === false || state.written.error !== undefined) return;
  try {
    await parts.memory.learning.observe(
      state.place,
      state.called.map(({ toolName }) => toolName),
    );
  } catch (error) {
    // Failed learning does not affect the answer, except in strict mode.
    if (parts.options.strict === true) throw error;
    state.written.error = CodedError.is(error) ? error.code : "write_failed";
  }
}

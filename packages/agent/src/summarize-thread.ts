/**
 * @module SummarizeThread: once a thread is long enough, the model summarizes it, with the ids of
 * the messages covered. This is one more model call of the turn, recorded like any other.
 */
import type { AgentParts } from "./parts.ts";
import { modelStep } from "./model-step.ts";
import type { TokenUsage } from "./run-result.ts";
import type { TurnState } from "./turn-state.ts";

const instructions =
  "Summarize the conversation below in a few sentences: what was asked, decided and left open. " +
  "Write only what it says.";
const messagesRead = 200;
const everyMin = 4;

/**
 * Writes a summary of the thread when one is due; returns its token usage. The answer has been
 * returned already, so a failure is visible only in the evidence of its call.
 */
export async function summarizeThread(
  parts: AgentParts,
  state: TurnState,
  iterations: number,
): Promise<TokenUsage | undefined> {
  const every = parts.options.summarize?.everyMessages;
  if (every === undefined || state.written.error !== undefined) return undefined;
  try {
    const { conversation, summaries } = parts.memory;
    const last = await summaries.latest(state.place);
    const covered = new Set(last?.sourceIds);
    const bounds = { messagesMax: messagesRead, charsMax: 100_000 };
    const all = await conversation.history(state.place, bounds);
    const open = all.filter(({ id }) => !covered.has(id));
    if (open.length < Math.max(everyMin, every)) return undefined;
    const transcript = open.map(({ role, text }) => `${role}: ${text}`).join("\n");
    const before = last === undefined ? "" : `Summary so far: ${last.text}\n\n`;
    const answer = await modelStep({
      model: parts.model,
      turn: state.turn,
      call: {
        ...parts.options.settings,
        prompt: [
          { role: "system", content: instructions },
          { role: "user", content: [{ type: "text", text: `${before}${transcript}` }] },
        ],
      },
      iteration: iterations + 1,
      retriesMax: 0,
      signal: state.signal,
    });
    if (answer.text === "") return answer.usage;
    // This summary replaces the last one and includes its sources, whether or not they were read
    // again.
    const sourceIds = [...covered, ...open.map(({ id }) => id)];
    await summaries.write(state.place, { text: answer.text, sourceIds });
    state.written.summaries += 1;
    return answer.usage;
  } catch {
    return undefined;
  }
}

/** @module A route that asks the scripted model, within a turn of its caller. */
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText } from "ai";
//#region telemetry
import { withTurn } from "@turnproof/instrumentation";
import { after } from "next/server";

/** Answers a prompt with the length of the model's text; the turn is sent after the answer. */
export async function POST(request) {
  after(() => globalThis.flushTurns());
  const { prompt, threadId } = await request.json();
  const turn = { agentId: "desk", threadId, userId: "user-next" };
  const text = await withTurn(turn, () => answer(prompt));
  return Response.json({ length: text.length });
}
//#endregion

async function answer(prompt) {
  const scripted = createOpenAICompatible({ name: "scripted", baseURL: process.env.MODEL_URL });
  const model = scripted.chatModel("scripted-model");
  const { text } = await generateText({ model, prompt, maxRetries: 0 });
  return text;
}

/**
 * @module A web app that answers with the AI SDK, and the lines that take its turns to `success`:
 * those of its regions `success`. It is started with
 * `--import @turnproof/exporter/register/auto`.
 */
import { randomUUID } from "node:crypto";

import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { serve } from "@hono/node-server";
import { generateText } from "ai";
import { Hono } from "hono";
import { stream } from "hono/streaming";
import type { StreamingApi } from "hono/utils/stream";
//#region success
import { OpenTelemetry } from "@ai-sdk/otel";
import { withTurn } from "@turnproof/instrumentation";
//#endregion

const waitMs = 1_000;
const baseURL = process.env["MODEL_URL"] ?? "http://127.0.0.1:11434/v1";
const model = createOpenAICompatible({ name: "scripted", baseURL }).chatModel("scripted-model");
const app = new Hono();
const waiting = new Map<string, (seen: true) => void>();

/** Sends the answer and waits for the page's report that it shows it; null without a report. */
async function show(text: string, out: StreamingApi): Promise<true | null> {
  const id = randomUUID();
  const seen = new Promise<true | null>((resolve) => {
    waiting.set(id, resolve);
    setTimeout(() => resolve(null), waitMs);
  });
  await out.writeln(JSON.stringify({ id, text }));
  return seen.finally(() => waiting.delete(id));
}

async function answer(threadId: string, prompt: string, out: StreamingApi): Promise<void> {
  const who = { agentId: "desk", userId: "user_1", threadId };
  //#region success
  await withTurn(who, async (turn) => {
    await turn.recorder().recordIntent("answer", { coverageProfile: "interactive_response" });
    //#endregion
    const { text } = await generateText({
      model,
      prompt,
      maxRetries: 0,
      //#region success
      telemetry: { integrations: [new OpenTelemetry()] },
      //#endregion
    });
    //#region success
    const seen = { parserStatus: text === "" ? "failed" : "success", recoveryUsed: false } as const;
    await turn.recorder().contract("text", { required: true, unmarked: true }).record(seen);
    //#endregion
    const acknowledged = await show(text, out);
    //#region success
    await turn.recorder().recordDelivery("page", { emitted: true, acknowledged });
  });
  //#endregion
}

app.post("/ask/:thread", async (request) => {
  const prompt = await request.req.text();
  return stream(request, (out) => answer(request.req.param("thread"), prompt, out));
});
app.post("/seen/:id", (request) => {
  waiting.get(request.req.param("id"))?.(true);
  return request.body(null, 204);
});

serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) => {
  console.log(`listening on ${port}`);
});

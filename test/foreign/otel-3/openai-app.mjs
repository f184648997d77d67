/** @module Two calls of a model, one with a stream, and one that its provider refuses. */
import OpenAI from "openai";

/** Plays them, each within what is given. */
export async function play(within) {
  const client = new OpenAI({ baseURL: process.env.MODEL_URL, apiKey: "none", maxRetries: 0 });
  const complete = (content, more) =>
    client.chat.completions.create({
      model: "scripted-model",
      messages: [{ role: "user", content }],
      ...more,
    });
  await within(() => complete("CANARY-prompt"));
  await within(async () => {
    const more = { stream: true, stream_options: { include_usage: true } };
    for await (const part of await complete("CANARY-prompt", more)) void part;
  });
  await within(() => complete("CANARY-prompt FAIL")).catch(() => undefined);
}

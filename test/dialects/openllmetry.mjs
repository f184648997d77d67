/** @module OpenLLMetry (Traceloop): decorators around the OpenAI client. */
import * as traceloop from "@traceloop/node-server-sdk";
import OpenAI from "openai";

import { recording, writeFixture } from "./record.mjs";
import { scriptedServer } from "./scripted-server.mjs";

const server = await scriptedServer();
traceloop.initialize({
  appName: "support-desk",
  baseUrl: server.url,
  apiKey: "none",
  disableBatch: true,
  exporter: recording,
  traceloopSyncEnabled: false,
  silenceInitializationMessage: true,
  instrumentModules: { openAI: OpenAI },
});
const client = new OpenAI({ baseURL: server.url, apiKey: "none", maxRetries: 0 });
const messages = [{ role: "user", content: "CANARY-prompt" }];
const chat = (extra = {}) => client.chat.completions.create({ model: "scripted-model", messages, ...extra });
const tools = [
  { type: "function", function: { name: "lookup_weather", description: "CANARY", parameters: { type: "object" } } },
];
await traceloop.withAssociationProperties(
  { user_id: "user-tl", session_id: "thread-tl" },
  async () =>
    traceloop.withWorkflow({ name: "answer", inputParameters: ["CANARY-input"] }, async () =>
      traceloop.withAgent({ name: "helper", inputParameters: ["CANARY-input"] }, async () => {
        await chat({ tools });
        await traceloop.withTool({ name: "weather", inputParameters: ["CANARY-input"] }, async () => "CANARY-output");
        await traceloop
          .withTool({ name: "broken" }, async () => {
            throw new RangeError("CANARY-tool-error");
          })
          .catch(() => undefined);
        await traceloop.withTask({ name: "rank" }, async () => "CANARY-output");
        const stream = await chat({ stream: true });
        for await (const part of stream) void part;
        return chat();
      }),
    ),
);
await chat({ messages: [{ role: "user", content: "FAIL" }] }).catch(() => undefined);
await traceloop.forceFlush();
writeFixture("openllmetry", ["@traceloop/node-server-sdk", "openai"]);
server.close();
process.exit(0);

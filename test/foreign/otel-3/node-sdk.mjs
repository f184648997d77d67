/** @module The SDK of the 3.x line with our processor beside it. */
import { withTurn } from "@turnproof/instrumentation";

//#region telemetry
import { NodeSDK } from "@opentelemetry/sdk-node";
import { OpenAIInstrumentation } from "@opentelemetry/instrumentation-openai";
import { register as hook } from "node:module";
import { register } from "@turnproof/exporter/register";
hook("@opentelemetry/instrumentation/hook.mjs", import.meta.url);
const turnproof = register({ provider: false });
const sdk = new NodeSDK({
  serviceName: "node-sdk-3",
  spanProcessors: [turnproof.processor],
  instrumentations: [new OpenAIInstrumentation()],
});
sdk.start();
//#endregion

const { play } = await import("./openai-app.mjs");
const turn = { agentId: "desk", threadId: "thread-3", userId: "user-3" };
await play((work) => withTurn(turn, work));
await sdk.shutdown();
await turnproof.shutdown();

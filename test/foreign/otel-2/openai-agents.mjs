/** @module The OpenAI Agents SDK as OpenInference reports it. */
//#region telemetry
import { OpenAIAgentsInstrumentation } from "@arizeai/openinference-instrumentation-openai-agents";
import * as agents from "@openai/agents";
import { start } from "./telemetry.mjs";
const sdk = start("openai-agents");
new OpenAIAgentsInstrumentation().manuallyInstrument(agents);
//#endregion

const { playOpenAiAgents } = await import("./openai-agents-app.mjs");
await playOpenAiAgents();
await sdk.shutdown();

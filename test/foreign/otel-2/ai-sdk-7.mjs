/** @module Version 7 of the Vercel AI SDK with its own telemetry switched on. */
import * as provider from "@ai-sdk/openai-compatible-7";
import * as ai from "ai-7";

import { play } from "./ai-sdk-app.mjs";

//#region telemetry
import { OpenTelemetry } from "@ai-sdk/otel";
import { registerTelemetry } from "ai-7";
import { start } from "./telemetry.mjs";
const sdk = start("ai-sdk-7");
registerTelemetry(new OpenTelemetry({ usage: true, runtimeContext: true }));
const telemetry = (functionId) => ({
  runtimeContext: { userId: "user-ai", sessionId: "thread-ai" },
  telemetry: { functionId, includeRuntimeContext: { userId: true, sessionId: true } },
});
//#endregion

await play(ai, provider, telemetry);
await sdk.shutdown();

/** @module Version 6 of the Vercel AI SDK with its own telemetry switched on. */
import * as provider from "@ai-sdk/openai-compatible-6";
import * as ai from "ai-6";

import { play } from "./ai-sdk-app.mjs";

//#region telemetry
import { start } from "./telemetry.mjs";
const sdk = start("ai-sdk-6");
const metadata = { userId: "user-ai", sessionId: "thread-ai" };
const telemetry = (functionId) => ({
  experimental_telemetry: { isEnabled: true, functionId, metadata },
});
//#endregion

await play(ai, provider, telemetry);
await sdk.shutdown();

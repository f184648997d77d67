/** @module LangChain as OpenInference reports it. */
//#region telemetry
import { LangChainInstrumentation } from "@arizeai/openinference-instrumentation-langchain";
import * as callbacks from "@langchain/core/callbacks/manager";
import { start } from "./telemetry.mjs";
const sdk = start("langchain-openinference");
new LangChainInstrumentation().manuallyInstrument(callbacks);
//#endregion

const { playLangChain } = await import("./langchain-app.mjs");
await playLangChain();
await sdk.shutdown();

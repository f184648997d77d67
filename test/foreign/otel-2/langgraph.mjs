/** @module LangGraph as OpenInference reports it. */
//#region telemetry
import { LangChainInstrumentation } from "@arizeai/openinference-instrumentation-langchain";
import * as callbacks from "@langchain/core/callbacks/manager";
import { start } from "./telemetry.mjs";
const sdk = start("langgraph");
new LangChainInstrumentation().manuallyInstrument(callbacks);
//#endregion

const { playLangGraph } = await import("./langgraph-app.mjs");
await playLangGraph();
await sdk.shutdown();

/** @module An MCP client and server as OpenLLMetry reports them, below an agent of the AI SDK. */
//#region telemetry
import { OpenTelemetry } from "@ai-sdk/otel";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { McpInstrumentation } from "@traceloop/instrumentation-mcp";
import { registerTelemetry } from "ai-7";
import { start } from "./telemetry.mjs";
const instrumentation = new McpInstrumentation();
const sdk = start("mcp", [instrumentation]);
instrumentation.manuallyInstrument({ Client, Server });
registerTelemetry(new OpenTelemetry({ usage: true }));
//#endregion

const { playMcp } = await import("./mcp-app.mjs");
await playMcp();
await sdk.shutdown();

/** @module The SDK of the 2.x line with our processor beside it. */
import { withTurn } from "@turnproof/instrumentation";

//#region telemetry
import { NodeSDK } from "@opentelemetry/sdk-node";
import { register } from "@turnproof/exporter/register";
const turnproof = register({ provider: false });
const sdk = new NodeSDK({ serviceName: "node-sdk-2", spanProcessors: [turnproof.processor] });
sdk.start();
//#endregion

const { default: desk } = await import("./desk-app.cjs");
const turn = { agentId: "desk", threadId: "thread-2", userId: "user-2" };
await withTurn(turn, () => desk.answer("CANARY-prompt"));
await withTurn(turn, () => desk.answer("CANARY-prompt FAIL")).catch(() => undefined);
await sdk.shutdown();
await turnproof.shutdown();

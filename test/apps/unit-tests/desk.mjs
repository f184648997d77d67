/** @module Desk: an agent's turn and its contract, as an application's unit test has them. */
import { context, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { defineContract } from "@turnproof/contracts";
import { expectTurn } from "@turnproof/contracts/expect";
import { MemoryExporter } from "@turnproof/exporter";
import { withTurn } from "@turnproof/instrumentation";

const exporter = new MemoryExporter();
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
trace.setGlobalTracerProvider(
  new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }),
);

const refund = defineContract({
  name: "refund-once",
  expect: [
    { clause: "ended" },
    { clause: "order", tool: "find_order", before: { tool: "refund" } },
    { clause: "calls", tool: "refund", at_most: 1 },
  ],
});

/** Runs a turn that calls these tools, and expects it to satisfy the contract. */
export async function expectTools(...tools) {
  exporter.reset();
  await withTurn({ agentId: "desk", userId: "user_1", threadId: "t1" }, async (turn) => {
    for (const name of tools) {
      await turn.toolCall({ name }, (call) => call.result({ outcome: "success" }));
    }
  });
  expectTurn(exporter).toSatisfy(refund);
}

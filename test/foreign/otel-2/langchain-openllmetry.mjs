/**
 * @module LangChain as OpenLLMetry reports it: a span for each runnable, side by side and none
 * around them, so an application puts a span of its own around the request.
 */
//#region telemetry
import * as callbacks from "@langchain/core/callbacks/manager";
import { SpanStatusCode, trace } from "@opentelemetry/api";
import { LangChainInstrumentation } from "@traceloop/instrumentation-langchain";
import { start } from "./telemetry.mjs";
const instrumentation = new LangChainInstrumentation({ traceContent: false });
const sdk = start("langchain-openllmetry", [instrumentation]);
instrumentation.manuallyInstrument({ callbackManagerModule: callbacks });
const turn = (work) =>
  trace.getTracer("app").startActiveSpan("request", async (span) => {
    span.setAttributes({ "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "helper" });
    const failed = (error) => {
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    };
    return work()
      .catch(failed)
      .finally(() => span.end());
  });
//#endregion

const { playLangChain } = await import("./langchain-app.mjs");
await playLangChain(turn);
await sdk.shutdown();

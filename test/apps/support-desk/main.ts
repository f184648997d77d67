/**
 * @module Runs the desk once: `OTEL_EXPORTER_OTLP_ENDPOINT` sets where its telemetry goes, and
 * `MODEL_BASE_URL` where its model is (a scripted one is started when it is not set).
 */
import { startScriptedModel } from "../../servers/openai-compatible.ts";
import { openDesk } from "./desk.ts";
import { startTelemetry } from "./telemetry.ts";
import { tickets } from "./tickets.ts";

/** Answers every ticket; returns how many failed, as some must. */
export async function runDesk(endpoint: string, modelURL?: string): Promise<number> {
  await using model = modelURL === undefined ? await startScriptedModel() : undefined;
  const stop = startTelemetry("support-desk", endpoint);
  const desk = openDesk(modelURL ?? model?.baseURL ?? "");
  const results = [];
  for (const ticket of tickets) {
    results.push(
      await desk.answer(ticket).then(
        () => true,
        () => false,
      ),
    );
  }
  await stop();
  return results.filter((answered) => !answered).length;
}

if (import.meta.main) {
  const endpoint = process.env["OTEL_EXPORTER_OTLP_ENDPOINT"] ?? "http://127.0.0.1:4318";
  const failed = await runDesk(endpoint, process.env["MODEL_BASE_URL"]);
  console.log(`support-desk: ${tickets.length} tickets, ${failed} failed as planned`);
}

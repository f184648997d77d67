/**
 * @module Spans of traces that are too big to be looked at whole, and what a page costs that shows
 * them.
 */
import type { TurnEvent } from "@turnproof/evidence";
import type { Page } from "playwright-core";

/** One span of a trace: the turn itself is number 0. */
export function bigSpan(root: string, index: number, parent: number | undefined): TurnEvent {
  const startMs = Date.parse("2026-11-21T12:00:00.000Z") + index * 3;
  return {
    schema_version: 3,
    event_id: `${root[0]}-${index}:result`,
    event_kind: index === 0 ? "turn" : index % 3 === 0 ? "tool_call" : "model_call",
    operation: index === 0 ? "invoke_agent big" : "chat",
    phase: "result",
    status: index % 97 === 5 ? "error" : "success",
    timestamp: new Date(startMs + 40).toISOString(),
    started_at: new Date(startMs).toISOString(),
    duration_ms: 40,
    span_id: `${root[0]}-${index}`,
    ...(parent === undefined ? {} : { parent_span_id: `${root[0]}-${parent}` }),
    application_id: "bench",
    agent_id: "big",
    user_id: "usr_big",
    thread_id: "thr_big",
    run_id: "run_big",
    turn_id: "turn_big",
    root_trace_id: root,
    dialect: "gen_ai",
    attributes: index % 3 === 0 ? { tool_name: "search" } : { model: "atlas-2", input_tokens: 12 },
  };
}

/**
 * Starts counting what the thread of a page does. The result is how many milliseconds of a
 * processor it took so far, so that a busy machine does not decide.
 */
export async function threadMs(page: Page): Promise<() => Promise<number>> {
  const tools = await page.context().newCDPSession(page);
  await tools.send("Performance.enable", { timeDomain: "threadTicks" });
  return async () => {
    const { metrics } = await tools.send("Performance.getMetrics");
    return (metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0) * 1_000;
  };
}

/** What scrolling a virtual list costs a frame, and the most rows it had in the document. */
export async function scrollCost(
  page: Page,
  busyMs: () => Promise<number>,
  { scroller, row, frames }: { scroller: string; row: string; frames: number },
): Promise<{ frameMs: number; most: number }> {
  const before = await busyMs();
  const most = await page.evaluate(
    async (wanted) => {
      const scroll = document.querySelector(wanted.scroller)!;
      let rows = 0;
      for (let frame = 0; frame < wanted.frames; frame += 1) {
        scroll.scrollTop += 120;
        if (scroll.scrollTop + scroll.clientHeight >= scroll.scrollHeight) scroll.scrollTop = 0;
        await new Promise(requestAnimationFrame);
        rows = Math.max(rows, document.querySelectorAll(wanted.row).length);
      }
      return rows;
    },
    { scroller, row, frames },
  );
  return { frameMs: ((await busyMs()) - before) / frames, most };
}

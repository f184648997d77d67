/**
 * @module PlainTurn: turns of an app that emits GenAI conventions and nothing of ours, and the
 * ways in which its user ends with nothing.
 */
import type { PlainAttributes, PlainSpan } from "../../otlp/encode.ts";
import { StoryClock } from "../briefing/story-clock.ts";
import type { Dice } from "../week/dice.ts";

/** What becomes of the last call of the model. */
export const plainPlots = ["rate_limited", "cut", "withheld", "empty"] as const;
export type PlainPlot = (typeof plainPlots)[number];

const endings: { readonly [P in PlainPlot]: PlainAttributes } = {
  rate_limited: { "error.type": "429" },
  cut: {
    "gen_ai.response.finish_reasons": ["length"],
    "gen_ai.usage.input_tokens": 80,
    "gen_ai.usage.output_tokens": 4_096,
  },
  withheld: {
    "gen_ai.response.finish_reasons": ["content_filter"],
    "gen_ai.usage.input_tokens": 80,
    "gen_ai.usage.output_tokens": 0,
  },
  empty: {
    "gen_ai.response.finish_reasons": ["stop"],
    "gen_ai.usage.input_tokens": 80,
    "gen_ai.usage.output_tokens": 0,
  },
};

/** The spans of one turn, the outermost first. */
export function plainTurn(
  dice: Dice,
  scene: { readonly thread: string; readonly plot: PlainPlot; readonly atMs: number },
): PlainSpan[] {
  const clock = new StoryClock(scene.atMs);
  const traceId = `a${dice.hex(31)}`;
  const spanId = (): string => `${dice.between(0, 9)}${dice.hex(14)}f`;
  const failed = scene.plot === "rate_limited" ? { status: { code: 2 } } : {};
  const [request, turn, call] = [spanId(), spanId(), spanId()];
  const begun = clock.nano;
  clock.pass(dice.around(300));
  const place = (own: string, parentSpanId?: string): Omit<PlainSpan, "name"> => ({
    traceId,
    spanId: own,
    ...(parentSpanId === undefined ? {} : { parentSpanId }),
    startTimeUnixNano: begun,
    endTimeUnixNano: clock.nano,
    ...failed,
  });
  return [
    {
      ...place(request),
      name: "POST /ask",
      kind: 2,
      attributes: { "http.request.method": "POST" },
    },
    {
      ...place(turn, request),
      name: "invoke_agent Finch",
      attributes: {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": "Finch",
        "gen_ai.agent.id": dice.id("asst"),
        "gen_ai.conversation.id": scene.thread,
      },
    },
    {
      ...place(call, turn),
      name: "chat wren-plain",
      kind: 3,
      attributes: {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "wren-plain",
        "gen_ai.provider.name": "nest",
        ...endings[scene.plot],
      },
    },
  ];
}

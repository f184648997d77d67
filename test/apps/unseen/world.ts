/**
 * @module World: a shop made by chance from a seed, with its truth
 * written down while it happens: who got nothing and why, what a release changed, which service
 * lost how much. Sent by our instrumentation, by plain GenAI spans, and past the SDK.
 */
import { Turn } from "@turnproof/instrumentation";
import { attribute } from "@turnproof/semconv";

import type { PlainAttributes, PlainSpan } from "../../otlp/encode.ts";
import { StoryClock, outside } from "../briefing/story-clock.ts";
import { sendSpans } from "../briefing/story.ts";
import { diceOf } from "../week/dice.ts";
import type { Dice } from "../week/dice.ts";
import { Producer } from "../week/producer.ts";
import { deliveredPlots, handOver } from "./hand-over.ts";
import type { DeliveredPlot } from "./hand-over.ts";
import { plainPlots, plainTurn } from "./plain-turn.ts";
import type { PlainPlot } from "./plain-turn.ts";

/** Why a customer got nothing; `fine` is the noise around it. */
export type Plot = DeliveredPlot | PlainPlot;

/** One release of the shop. */
interface Release {
  readonly version: string;
  readonly model: string;
  readonly producer: Producer;
}

/** What a turn was, as it happened. */
export interface Reported {
  readonly service: string;
  readonly thread: string;
  readonly root: string;
  readonly tokens: number;
}

/** What is true of the world. */
export interface World {
  /** Every turn that was sent of the shop and of its plain app, by root. */
  readonly turns: ReadonlyMap<string, Plot | "fine">;
  /** The one thread of each plot in which a customer got nothing. */
  readonly nothing: ReadonlyMap<Plot, Reported>;
  readonly release: {
    readonly thread: string;
    readonly before: Reported & { readonly version: string; readonly model: string };
    readonly after: Reported & { readonly version: string; readonly model: string };
    readonly addedTools: readonly string[];
  };
  /** Lost events by service: a number, or null where it is unknown. */
  readonly losses: ReadonlyMap<string, number | null>;
}

/** Makes the world of a seed and sends it to a collector. */
export async function sendWorld(endpoint: string, seed: string): Promise<World> {
  const dice = diceOf(seed);
  const endMs = Date.now() - 30_000;
  const major = dice.between(1, 7);
  const service = `shop-${dice.hex(4)}`;
  const releaseOf = (minor: number): Release => {
    const version = `${major}.${minor}.${dice.between(0, 9)}`;
    const producer = new Producer({ endpoint, service, version, dice });
    return { version, model: `wren-${minor}`, producer };
  };
  const before = releaseOf(1);
  const after = releaseOf(2);
  const nothing = new Map<Plot, Reported>();
  const turns = new Map<string, Plot | "fine">();
  const shop = { endpoint, dice, service, turns };
  for (const plot of [...deliveredPlots, ...plainPlots]) {
    const thread = dice.id("thr");
    const at = endMs - dice.between(60, 300) * 60_000;
    for (let fine = dice.between(0, 2); fine > 0; fine -= 1) {
      const earlier = { thread, atMs: at - fine * 900_000 };
      await sendTurn(shop, before, { ...earlier, plot: "fine", tools: ["find_order"] });
    }
    const reported = isPlain(plot)
      ? await sendPlain(shop, { thread, plot, atMs: at })
      : await sendTurn(shop, before, { thread, plot, atMs: at, tools: ["find_order"] });
    nothing.set(plot, reported);
  }
  const thread = dice.id("thr");
  const tools = ["find_order", "check_stock"];
  const addedTools = Array.from({ length: dice.between(1, 3) }, (_, at) => `new_tool_${at}`);
  const old = { thread, plot: "fine", tools, atMs: endMs - 3_000_000 } as const;
  const fresh = { thread, plot: "unconfirmed", atMs: endMs - 600_000 } as const;
  const release = {
    thread,
    before: { ...before, ...(await sendTurn(shop, before, old)) },
    after: {
      ...after,
      ...(await sendTurn(shop, after, { ...fresh, tools: [...tools, ...addedTools] })),
    },
    addedTools,
  };
  await Promise.all([before.producer.close(), after.producer.close()]);
  const losses = new Map<string, number | null>([[`plain-${service}`, null]]);
  losses.set(...(await sendLossy(shop, endMs)));
  losses.set(...(await sendCutTail(shop, endMs)));
  return { turns, nothing, release, losses };
}

function isPlain(plot: Plot): plot is PlainPlot {
  return (plainPlots as readonly string[]).includes(plot);
}

/** Where it is sent, and the source of its chance. */
interface Shop {
  readonly endpoint: string;
  readonly dice: Dice;
  readonly service: string;
  /** What was sent so far. */
  readonly turns: Map<string, Plot | "fine">;
}

interface Scene {
  readonly thread: string;
  readonly plot: DeliveredPlot | "fine";
  readonly atMs: number;
  readonly tools: readonly string[];
}

/** A turn of the shop's own agent. */
async function sendTurn(shop: Shop, by: Release, scene: Scene): Promise<Reported> {
  const { dice, service, turns } = shop;
  const clock = new StoryClock(scene.atMs);
  const turn = new Turn(
    {
      applicationId: service,
      agentId: "counter",
      threadId: scene.thread,
      userId: `cust_${scene.thread.slice(-8)}`,
      runId: dice.id("run"),
      turnId: dice.id("turn"),
      sink: by.producer.sinkAt(clock),
    },
    outside,
  );
  const usage = { inputTokens: dice.between(50, 900), outputTokens: dice.between(5, 400) };
  await turn.run(async () => {
    for (const name of scene.tools) {
      await turn.toolCall({ name }, async (call) => {
        clock.pass(dice.around(40));
        await call.result({ outcome: "success", resultCount: 1 });
      });
    }
    await turn.supplied({ count: 1, historyCount: 1 });
    await turn.modelCall({ model: by.model, provider: "nest" }, async (call) => {
      clock.pass(dice.around(700));
      await call.respond({ finishReason: "stop", usage });
    });
    await handOver({ turn, clock, dice, plot: scene.plot });
  });
  clock.pass(2);
  await turn.succeed();
  await by.producer.drained();
  const tokens = usage.inputTokens + usage.outputTokens;
  turns.set(turn.traceContext.rootTraceId, scene.plot);
  return { service, thread: scene.thread, root: turn.traceContext.rootTraceId, tokens };
}

/** A turn of an app that knows nothing of us. */
async function sendPlain(
  { endpoint, dice, service, turns }: Shop,
  scene: { readonly thread: string; readonly plot: PlainPlot; readonly atMs: number },
): Promise<Reported> {
  const spans = plainTurn(dice, scene);
  const plain = `plain-${service}`;
  await sendSpans(endpoint, spans, plain);
  const root = spans[0]?.traceId ?? "";
  turns.set(root, scene.plot);
  return { service: plain, thread: scene.thread, root, tokens: 0 };
}

/** A service that was cut off for a while, and knows what that cost. */
async function sendLossy(shop: Shop, endMs: number): Promise<readonly [string, number]> {
  const { endpoint, dice } = shop;
  const service = `lossy-${dice.hex(4)}`;
  const producer = new Producer({ endpoint, service, version: "1.0.0", dice });
  const by = { version: "1.0.0", model: "wren-1", producer };
  const rounds = dice.between(5, 8);
  const away = dice.between(1, rounds - 2);
  for (let round = 0; round < rounds; round += 1) {
    producer.cutOff = round === away;
    const scene = { thread: dice.id("thr"), plot: "fine", tools: ["find_order"] } as const;
    // What of them arrived decides their verdicts, so no test waits for those.
    await sendTurn({ ...shop, service, turns: new Map() }, by, {
      ...scene,
      atMs: endMs - (rounds - round) * 60_000,
    });
  }
  const { lost } = producer.counts;
  await producer.close();
  return [service, lost];
}

/** A service whose last events were acknowledged by something in between, and never came. */
async function sendCutTail(
  { endpoint, dice }: Shop,
  endMs: number,
): Promise<readonly [string, number]> {
  const service = `tail-${dice.hex(4)}`;
  const producer = dice.id("prod");
  const [arrived, lost] = [dice.between(4, 12), dice.between(2, 9)];
  const created = arrived + lost;
  const span = (at: number, name: string, attributes: PlainAttributes): PlainSpan => ({
    traceId: dice.hex(32),
    spanId: `${dice.between(0, 9)}${dice.hex(14)}f`,
    name,
    startTimeUnixNano: new StoryClock(endMs + at).nano,
    endTimeUnixNano: new StoryClock(endMs + at + 5).nano,
    attributes: { [attribute.producer_id.span]: producer, ...attributes },
  });
  const numbered = Array.from({ length: arrived }, (_, at) =>
    span(at, "execute_tool look", {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "look",
      [attribute.producer_seq.span]: at + 1,
    }),
  );
  const report = span(created, "turnproof.data_quality", {
    [attribute.event_kind.span]: "data_quality",
    [attribute.phase.span]: "event",
    [attribute.status.span]: "success",
    [attribute.last_seq.span]: created,
    [attribute.loss_created.span]: created,
    [attribute.loss_exported.span]: created,
    [attribute.loss_dropped.span]: 0,
  });
  await sendSpans(endpoint, [...numbered, report], service);
  return [service, lost];
}

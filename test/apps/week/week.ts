/**
 * @module Week: seven days of several agents before an instant, made turn by turn in the order in
 * which they began, and sent in that order. A turn has the time at which it happened; the collector
 * adds when it was received, which for the whole week is now: pages, cursors and retention go by
 * receipt, the histogram and the time filters by the turns' own time.
 */
import { context } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";

import { StoryClock } from "../briefing/story-clock.ts";
import { beginnings } from "./calendar.ts";
import { orderDesk, orderDeskReleased, personOf, roles } from "./cast.ts";
import type { Role } from "./cast.ts";
import { diceOf } from "./dice.ts";
import type { Dice } from "./dice.ts";
import { incidentsOf, within } from "./incidents.ts";
import type { Appointed, Incidents, SingleIncident } from "./incidents.ts";
import { Producer } from "./producer.ts";
import { playTurn } from "./scene.ts";
import type { Played } from "./scene.ts";
import type { Plot } from "./stage.ts";

/** Size of the week, and where it is sent. */
export interface WeekOptions {
  readonly endpoint: string;
  /** When the week ends, epoch milliseconds. */
  readonly endMs: number;
  readonly turns: number;
  readonly seed: string;
  /** Called with the number of turns that were sent. */
  readonly onProgress?: (sent: number, total: number) => void;
}

/** What was sent. */
export interface Week {
  readonly turns: number;
  readonly spans: number;
  readonly incidents: Incidents;
  /** Turns that questions are about. */
  readonly found: Readonly<Record<SingleIncident, Played>>;
  readonly last: Played;
  /** The producer whose events did not all arrive, and how many did not. */
  readonly lossy: { readonly producer: string; readonly lost: number };
  /** Lost by producers that should have lost nothing. */
  readonly unplanned: number;
}

type Beginning = Pick<Appointed, "atMs"> & Partial<Appointed>;

/** Turns that travel together. */
const batchTurns = 10;

/** Sends the week to a collector. */
export async function sendWeek(options: WeekOptions): Promise<Week> {
  const { endMs, turns, onProgress } = options;
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  // The same week sent at another time is another week: its ids are others, too.
  const dice = diceOf(`${options.seed} ${endMs}`);
  const incidents = incidentsOf(endMs);
  const drawn = Math.max(turns - incidents.appointed.length, 0);
  const all: readonly Beginning[] = [
    ...beginnings(drawn, endMs, dice).map((atMs) => ({ atMs })),
    ...incidents.appointed,
  ].toSorted((a, b) => a.atMs - b.atMs);
  const house = new House(options, incidents, dice);
  const found = new Map<SingleIncident, Played>();
  let last: Played | undefined;
  for (const [index, beginning] of all.entries()) {
    last = await play(beginning, index + 1, { house, dice, incidents });
    if (beginning.name !== undefined) found.set(beginning.name, last);
    if ((index + 1) % batchTurns === 0) {
      await house.drained();
      onProgress?.(index + 1, all.length);
    }
  }
  await house.close();
  onProgress?.(all.length, all.length);
  if (last === undefined) throw new RangeError("a week needs a turn");
  return {
    turns: all.length,
    ...house.counts,
    incidents,
    found: Object.fromEntries(found) as Record<SingleIncident, Played>,
    last,
  };
}

interface WeekParts {
  readonly house: House;
  readonly dice: Dice;
  readonly incidents: Incidents;
}

async function play(
  beginning: Beginning,
  number: number,
  { house, dice, incidents }: WeekParts,
): Promise<Played> {
  const { atMs } = beginning;
  const released = atMs >= incidents.releaseMs;
  const chosen = beginning.role ?? dice.pick(roles);
  const role = chosen === orderDesk && released ? orderDeskReleased : chosen;
  const person = "person" in beginning ? beginning.person : personOf(role, dice);
  const thread = beginning.thread ?? threadOf(role, person, atMs, dice);
  const producer = await house.producerOf(role, atMs);
  const clock = new StoryClock(atMs);
  const scene = {
    role,
    person,
    thread,
    number,
    plot: beginning.plot ?? plotOf(role, atMs, incidents, dice),
    // Prices change with the release; a stale answer still rests on those before.
    sourceVersion: released ? "v8" : "v7",
    dice,
  };
  return playTurn(scene, producer.sinkAt(clock), clock);
}

/** People come back to their conversation of the day; machines have one a day. */
function threadOf(role: Role, person: string | null | undefined, atMs: number, dice: Dice): string {
  const day = new Date(atMs).toISOString().slice(5, 10).replace("-", "");
  const name = person?.slice(4) ?? (person === null ? "guest" : "walkin");
  const letter = role.agentId.slice(0, 2);
  const own = typeof person === "string" ? "" : `_${dice.between(1, 40)}`;
  return `thr_${day}_${letter}_${name}${own}`;
}

function plotOf(role: Role, atMs: number, incidents: Incidents, dice: Dice): Plot {
  const roll = dice.roll();
  const desk = role.agentId === orderDesk.agentId;
  if (desk && within(incidents.storm, atMs)) return roll < 0.9 ? "fallback" : "tool_down";
  if (desk && within(incidents.staleCache, atMs)) return roll < 0.45 ? "stale_cache" : "plain";
  const rare: readonly (readonly [number, Plot])[] = [
    [0.008, "unconfirmed"],
    [0.014, "parse_failed"],
    [0.022, "recovered"],
    [0.03, "tool_down"],
    [0.042, "disliked"],
    [0.048, "fallback"],
  ];
  return rare.find(([below]) => roll < below)?.[1] ?? "plain";
}

/** The processes of the week. */
class House {
  readonly #options: WeekOptions;
  readonly #incidents: Incidents;
  readonly #dice: Dice;
  readonly #running = new Map<string, Producer>();
  #spans = 0;
  #unplanned = 0;
  #lossy = { producer: "", lost: 0 };

  constructor(options: WeekOptions, incidents: Incidents, dice: Dice) {
    this.#options = options;
    this.#incidents = incidents;
    this.#dice = dice;
  }

  /** The process that serves the role then; processes of another time end. */
  async producerOf(role: Role, atMs: number): Promise<Producer> {
    const { secondPod, cutOff, releaseMs } = this.#incidents;
    const second = this.#running.get("research 2");
    if (second !== undefined) {
      const cut = within(cutOff, atMs);
      // What waits was created on the other side of the cut.
      if (cut !== second.cutOff) await second.drained();
      second.cutOff = cut;
      if (!within(secondPod, atMs)) await this.#end("research 2");
    }
    const service = role.applicationId;
    const inSecond = service === "research" && within(secondPod, atMs);
    const version = service === "storefront" && atMs >= releaseMs ? "3.3.0" : "3.2.0";
    const key = inSecond ? "research 2" : `${service} ${version}`;
    if (version === "3.3.0" && this.#running.has("storefront 3.2.0")) {
      await this.#end("storefront 3.2.0");
    }
    let producer = this.#running.get(key);
    if (producer === undefined) {
      const { endpoint } = this.#options;
      producer = new Producer({ endpoint, service, version, dice: this.#dice });
      producer.cutOff = inSecond && within(cutOff, atMs);
      this.#running.set(key, producer);
    }
    return producer;
  }

  /** Settles when nothing waits in any process. */
  async drained(): Promise<void> {
    for (const producer of this.#running.values()) await producer.drained();
  }

  /** Ends every process. */
  async close(): Promise<void> {
    for (const key of this.#running.keys()) await this.#end(key);
  }

  get counts(): Pick<Week, "spans" | "lossy" | "unplanned"> {
    return { spans: this.#spans, lossy: this.#lossy, unplanned: this.#unplanned };
  }

  async #end(key: string): Promise<void> {
    const producer = this.#running.get(key);
    if (producer === undefined) return;
    this.#running.delete(key);
    // Its counters travel with the last batch, on a connection that works again.
    await producer.drained();
    producer.cutOff = false;
    await producer.close();
    const { created, lost } = producer.counts;
    this.#spans += created;
    if (key === "research 2") this.#lossy = { producer: producer.id, lost };
    else this.#unplanned += lost;
  }
}

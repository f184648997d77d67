/**
 * @module An afternoon of the briefing desk: some hundred turns of a few people over some hours,
 * most of them fine, with a storm of fallbacks, a delivery without confirmation, an ownership
 * failure, a crash, and what a broken trace looks like.
 */
import { gzipSync } from "node:zlib";

import { context } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";

import { encodeProtobuf, traceRequest } from "../../otlp/encode.ts";
import type { PlainSpan } from "../../otlp/encode.ts";
import { play } from "./desk.ts";
import type { Plot, Scene } from "./desk.ts";
import { StoryClock } from "./story-clock.ts";

/** Number of turns, and when the story ends. */
export interface StoryOptions {
  readonly endMs: number;
  readonly turns?: number;
  readonly hours?: number;
}

const people = ["usr_amara", "usr_bo", "usr_chen", "usr_dilnoza", "usr_eze"] as const;

/** A small generator, so that a seed gives the same story again. */
function dice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 4_294_967_296;
  };
}

function plotOf(number: number, turns: number, roll: number): Plot {
  const rare: { readonly [at: number]: Plot } = {
    3: "unconfirmed",
    7: "not_owned",
    12: "crashed",
    16: "recovered",
    20: "parse_failed",
    24: "unbound",
    28: "disliked",
  };
  const fromEnd = turns - number;
  const reported = rare[fromEnd];
  if (reported !== undefined) return reported;
  // The archive in Europe was away for a while.
  if (number > turns * 0.55 && number < turns * 0.68) return roll < 0.8 ? "fallback" : "chat";
  if (roll < 0.16) return "cache_hit";
  if (roll < 0.46) return "chat";
  return roll < 0.94 ? "delivered" : "unconfirmed";
}

/** The spans of every turn, oldest turn first. */
export async function storySpans(
  options: StoryOptions,
): Promise<readonly (readonly PlainSpan[])[]> {
  const { endMs, turns = 120, hours = 6 } = options;
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const roll = dice(20_261_121);
  const reported: (readonly PlainSpan[])[] = [];
  let atMs = endMs - hours * 3_600_000;
  for (let number = 1; number <= turns; number += 1) {
    const left = turns - number + 1;
    const pace = (endMs - 4_000 - atMs) / left;
    atMs += Math.min(pace * (0.3 + roll() * 1.4), endMs - 4_000 - atMs);
    const person = people[Math.floor(roll() * people.length)];
    const plot = plotOf(number, turns, roll());
    const scene: Scene = {
      number,
      plot,
      thread: `thr_${person?.slice(4) ?? "x"}_${1 + Math.floor(number / 24)}`,
      agent: plot === "chat" ? "reader-chat" : "briefing-writer",
      ...(number % 17 === 0 ? { user: null } : number % 23 === 0 ? {} : { user: person ?? null }),
    };
    reported.push(await play(scene, new StoryClock(atMs)));
  }
  return reported;
}

/** Sends spans as one gzipped protobuf request. */
export async function sendSpans(
  endpoint: string,
  spans: readonly PlainSpan[],
  serviceName = "newsroom",
): Promise<void> {
  const request = traceRequest(spans, { "service.name": serviceName, "service.version": "3.2.0" });
  const response = await fetch(`${endpoint}/v1/traces`, {
    method: "POST",
    headers: { "content-type": "application/x-protobuf", "content-encoding": "gzip" },
    body: gzipSync(encodeProtobuf(request)),
  });
  if (!response.ok) throw new Error(`the collector answered ${response.status}`);
}

/** Sends the story to a collector; returns its turns, oldest first. */
export async function sendStory(
  endpoint: string,
  options: StoryOptions,
): Promise<readonly (readonly PlainSpan[])[]> {
  const turns = await storySpans(options);
  // In chunks, so that newer turns are received later, as they would be.
  for (let at = 0; at < turns.length; at += 10) {
    await sendSpans(endpoint, turns.slice(at, at + 10).flat());
  }
  return turns;
}

if (import.meta.main) {
  const endpoint = process.argv[2] ?? "http://127.0.0.1:4318";
  const turns = await sendStory(endpoint, { endMs: Date.now() });
  console.log(`briefing desk: ${turns.length} turns sent to ${endpoint}`);
}

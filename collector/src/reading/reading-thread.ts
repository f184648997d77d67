/** @module ReadingThread: entry point of a thread that answers requests. */
import { parentPort, workerData } from "node:worker_threads";

import type { EventQuery } from "@turnproof/evidence";
import type { SliceOptions } from "@turnproof/store";

import { readingOf } from "../access/grants.ts";
import type { Principal } from "../access/principal.ts";
import type { PassedRequest } from "../http/environment.ts";
import { connectCalls } from "./calls.ts";
import type { Port } from "./calls.ts";
import { createFollowingBodies } from "./following-bodies.ts";
import { collectedWhenIdle } from "./idle-collection.ts";
import { createReadingApp } from "./reading-app.ts";
import type { ThreadStart, Reported } from "./thread-link.ts";
import { openThreadParts } from "./thread-parts.ts";

const start = workerData as ThreadStart & { readonly reported: Reported };
let reported = start.reported;

const bodies = createFollowingBodies();
const worked = collectedWhenIdle();
const begun = Promise.withResolvers<Awaited<ReturnType<typeof begin>>>();
const calls = connectCalls(parentPort as Port, {
  notify: async (given: Reported) => {
    reported = given;
    return { value: null };
  },
  started: async () => {
    await begun.promise;
    return { value: null };
  },
  answer: async (passed: PassedRequest, signal) => {
    const answer = await worked(async () => (await begun.promise).answer(passed, signal));
    return { value: answer, transfer: typeof answer.body === "string" ? [] : [answer.body] };
  },
  ...bodies.handlers,
  page: async (requested: {
    readonly principal: Principal;
    readonly query: EventQuery;
    readonly options: Omit<SliceOptions, "signal">;
  }) => {
    const { parts } = await begun.promise;
    const { scope, query } = readingOf(requested.principal, requested.query);
    return { value: await parts.store.page(scope, query, requested.options) };
  },
});

async function begin() {
  const parts = await openThreadParts(start, calls, () => reported);
  return { parts, answer: createReadingApp(parts, bodies) };
}

begun.resolve(begin());

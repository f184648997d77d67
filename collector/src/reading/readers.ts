/**
 * @module Readers: threads that read evidence, compute and render answers, and judge, so that the
 * event loop only receives, authenticates and answers health. A turn of tens of thousands of spans
 * then delays only its own readers (faults R17).
 */
import { CodedError } from "@turnproof/semconv";
import { lentEngineOf } from "@turnproof/store";
import type { EvidenceStore, MemoryStore } from "@turnproof/store";

import { auditState } from "../access/audit/audit-state.ts";
import type { AppContext } from "../http/environment.ts";
import { principalOf } from "../http/environment.ts";
import type { HookContext } from "../hooks/hooks.ts";
import type { Parts, Readers } from "../parts.ts";
import type { Handlers } from "./calls.ts";
import type { PassedRequest } from "../http/environment.ts";
import { followingBody } from "./following-bodies.ts";
import { largeBody } from "./large-body.ts";
import { createReadQueue } from "./read-queue.ts";
import type { ReadQueueOptions, ReadRequest } from "./read-queue.ts";
import type { PassedAnswer } from "./reading-app.ts";
import { ReadingThread } from "./thread-handle.ts";
import type { FoundDamage, ThreadStart, Reported } from "./thread-link.ts";

/** Options of the threads. */
export interface ReadersOptions {
  /** The main thread's parts. */
  readonly parts: Parts;
  /** Its store and memory as they were opened. */
  readonly store: EvidenceStore;
  readonly memory: MemoryStore | undefined;
  readonly judge: boolean;
  readonly threads?: number;
}

/**
 * Most answering threads; while one is busy with a large turn the other serves the rest. The second
 * starts when it is first needed: a thread takes half a second of CPU and 60 MB.
 */
const threadsDefault = 2;
/**
 * When the first of them starts, unless a request needs it before: late enough not to delay the
 * start of the collector, and early enough that a person's first page waits for no thread.
 */
const warmAfterMs = 2_000;
/** Reads of large traces wait for each other; one that waits for too long is refused. */
const queueBounds = {
  waitMsMax: 10_000,
  largeCpuMs: 200,
  ownWaitingMax: 32,
  allWaitingMax: 256,
} as const;
/** How often threads receive the state of the receiving side. */
const notifyMs = 500;

/** True where threads can run this code: from built files. Node itself cannot load TSX. */
export const threadsCan: boolean = import.meta.url.endsWith(".js");

/** Starts the threads. */
export function createReaders(options: ReadersOptions): Readers {
  const { parts, judge } = options;
  const state = { closed: false };
  const handlers = handlersOf(options);
  const presentState = (): Reported => stateOf(parts);
  const startOf = (role: ThreadStart["role"]): ThreadStart & { reported: Reported } => ({
    config: parts.config,
    role,
    lent: lentEngineOf(options.store) !== undefined,
    memoryName: options.memory?.name ?? null,
    agents: parts.hooks.agents !== undefined,
    reported: presentState(),
  });
  const open = (role: ThreadStart["role"]): ReadingThread =>
    new ReadingThread(() => startOf(role), handlers, parts, state);
  const threads = options.threads ?? threadsDefault;
  const readers: ReadingThread[] = [];
  const judging = judge ? open("judge") : undefined;
  const all = judging === undefined ? [] : [judging];
  const timer = setInterval(() => {
    const reported = presentState();
    for (const thread of all) thread.notify(reported);
  }, notifyMs).unref();
  const openReader = (): void => {
    const reader = open("reader");
    readers.push(reader);
    all.push(reader);
  };
  const warming = setTimeout(() => {
    if (readers.length === 0 && threads > 0) openReader();
  }, warmAfterMs).unref();
  const least = (): ReadingThread => {
    if (state.closed) throw new CodedError("overloaded");
    // The next request has another thread when each has something to do.
    if (readers.length < threads && readers.every((one) => one.requested > 0)) openReader();
    return leastRequested(readers);
  };
  const answer = answersInTurn({
    threads,
    started: (at) => readers[at]?.started === true,
    making: (at) => readers[at]?.making ?? 0,
    threadAt: (at) => {
      while (readers.length <= at) openReader();
      return readers[at] as ReadingThread;
    },
    presentState,
  });
  return {
    answer(c) {
      least();
      return answer(c);
    },
    page: (principal, query, { signal: _signal, ...rest }) =>
      least().request("page", { principal, query, options: rest }),
    async stored({ frames, refused }) {
      const sent = frames.map(({ sequence, payload, spans, appendedAtMs }) => {
        return { sequence, payload, spans, appendedAtMs };
      });
      await judging?.request("stored", { frames: sent, refused });
    },
    async close() {
      state.closed = true;
      clearInterval(timer);
      clearTimeout(warming);
      await Promise.all(all.map((thread) => thread.close()));
    },
  };
}

/** State of the receiving side. */
function stateOf({ ingest, history, audit }: Parts): Reported {
  return {
    report: ingest.report(),
    minutes: history.recent(),
    losses: ingest.losses(),
    gaps: ingest.gaps(),
    audit: auditState(audit),
    mark: ingest.mark(),
  };
}

/** Threads of reads, and what each receives before a request. */
interface AnswerOptions extends Pick<ReadQueueOptions, "threads" | "started" | "making"> {
  /** Starts the thread where it has not started. */
  readonly threadAt: (at: number) => ReadingThread;
  readonly presentState: () => Reported;
}

/** Answers each request when it has its turn on a thread. */
function answersInTurn({
  threads,
  started,
  making,
  threadAt,
  presentState,
}: AnswerOptions): (c: AppContext) => Promise<Response> {
  const queue = createReadQueue({ ...queueBounds, threads, started, making });
  return async (c) => {
    const place = await queue.enter(readOf(c));
    let cpuMs: number | undefined;
    try {
      const thread = threadAt(place.thread);
      const passed = await passedRequest(c);
      // Health needs the state of the receiving side at the time of the request.
      thread.notify(presentState());
      const answer = await thread.request<PassedAnswer>("answer", passed);
      cpuMs = answer.cpuMs;
      c.set("bodyFollows", typeof answer.body === "string");
      return responseOf(thread, answer);
    } finally {
      place.end(cpuMs);
    }
  };
}

/** The read of a request; it leaves the queue when its connection is gone. */
function readOf(c: AppContext): ReadRequest {
  const { pathname, search } = new URL(c.req.url);
  const gone = new AbortController();
  c.env?.outgoing?.once("close", () => gone.abort());
  const { name: principal } = principalOf(c);
  return { address: `${pathname}${search}`, principal, signal: gone.signal };
}

/** The response of a thread's answer; one that follows is read from it. */
function responseOf(
  thread: ReadingThread,
  { status, headers: made, body }: PassedAnswer,
): Response {
  const headers = made.map(([name, value]): [string, string] => [name, value]);
  if (typeof body === "string")
    return new Response(followingBody(thread, body), { status, headers });
  const sent = largeBody(body);
  // The server does not see the length of a stream.
  if (sent !== body) headers.push(["content-length", String(body.byteLength)]);
  return new Response(sent, { status, headers });
}

/** The thread with the fewest requests, of those that have started, where one has. */
function leastRequested(readers: readonly ReadingThread[]): ReadingThread {
  const started = readers.filter((one) => one.started);
  const [first, ...others] = started.length > 0 ? started : readers;
  if (first === undefined) throw new CodedError("overloaded");
  return others.reduce((best, one) => (one.requested < best.requested ? one : best), first);
}

async function passedRequest(c: AppContext): Promise<PassedRequest> {
  const { req } = c;
  const csrfToken = c.get("session")?.csrfToken;
  const unsafe = req.method !== "GET" && req.method !== "HEAD";
  return {
    url: req.url,
    method: req.method,
    headers: [...req.raw.headers].filter(([name]) => name !== "authorization"),
    ...(unsafe ? { body: new Uint8Array(await req.arrayBuffer()) } : {}),
    requestId: c.get("requestId"),
    route: c.get("route"),
    principal: principalOf(c),
    ...(csrfToken === undefined ? {} : { csrfToken }),
  };
}

interface RequestedWait {
  readonly waitMs: number;
  readonly roots: readonly string[] | undefined;
}

/** Calls that a thread may make to this one. */
function handlersOf({ parts, store, memory }: ReadersOptions): Handlers {
  const engine = lentEngineOf(store);
  const lent = (): NonNullable<typeof engine> => {
    if (engine === undefined) throw new CodedError("internal_error");
    return engine;
  };
  return {
    select: async (
      requested: { readonly sql: string; readonly parameters?: Readonly<Record<string, string>> },
      signal,
    ) => {
      const { bytes, rowsRead } = await lent().select(requested.sql, requested.parameters, signal);
      const whole = bytes.byteLength === bytes.buffer.byteLength;
      const own = whole ? bytes : Uint8Array.from(bytes);
      return { value: { bytes: own, rowsRead }, transfer: [own.buffer as ArrayBuffer] };
    },
    command: async (sql: string) => ({ value: await lent().command(sql) }),
    insert: async (requested: {
      readonly table: string;
      readonly block: Parameters<NonNullable<typeof engine>["insert"]>[1];
      readonly token: string;
    }) => ({ value: await lent().insert(requested.table, requested.block, requested.token) }),
    pending: async () => ({ value: await lent().pending() }),
    knownRoots: async (roots: readonly string[]) => ({ value: await lent().knownRoots(roots) }),
    settled: async ({ waitMs, roots }: RequestedWait) => ({
      value: await parts.ingest.settled(waitMs, roots),
    }),
    damaged: async (found: FoundDamage) => {
      if ("store" in found) parts.damage.noteStore(found.store);
      else parts.damage.noteRoots(found.roots);
      return { value: null };
    },
    judged: async (sinceMs: number) => {
      parts.ledger?.signal(sinceMs);
      return { value: null };
    },
    memory: async (requested: { readonly method: string; readonly args: readonly unknown[] }) => ({
      value: await callMemory(memory, requested.method, requested.args),
    }),
    agents: async (context: Omit<HookContext, "signal">, signal) => ({
      value: (await parts.hooks.agents?.list({ ...context, signal })) ?? [],
    }),
    log: async (line: {
      readonly level: "info" | "warn" | "error";
      readonly event: string;
      readonly fields?: Readonly<Record<string, string | number | boolean>>;
    }) => {
      parts.log[line.level](line.event, line.fields);
      return { value: null };
    },
  };
}

/** Memory reads of a page; the thread's own handle enforces read-only mode. */
async function callMemory(
  memory: MemoryStore | undefined,
  method: string,
  args: readonly unknown[],
): Promise<unknown> {
  if (memory === undefined) throw new CodedError("not_configured");
  const [first = "", second] = method.split(".");
  const of = second === undefined ? memory : memory.shared;
  const call = (of as unknown as Record<string, (...given: unknown[]) => Promise<unknown>>)[
    second ?? first
  ];
  if (call === undefined) throw new CodedError("internal_error");
  return call.apply(of, [...args]);
}

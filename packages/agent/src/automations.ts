/**
 * @module Automations: stored schedules that run an agent (requirements: Scope hierarchy 5). They
 * have no tenant: a run is anonymous unless its automation has a user. Of several processes with
 * one store, one runs each due schedule.
 */
import type { Memory, SharedCollection, SharedData } from "@turnproof/memory";
import { CodedError, isoTime } from "@turnproof/semconv";
import type { IdentityOptions, UserId } from "@turnproof/semconv";
import type { SharedRecord } from "@turnproof/store";
import { Cron } from "croner";

import type { Agent } from "./agent.ts";
import { errorTypeOf } from "./admissible.ts";
import { idOf } from "./id-of.ts";

/** A schedule and its question. Exactly one of `cron` (UTC) and `everySeconds`. */
export interface Schedule {
  readonly agentId: IdentityOptions["agentId"];
  readonly query: string;
  readonly cron?: string;
  readonly everySeconds?: number;
  /** False: stored but not run. */
  readonly enabled?: boolean;
  /** Default: anonymous. */
  readonly userId?: UserId;
  /** Default: the agent's own memory. */
  readonly memoryId?: IdentityOptions["memoryId"];
  /** Default `automation_<id>`: all runs share a thread. */
  readonly threadId?: IdentityOptions["threadId"];
}

/** One run. */
export interface AutomationRun {
  readonly id: string;
  readonly status: "success" | "partial" | "error";
  readonly turnId: IdentityOptions["turnId"] | null;
  readonly rootTraceId: IdentityOptions["rootTraceId"] | null;
  /** Class of the thrown error, never its text. */
  readonly errorType?: string;
}

/** Options of a runner. */
export interface AutomationOptions {
  readonly memory: Memory;
  /** Agents by the id that schedules refer to. */
  readonly agents: Readonly<Record<string, Agent>>;
  readonly now?: () => Date;
}

const rowsRead = 1_000;

/** Runs the schedules of one memory. */
export class Automations {
  readonly #rows: SharedCollection;
  readonly #agents: AutomationOptions["agents"];
  readonly #now: () => Date;

  constructor({ memory, agents, now = () => new Date() }: AutomationOptions) {
    this.#rows = memory.shared.of("automation");
    this.#agents = agents;
    this.#now = now;
  }

  /**
   * Stores a schedule, replacing one of the same id.
   * @throws CodedError record_invalid when the schedule or its cron line is invalid or an id is no
   * text; identity_empty
   */
  async schedule(id: string, schedule: Schedule): Promise<void> {
    const next = nextAfter(schedule, this.#now());
    await this.#rows.put(id, {
      agent_id: schedule.agentId,
      query: schedule.query,
      cron: schedule.cron ?? null,
      every_seconds: schedule.everySeconds ?? null,
      enabled: schedule.enabled ?? true,
      user_id: idOf(schedule.userId, "userId") ?? null,
      memory_id: idOf(schedule.memoryId, "memoryId") ?? null,
      thread_id: idOf(schedule.threadId, "threadId") ?? `automation_${id}`,
      next_run_at: isoTime(next.getTime()),
    });
  }

  /** Runs every due schedule of the agents in this process, one after the other. */
  async runDue(): Promise<readonly AutomationRun[]> {
    const runs: AutomationRun[] = [];
    for (const row of await this.#rows.list(rowsRead)) {
      const agent = this.#agents[scheduleOf(row.data).agentId];
      if (agent === undefined || !isDue(row, this.#now())) continue;
      try {
        const claimed = await this.#claim(row);
        if (claimed !== undefined) runs.push(await this.#run(agent, claimed));
      } catch (error) {
        // An invalid row does not stop the others; an unreachable store stops them all.
        if (!CodedError.is(error) || error.code !== "record_invalid") throw error;
        runs.push(await this.#refused(row, error.code));
      }
    }
    return runs;
  }

  /**
   * Checks for due schedules at an interval; disposing it stops and waits for a run in progress.
   */
  start(options: { readonly pollMs?: number } = {}): AsyncDisposable {
    const stopped = new AbortController();
    const poll = async (): Promise<void> => {
      while (!stopped.signal.aborted) {
        // The store is unreachable; the next interval tries again.
        await this.runDue().catch(() => undefined);
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, options.pollMs ?? 10_000);
          stopped.signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), {
            once: true,
          });
        });
      }
    };
    const polling = poll();
    return {
      async [Symbol.asyncDispose]() {
        stopped.abort();
        await polling;
      },
    };
  }

  /** Moves the schedule on before it runs: the row version decides between two processes. */
  async #claim(row: SharedRecord): Promise<SharedRecord | undefined> {
    const now = this.#now();
    try {
      const next = nextAfter(scheduleOf(row.data), now);
      const data = {
        ...row.data,
        next_run_at: isoTime(next.getTime()),
        last_run_at: isoTime(now.getTime()),
      };
      return await this.#rows.update(row.id, row.version, data);
    } catch (error) {
      if (CodedError.is(error) && error.code === "store_conflict") return undefined;
      throw error;
    }
  }

  /**
   * Records on the row that it is not a valid schedule; an operator who corrects it makes it run.
   */
  async #refused(row: SharedRecord, errorType: string): Promise<AutomationRun> {
    if (row.data["last_status"] !== "error") {
      const data: SharedData = { ...row.data, last_status: "error" };
      // The run reports the error in any case; the next run notes it again.
      await this.#rows.update(row.id, row.version, data).catch(() => undefined);
    }
    return { id: row.id, status: "error", turnId: null, rootTraceId: null, errorType };
  }

  async #run(agent: Agent, row: SharedRecord): Promise<AutomationRun> {
    const { query, userId, memoryId, threadId } = scheduleOf(row.data);
    const place = { userId: userId ?? null, memoryId, threadId };
    const run = await agent.withCaller(async (): Promise<AutomationRun> => {
      const requested = await agent.run(query, place).then(
        ({ status }) => ({ status }),
        (error: unknown) => ({ status: "error" as const, errorType: errorTypeOf(error) }),
      );
      const turn = agent.getTraceContext();
      const ended = {
        turnId: turn?.identity.turnId ?? null,
        rootTraceId: turn?.rootTraceId ?? null,
      };
      if (turn !== undefined) {
        const span = agent
          .recorder(turn)
          .startSpan("automation.run", { kind: "queue", attributes: { job_ref: row.id } });
        await (requested.status === "success" ? span.succeed() : span.partial());
      }
      return { id: row.id, ...requested, ...ended };
    });
    const { status, turnId } = run;
    const data: SharedData = { ...row.data, last_status: status, last_turn_id: turnId };
    // A concurrent change of the schedule wins; losing this run's note does no harm.
    await this.#rows.update(row.id, row.version, data).catch(() => undefined);
    return run;
  }
}

function isDue({ data }: SharedRecord, now: Date): boolean {
  const next = data["next_run_at"];
  return data["enabled"] !== false && typeof next === "string" && Date.parse(next) <= +now;
}

function scheduleOf(data: SharedData): Schedule {
  const text = (name: string): string | undefined => {
    const value = data[name];
    return typeof value === "string" ? value : undefined;
  };
  const every = data["every_seconds"];
  const [cron, memoryId] = [text("cron"), text("memory_id")];
  // A user that is no text is passed on, so that the run refuses it; dropping it would run the
  // turn as anonymous.
  const userId = (data["user_id"] ?? undefined) as string | undefined;
  const threadId = text("thread_id");
  return {
    agentId: text("agent_id") ?? "",
    query: text("query") ?? "",
    ...(cron === undefined ? {} : { cron }),
    ...(typeof every === "number" ? { everySeconds: every } : {}),
    ...(userId === undefined ? {} : { userId }),
    ...(memoryId === undefined ? {} : { memoryId }),
    ...(threadId === undefined ? {} : { threadId }),
  };
}

/** The next due time. Any number of missed times gives one run. */
function nextAfter({ cron, everySeconds }: Schedule, now: Date): Date {
  if ((cron === undefined) === (everySeconds === undefined)) {
    throw new CodedError("record_invalid", { field: "schedule" });
  }
  if (everySeconds !== undefined) {
    if (!Number.isFinite(everySeconds) || everySeconds < 1) {
      throw new CodedError("record_invalid", { field: "everySeconds" });
    }
    const next = new Date(+now + everySeconds * 1_000);
    if (Number.isFinite(+next)) return next;
    throw new CodedError("record_invalid", { field: "everySeconds" });
  }
  try {
    const next = new Cron(cron ?? "", { timezone: "UTC", paused: true }).nextRun(now);
    if (next !== null) return next;
  } catch {
    // Thrown below: a cron line is the operator's text and must not be in the error.
  }
  throw new CodedError("record_invalid", { field: "cron" });
}

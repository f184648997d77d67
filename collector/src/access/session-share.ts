/**
 * @module SessionShare: sessions that all collectors of one store share. The store decides: each
 * use of a session reads it. While it is away a collector goes on with the sessions that it has
 * seen, and keeps what it could not write until the store is back: sign-outs in a file.
 */
import type { CollectorState, StateWrite } from "@turnproof/store";
import { z } from "zod";

import { openEndedSessions } from "./ended-sessions.ts";
import { roles } from "./principal.ts";
import type { Principal } from "./principal.ts";

/** A signed-in session; its credential is looked up by name on every request. */
export interface OperatorSession {
  readonly principal: string;
  readonly createdAt: number;
  /** Digest of the credential that signed in: replacing the token ends its sessions. */
  readonly credential: string;
  /** Who that is by an identity provider's word; absent for configured accounts. */
  readonly issued?: Omit<Principal, "via"> | undefined;
  seenAt: number;
}

/** What the store has of a session: `absent` without a row, `away` where it does not answer. */
export type SharedSession = OperatorSession | "ended" | "absent" | "away";

/** Access to the shared sessions. */
export interface SessionShare {
  look(id: string): Promise<SharedSession>;
  /** Written when it resolves, unless the store is away. */
  put(id: string, session: OperatorSession): Promise<void>;
  /**
   * When it resolves, the store or the file has these ends. @throws the system call's error of the
   * file
   */
  end(ids: readonly string[]): Promise<void>;
  /** Tries once more to write what the store has not taken. */
  close(): Promise<void>;
}

const endedVersion = Number.MAX_SAFE_INTEGER;
const goneMax = 10_000;
const keepMs = 9 * 3_600_000;
/** Longest wait for the store; a page waits longer for its own reads. */
const waitMs = 1_500;
/** After a failure the store is not read for this long. */
const awayMs = 1_000;

const row = z.object({
  principal: z.string(),
  createdAt: z.number(),
  credential: z.string(),
  issued: z
    .strictObject({
      name: z.string(),
      role: z.enum(roles),
      userId: z.string().exactOptional(),
    })
    .optional(),
  seenAt: z.number(),
});

/**
 * The sessions in the state of a store; `file` keeps the sign-outs that it has not taken.
 *
 * @param onDamaged called when that file was damaged
 */
export function shareSessions(
  state: CollectorState,
  file?: string,
  onDamaged: () => void = () => {},
): SessionShare {
  const kept = file === undefined ? undefined : openEndedSessions(file, onDamaged);
  const waiting = new Map<string, StateWrite>();
  /** Ended here: an answer that was on its way must not bring one back. */
  const gone = new Set<string>();
  const limited = limitedStore();
  let timer: NodeJS.Timeout | undefined;
  const keepEnds = async (): Promise<void> => kept?.keep([...waiting.values()].filter(isEnd));
  const isWritten = async (id: string, write: StateWrite): Promise<boolean> => {
    try {
      await limited.within(() => state.write("session", write));
      if (waiting.get(id) === write) waiting.delete(id);
      return true;
    } catch {
      // Away: it stays in the map.
      return false;
    }
  };
  const flush = async (): Promise<void> => {
    for (const [id, write] of waiting) if (!(await isWritten(id, write))) return;
  };
  const again = async (): Promise<void> => {
    await flush();
    // A file that cannot be written is written in the next round.
    await keepEnds().catch(() => {});
    timer = undefined;
    if (waiting.size > 0) later();
  };
  const later = (): void => {
    timer ??= setTimeout(() => void again(), awayMs).unref();
  };
  const write = async (id: string, version: number, value: string): Promise<void> => {
    // An end is never replaced by a later use.
    if ((waiting.get(id)?.version ?? 0) > version) return;
    const own = { name: id, version, value, keepUntilMs: Date.now() + keepMs };
    waiting.set(id, own);
    if (!(await isWritten(id, own))) later();
  };
  for (const [name, keepUntilMs] of kept?.left ?? []) {
    addBounded(gone, name);
    waiting.set(name, { name, version: endedVersion, value: "", keepUntilMs });
  }
  if (waiting.size > 0) later();
  return {
    async look(id) {
      const own = waiting.get(id);
      if (own !== undefined) return sessionOf(own);
      try {
        const held = await limited.within(() => state.read("session", id));
        if (gone.has(id)) return "ended";
        return held === undefined ? "absent" : sessionOf(held);
      } catch {
        return "away";
      }
    },
    put: (id, session) => write(id, session.seenAt, JSON.stringify(session)),
    async end(ids) {
      for (const id of ids) addBounded(gone, id);
      await Promise.all(ids.map((id) => write(id, endedVersion, "")));
      if (ids.some((id) => waiting.has(id))) await keepEnds();
    },
    async close() {
      clearTimeout(timer);
      limited.again();
      await flush();
      // What could not be written was tried before, in each round.
      await keepEnds().catch(() => {});
    },
  };
}

/** Questions to a store, with a limit of time and a pause after a failure. */
interface LimitedStore {
  /** @throws the work's error, or RangeError when it is late or in the pause */
  within<T>(work: () => Promise<T>): Promise<T>;
  /** Ends the pause. */
  again(): void;
}

function limitedStore(): LimitedStore {
  let awayUntil = 0;
  return {
    async within(work) {
      if (performance.now() < awayUntil) throw new RangeError("away");
      const late = Promise.withResolvers<never>();
      const clock = setTimeout(() => late.reject(new RangeError("late")), waitMs);
      try {
        return await Promise.race([work(), late.promise]);
      } catch (error) {
        awayUntil = performance.now() + awayMs;
        throw error;
      } finally {
        clearTimeout(clock);
      }
    },
    again: () => {
      awayUntil = 0;
    },
  };
}

const isEnd = ({ version }: StateWrite): boolean => version === endedVersion;

/** Adds one and removes the oldest beyond the bound. */
function addBounded(ids: Set<string>, id: string): void {
  ids.add(id);
  const [oldest] = ids;
  if (ids.size > goneMax && oldest !== undefined) ids.delete(oldest);
}

/** A row that is not ours opens nothing. */
function sessionOf({ value }: Pick<StateWrite, "value">): SharedSession {
  if (value === "") return "ended";
  try {
    return row.parse(JSON.parse(value));
  } catch {
    return "ended";
  }
}

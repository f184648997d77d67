/**
 * @module Sessions: a random reference in a cookie, stored as its hash only. Created at login,
 * invalid after logout, 30 idle minutes or 8 hours (security: Sessions; faults W5, W6). Time passes
 * by the wall clock and by the process's own, whichever is ahead; what has expired once is ended,
 * so that a clock which is set back brings no session back. Stored in a file of the data directory,
 * or in a store that several collectors share, so that a restart keeps sessions and logouts.
 */
import { createHash, randomBytes } from "node:crypto";
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";

import { makeDirectory } from "@turnproof/journal/process-lock";
import { limits } from "@turnproof/semconv";

import { equalSecret, macOf } from "./keyring.ts";
import type { Keyring } from "./keyring.ts";
import type { OperatorSession, SessionShare } from "./session-share.ts";

/** Whose session is opened. */
export type Opener = Pick<OperatorSession, "principal" | "credential" | "issued">;

/** A session just opened or found. */
export interface OpenSession {
  readonly session: OperatorSession;
  /** Bound to the session; forms and scripts send it back with unsafe methods. */
  readonly csrfToken: string;
  readonly id: string;
}

/** The sessions of this process, and of the other collectors of a shared store. */
export interface Sessions {
  open(of: Opener): Promise<OpenSession & { readonly cookie: string }>;
  /**
   * The session of a cookie value, or undefined when it is forged, ended, idle or too old; `away`
   * when the shared store does not answer and this process has not seen the session.
   */
  find(cookie: string): Promise<OpenSession | "away" | undefined>;
  /** Whether the session was valid when it was last looked up; the check does not count as use. */
  alive(id: string): boolean;
  /** Looks up in the shared store which of these have ended. */
  refresh(ids: readonly string[]): Promise<void>;
  end(id: string): Promise<void>;
  /** Ends every session of a principal; returns how many there were. */
  endAll(principal: string): number;
  /**
   * Calls the listener after sessions ended for any reason; returns the function that stops it.
   */
  onEnded(listener: () => void): () => void;
  readonly size: number;
}

const idleMsMax = limits.sessionIdleSecondsMax * 1_000;
const ageMsMax = limits.sessionAgeSecondsMax * 1_000;
/** Clocks of collectors may differ by this; a later issue or use is of a clock that was wrong. */
const skewMsMax = 5 * 60_000;
const sessionsMax = 10_000;
/** Granularity at which idle times are written, instead of on every request. */
const writeGrainMs = 60_000;

interface SessionsOptions {
  readonly keyring: Keyring;
  readonly file?: string;
  readonly share?: SessionShare;
  readonly now?: () => number;
  /** Milliseconds of a clock that is never set. */
  readonly elapsed?: () => number;
}

/** Why a session is invalid: `old` holds everywhere, `idle` unless another collector served it. */
type Expiry = "old" | "idle";

/** Opens the sessions in `file` or of a shared store, or sessions of this process alone. */
export function createSessions(options: SessionsOptions): Sessions {
  const { keyring, share } = options;
  const now = options.now ?? Date.now;
  const table = new SessionTable(options, now);
  const csrf = (reference: string): string => macOf(keyring.current("csrf/v1"), "csrf", reference);
  return {
    async open(of) {
      const reference = randomBytes(32).toString("base64url");
      const id = hashOf(reference);
      const at = now();
      const session: OperatorSession = { ...of, createdAt: at, seenAt: at };
      table.add(id, session);
      await share?.put(id, session);
      const key = keyring.current("cookie/v1");
      const cookie = `${key.kid}.${reference}.${macOf(key, "session", reference)}`;
      return { session, id, csrfToken: csrf(reference), cookie };
    },
    async find(cookie) {
      const reference = referenceOf(keyring, cookie);
      if (reference === undefined) return undefined;
      const id = hashOf(reference);
      const answers = await table.refresh(id);
      const session = table.sessions.get(id);
      if (session === undefined && !answers) return "away";
      if (session === undefined) return undefined;
      const expiry = table.expiryOf(id, session);
      if (expiry !== undefined) {
        table.end([id]);
        if (expiry === "old" || answers) await share?.end([id]);
        return undefined;
      }
      session.seenAt = now();
      table.see(id, session);
      if (table.used(id, session)) void share?.put(id, session);
      return { session, id, csrfToken: csrf(reference) };
    },
    alive: (id) => {
      const session = table.sessions.get(id);
      return session !== undefined && table.expiryOf(id, session) === undefined;
    },
    async refresh(ids) {
      if (share === undefined) return;
      await Promise.all([...new Set(ids)].map((id) => table.refresh(id)));
    },
    async end(id) {
      table.end([id]);
      await share?.end([id]);
    },
    endAll: (principal) => {
      const all = [...table.sessions];
      const ids = all.flatMap(([id, of]) => (of.principal === principal ? id : []));
      table.end(ids);
      // What the file does not take now is tried again while the collector runs.
      share?.end(ids).catch(() => {});
      return ids.length;
    },
    onEnded: (listener) => {
      table.listeners.add(listener);
      return () => void table.listeners.delete(listener);
    },
    get size() {
      return table.sessions.size;
    },
  };
}

/** The sessions that this process has seen. */
class SessionTable {
  readonly sessions: Map<string, OperatorSession>;
  readonly listeners = new Set<() => void>();
  /** The last use that is in the file or the shared store, by session. */
  readonly #written = new Map<string, number>();
  readonly #file: string | undefined;
  readonly #share: SessionShare | undefined;
  readonly #now: () => number;
  readonly #elapsed: () => number;
  /** When each was opened and used by the clock that is never set; `seenAt` as it was then. */
  readonly #own = new Map<string, { opened: number; used: number; seenAt: number }>();

  constructor({ file, share, elapsed }: SessionsOptions, now: () => number) {
    this.sessions = new Map(load(file));
    this.#file = file;
    this.#share = share;
    this.#now = now;
    this.#elapsed = elapsed ?? (() => performance.now());
    for (const [id, session] of this.sessions) this.see(id, session);
  }

  /** Notes a use that this process made or read. */
  see(id: string, { createdAt, seenAt }: OperatorSession): void {
    const known = this.#own.get(id);
    if (known !== undefined && seenAt === known.seenAt) return;
    const [now, elapsed] = [this.#now(), this.#elapsed()];
    const opened = known?.opened ?? elapsed - Math.max(0, now - createdAt);
    this.#own.set(id, { opened, used: elapsed - Math.max(0, now - seenAt), seenAt });
  }

  expiryOf(id: string, { seenAt, createdAt }: OperatorSession): Expiry | undefined {
    const [now, elapsed] = [this.#now(), this.#elapsed()];
    const { opened = elapsed, used = elapsed } = this.#own.get(id) ?? {};
    const isAhead = Math.max(createdAt, seenAt) > now + skewMsMax;
    if (isAhead || Math.max(now - createdAt, elapsed - opened) >= ageMsMax) return "old";
    return Math.max(now - seenAt, elapsed - used) >= idleMsMax ? "idle" : undefined;
  }

  add(id: string, session: OperatorSession): void {
    this.#sweep();
    this.sessions.set(id, session);
    this.see(id, session);
    this.#written.set(id, session.seenAt);
    this.#save(true);
  }

  /** Writes a use to the file at most once a minute; true when it was due. */
  used(id: string, { seenAt }: OperatorSession): boolean {
    if (seenAt - (this.#written.get(id) ?? 0) <= writeGrainMs) return false;
    this.#written.set(id, seenAt);
    this.#save(false);
    return true;
  }

  #sweep(): void {
    const { sessions } = this;
    for (const [id, session] of sessions) {
      if (this.expiryOf(id, session) !== undefined) this.#forget(id);
    }
    while (sessions.size >= sessionsMax) this.#forget(sessions.keys().next().value ?? "");
  }

  end(ids: readonly string[]): void {
    if (ids.filter((id) => this.#forget(id)).length === 0) return;
    this.#save(true);
    for (const listener of this.listeners) listener();
  }

  #forget(id: string): boolean {
    this.#written.delete(id);
    this.#own.delete(id);
    return this.sessions.delete(id);
  }

  /**
   * Takes what the shared store has of a session; false without an answer, and the session stays as
   * it is.
   */
  async refresh(id: string): Promise<boolean> {
    const found = await this.#share?.look(id);
    if (found === "ended" || found === "absent") this.end([id]);
    if (typeof found === "object") {
      // A use is written once a minute, so this process may have a later one.
      const seenAt = Math.max(found.seenAt, this.sessions.get(id)?.seenAt ?? 0);
      this.sessions.set(id, { ...found, seenAt });
      this.see(id, { ...found, seenAt });
      this.#written.set(id, found.seenAt);
    }
    return found !== "away";
  }

  #save(lasting: boolean): void {
    if (this.#file !== undefined) store(this.#file, this.sessions, lasting);
  }
}

/** The reference in a cookie that one of our keys signed. */
function referenceOf(keyring: Keyring, cookie: string): string | undefined {
  const [kid = "", reference = "", mac = "", ...rest] = cookie.split(".");
  const named = keyring.byName("cookie/v1", kid);
  if (named === undefined || rest.length > 0 || reference.length !== 43) return undefined;
  return equalSecret(macOf(named, "session", reference), mac) ? reference : undefined;
}

function hashOf(reference: string): string {
  return createHash("sha256").update(reference).digest("hex");
}

/** A damaged file ends all sessions; it never prevents the start. */
function load(file: string | undefined): readonly (readonly [string, OperatorSession])[] {
  if (file === undefined || !existsSync(file)) return [];
  try {
    return JSON.parse(readFileSync(file, "utf8")) as readonly (readonly [
      string,
      OperatorSession,
    ])[];
  } catch {
    return [];
  }
}

/** With `lasting` the file survives a power cut: an ended session must not become valid again. */
function store(
  file: string,
  sessions: ReadonlyMap<string, OperatorSession>,
  lasting: boolean,
): void {
  const folder = dirname(file);
  makeDirectory(folder);
  const next = `${file}.next`;
  writeFileSync(next, JSON.stringify([...sessions]), { mode: 0o600, flush: lasting });
  renameSync(next, file);
  if (!lasting) return;
  const directory = openSync(folder, "r");
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}

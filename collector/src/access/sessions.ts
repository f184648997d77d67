/**
 * @module Sessions: a random reference in a cookie, stored as its hash only. Created at login,
 * invalid after logout, 30 idle minutes or 8 hours (security: Sessions; faults W5, W6). Stored in a
 * file of the data directory, so that a restart keeps sessions and logouts.
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

import { equalSecret, macOf } from "./keyring.ts";
import type { Keyring } from "./keyring.ts";
import type { Principal } from "./principal.ts";

/** A signed-in session; its credential is looked up by name on every request. */
interface Session {
  readonly principal: string;
  readonly createdAt: number;
  /** Digest of the credential that signed in: replacing the token ends its sessions. */
  readonly credential: string;
  /** Who that is by an identity provider's word; absent for configured accounts. */
  readonly issued?: Omit<Principal, "via">;
  seenAt: number;
}

/** Whose session is opened. */
export type Opener = Pick<Session, "principal" | "credential" | "issued">;

/** A session just opened or found. */
export interface OpenSession {
  readonly session: Session;
  /** Bound to the session; forms and scripts send it back with unsafe methods. */
  readonly csrfToken: string;
  readonly id: string;
}

/** The sessions of this process. */
export interface Sessions {
  open(of: Opener): OpenSession & { readonly cookie: string };
  /** The session of a cookie value, or undefined when it is forged, ended, idle or too old. */
  find(cookie: string): OpenSession | undefined;
  /** Whether the session is valid; the check does not count as use. */
  alive(id: string): boolean;
  end(id: string): void;
  /** Ends every session of a principal; returns how many there were. */
  endAll(principal: string): number;
  /**
   * Calls the listener after sessions ended for any reason; returns the function that stops it.
   */
  onEnded(listener: () => void): () => void;
  readonly size: number;
}

const idleMsMax = 30 * 60_000;
const ageMsMax = 8 * 3_600_000;
const sessionsMax = 10_000;
/** Granularity at which idle times are written, instead of on every request. */
const writeGrainMs = 60_000;

interface SessionsOptions {
  readonly keyring: Keyring;
  readonly file?: string;
  readonly now?: () => number;
}

/** Opens the sessions in `file`, or sessions of this process alone. */
export function createSessions(options: SessionsOptions): Sessions {
  const { keyring, file } = options;
  const now = options.now ?? Date.now;
  const sessions = new Map<string, Session>(load(file));
  const listeners = new Set<() => void>();
  const save = (lasting: boolean): void => {
    if (file !== undefined) store(file, sessions, lasting);
  };
  const ended = (): void => {
    save(true);
    for (const listener of listeners) listener();
  };
  const alive = (session: Session): boolean =>
    now() - session.seenAt < idleMsMax && now() - session.createdAt < ageMsMax;
  const sweep = (): void => {
    for (const [id, session] of sessions) if (!alive(session)) sessions.delete(id);
    while (sessions.size >= sessionsMax) sessions.delete(sessions.keys().next().value ?? "");
  };
  const csrf = (reference: string): string => macOf(keyring.current("csrf/v1"), "csrf", reference);
  return {
    open: (of) => {
      sweep();
      const reference = randomBytes(32).toString("base64url");
      const id = hashOf(reference);
      const at = now();
      const session: Session = { ...of, createdAt: at, seenAt: at };
      sessions.set(id, session);
      save(true);
      const key = keyring.current("cookie/v1");
      const cookie = `${key.kid}.${reference}.${macOf(key, "session", reference)}`;
      return { session, id, csrfToken: csrf(reference), cookie };
    },
    find: (cookie) => {
      const [kid = "", reference = "", mac = "", ...rest] = cookie.split(".");
      const named = keyring.byName("cookie/v1", kid);
      if (named === undefined || rest.length > 0 || reference.length !== 43) return undefined;
      if (!equalSecret(macOf(named, "session", reference), mac)) return undefined;
      const id = hashOf(reference);
      const session = sessions.get(id);
      if (session === undefined || !alive(session)) return undefined;
      const write = now() - session.seenAt > writeGrainMs;
      session.seenAt = now();
      if (write) save(false);
      return { session, id, csrfToken: csrf(reference) };
    },
    alive: (id) => {
      const session = sessions.get(id);
      return session !== undefined && alive(session);
    },
    end: (id) => {
      if (sessions.delete(id)) ended();
    },
    endAll: (principal) => {
      const ids = [...sessions].filter(([, session]) => session.principal === principal);
      for (const [id] of ids) sessions.delete(id);
      if (ids.length > 0) ended();
      return ids.length;
    },
    onEnded: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    get size() {
      return sessions.size;
    },
  };
}

function hashOf(reference: string): string {
  return createHash("sha256").update(reference).digest("hex");
}

/** A damaged file ends all sessions; it never prevents the start. */
function load(file: string | undefined): readonly (readonly [string, Session])[] {
  if (file === undefined || !existsSync(file)) return [];
  try {
    return JSON.parse(readFileSync(file, "utf8")) as readonly (readonly [string, Session])[];
  } catch {
    return [];
  }
}

/** With `lasting` the file survives a power cut: an ended session must not become valid again. */
function store(file: string, sessions: ReadonlyMap<string, Session>, lasting: boolean): void {
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

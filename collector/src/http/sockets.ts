/**
 * @module Sockets: bounds the sockets of a listener and chooses which one gives way. A new one
 * never waits behind idle or slow ones: the least useful socket of the address with the most
 * sockets is closed. What comes while all are at work is accepted in order to be answered (faults
 * H10).
 */
import type { Server, Socket } from "node:net";

import { networkOf } from "../access/client-address.ts";

/** Bounds of a listener. */
export interface ConnectionBounds {
  readonly connectionsMax: number;
  readonly connectionsPerAddressMax: number;
}

/** A request in progress. */
export interface Work {
  /** True once its last byte has arrived. */
  readonly complete: () => boolean;
  /** True while its reader leaves bytes of the answer unread; absent where answers are small. */
  readonly unread?: () => boolean;
  /** Answers that it came too slowly or that there is no room, and ends it. */
  readonly cut: (code: "request_too_slow" | "overloaded") => void;
}

/** The sockets of a listener. */
export interface Sockets {
  /** Registers a request; `admitted` false: too many are in progress, and it is refused. */
  begin(socket: Addressed, work: Work): { readonly admitted: boolean; readonly end: () => void };
}

/** What identifies a socket; a session of HTTP/2 has it as well. */
export type Addressed = Pick<Socket, "bytesRead" | "localAddress" | "remoteAddress" | "remotePort">;

/** Below this rate, after a grace period, a body counts as an attempt to hold a socket. */
const bodyBytesPerSecondMin = 256;
const graceMs = 4_000;
const sweepMs = 1_000;
/** A socket younger than this is about to send its request. */
const youngMs = 500;

/**
 * Sockets beyond the bounds that are accepted to be answered: in total, and of one address, so
 * that one address never takes all of them.
 */
function sparesOf({ connectionsMax }: ConnectionBounds): { total: number; ofAddress: number } {
  return { total: Math.max(128, connectionsMax / 2), ofAddress: Math.max(32, connectionsMax / 8) };
}

interface Task extends Work {
  readonly since: number;
  readonly readBefore: number;
}

interface Connection {
  readonly socket: Socket;
  readonly openedAt: number;
  readonly tasks: Set<Task>;
  /** When the latest request began or ended; 0 before the first. */
  since: number;
}

/** The sockets of one address: those within the bounds, and those accepted to be refused. */
interface Address {
  readonly within: Set<Connection>;
  readonly beyond: Set<Connection>;
}

/** Bounds the sockets of a server. */
export function boundSockets(server: Server, bounds: ConnectionBounds): Sockets {
  const open = new Map<string, Connection>();
  const room = new SocketRoom(bounds);
  server.maxConnections = bounds.connectionsMax + sparesOf(bounds).total;
  // Before all other listeners: a socket that is refused here reaches none of them.
  server.prependListener("connection", (socket: Socket) => {
    const key = keyOf(socket);
    const openedAt = performance.now();
    const added: Connection = { socket, openedAt, tasks: new Set(), since: 0 };
    open.set(key, added);
    const leave = room.enter(networkOf(socket.remoteAddress ?? ""), added);
    socket.once("close", () => {
      leave();
      if (open.get(key) === added) open.delete(key);
    });
  });
  let sweptAt = performance.now();
  const sweep = setInterval(() => {
    const now = performance.now();
    const isLate = now - sweptAt > 2 * sweepMs;
    sweptAt = now;
    // Timers run before sockets are read: what came while this process was busy is not counted yet.
    if (isLate) return;
    for (const { socket, tasks } of open.values())
      for (const task of tasks) if (isSlow(socket, task, now)) task.cut("request_too_slow");
  }, sweepMs).unref();
  server.once("close", () => clearInterval(sweep));
  return {
    begin(socket, work) {
      const connection = open.get(keyOf(socket));
      if (connection === undefined) return { admitted: true, end: () => {} };
      const since = performance.now();
      const task: Task = { ...work, since, readBefore: socket.bytesRead };
      connection.tasks.add(task);
      connection.since = since;
      const end = (): void => {
        connection.tasks.delete(task);
        connection.since = performance.now();
      };
      return { admitted: room.admits(networkOf(socket.remoteAddress ?? ""), connection), end };
    },
  };
}

/** Who is within the bounds. */
class SocketRoom {
  private readonly addresses = new Map<string, Address>();
  private readonly bounds: ConnectionBounds;
  private taken = 0;

  constructor(bounds: ConnectionBounds) {
    this.bounds = bounds;
  }

  /** Finds a place for a new one; returns what frees it. */
  enter(name: string, added: Connection): () => void {
    const address = this.addresses.get(name) ?? { within: new Set(), beyond: new Set() };
    this.addresses.set(name, address);
    if (!this.take(address, added)) {
      // Of its spare ones an address gives up even those that have just come.
      const full = address.beyond.size >= sparesOf(this.bounds).ofAddress;
      if (full && !closeIdle(address.beyond, 0)) added.socket.destroy();
      address.beyond.add(added);
    }
    return () => {
      if (address.within.delete(added)) this.taken -= 1;
      address.beyond.delete(added);
      if (address.within.size + address.beyond.size === 0) this.addresses.delete(name);
    };
  }

  /** Whether one with a request is within the bounds; it precedes those without a request. */
  admits(name: string, connection: Connection): boolean {
    const address = this.addresses.get(name);
    if (address?.beyond.has(connection) !== true) return true;
    if (!this.take(address, connection)) return false;
    address.beyond.delete(connection);
    return true;
  }

  private take(address: Address, connection: Connection): boolean {
    const { connectionsMax, connectionsPerAddressMax } = this.bounds;
    const { within } = address;
    if (within.size >= connectionsPerAddressMax) {
      if (!closeIdle(within, youngMs)) return false;
    } else if (this.taken >= connectionsMax) {
      const greedy = this.greediest();
      const isModest = (within.size + 1) * 2 < greedy.size;
      if (!closeIdle(greedy, youngMs) && !(isModest && cutUnfinished(greedy))) return false;
    }
    within.add(connection);
    this.taken += 1;
    return true;
  }

  private greediest(): ReadonlySet<Connection> {
    let most: ReadonlySet<Connection> = new Set();
    for (const { within } of this.addresses.values()) if (within.size > most.size) most = within;
    return most;
  }
}

function keyOf({ localAddress, remoteAddress, remotePort }: Addressed): string {
  return `${localAddress} ${remoteAddress} ${remotePort}`;
}

/**
 * Closes the least useful idle one: first those without any request, then the longest idle; oldest
 * first. Those younger than `sparedMs` stay.
 */
function closeIdle(among: ReadonlySet<Connection>, sparedMs: number): boolean {
  const now = performance.now();
  let least: Connection | undefined;
  for (const one of among) {
    if (one.tasks.size > 0 || one.socket.destroyed) continue;
    if (now - Math.max(one.openedAt, one.since) < sparedMs) continue;
    // A set is in order of arrival, so the first without a request is the oldest.
    if (least === undefined || one.since < least.since) least = one;
    if (least.since === 0) break;
  }
  least?.socket.destroy();
  return least !== undefined;
}

/**
 * Ends the request that has been waiting for the longest time for its peer: to send, or to read.
 */
function cutUnfinished(among: ReadonlySet<Connection>): boolean {
  let slowest: Task | undefined;
  for (const { tasks } of among) {
    for (const task of tasks) {
      const waits = !task.complete() || task.unread?.() === true;
      if (waits && task.since < (slowest?.since ?? Number.POSITIVE_INFINITY)) slowest = task;
    }
  }
  if (slowest === undefined || performance.now() - slowest.since < youngMs) return false;
  slowest.cut("overloaded");
  return true;
}

function isSlow({ bytesRead }: Socket, task: Task, now: number): boolean {
  const ms = now - task.since;
  if (ms < graceMs || task.complete()) return false;
  return bytesRead - task.readBefore < (ms / 1_000) * bodyBytesPerSecondMin;
}

/**
 * @module Sockets: bounds the sockets of a listener and chooses which one gives way. A new one
 * never waits behind idle or slow ones: the least useful socket of the address with the most
 * sockets is closed. What comes while all are at work is accepted in order to be answered,
 * and each socket is sent an answer before it is closed (faults H10).
 */
import type { Server, Socket } from "node:net";

import { networkOf } from "../access/client-address.ts";
import type { Connection, Task, Work } from "./connection.ts";
import { SocketRoom } from "./socket-room.ts";
import type { ConnectionBounds, TurnAway } from "./socket-room.ts";
import { turnShare } from "./turn-share.ts";

/** The sockets of a listener. */
export interface Sockets {
  /** Registers a request; `admitted` false: too many are in progress, and it is refused. */
  begin(socket: Addressed, work: Work): { readonly admitted: boolean; readonly end: () => void };
  /** A socket was sent its last answer: it is closing, and its place is free. */
  closes(socket: Socket): void;
}

/** What identifies a socket; a session of HTTP/2 has it as well. */
export type Addressed = Pick<Socket, "bytesRead" | "localAddress" | "remoteAddress" | "remotePort">;

/** Below this rate, after a grace period, a body counts as an attempt to hold a socket. */
const bodyBytesPerSecondMin = 256;
const graceMs = 4_000;
const sweepMs = 1_000;

/** Bounds the sockets of a server; `turnAway` ends one that no request holds. */
export function boundSockets(
  server: Server,
  bounds: ConnectionBounds,
  turnAway: TurnAway,
): Sockets {
  const open = new Map<string, Connection>();
  const room = new SocketRoom(bounds, turnAway);
  // Before all other listeners: a socket that is refused here reaches none of them.
  server.prependListener("connection", (socket: Socket) => {
    const key = keyOf(socket);
    const openedAt = performance.now();
    const tasks = new Set<Task>();
    const added = { socket, openedAt, tasks, since: 0, readAt: 0, isDropping: false };
    open.set(key, added);
    const leave = room.enter(networkOf(socket.remoteAddress ?? ""), added);
    socket.once("close", () => {
      leave();
      if (open.get(key) === added) open.delete(key);
    });
  });
  sweepSlow(server, open);
  return {
    begin(socket, work) {
      const connection = open.get(keyOf(socket));
      if (connection === undefined) return { admitted: true, end: () => {} };
      const since = performance.now();
      const task: Task = { ...work, since, readBefore: socket.bytesRead };
      connection.tasks.add(task);
      connection.since = since;
      connection.isDropping = false;
      const end = (): void => {
        connection.tasks.delete(task);
        connection.since = performance.now();
        connection.readAt = connection.socket.bytesRead;
        connection.isDropping = !work.complete();
      };
      return { admitted: room.admits(networkOf(socket.remoteAddress ?? ""), connection), end };
    },
    closes(socket) {
      const connection = open.get(keyOf(socket));
      if (connection !== undefined) room.closes(networkOf(socket.remoteAddress ?? ""), connection);
    },
  };
}

/** Cuts requests that come too slowly, once a second. */
function sweepSlow(server: Server, open: ReadonlyMap<string, Connection>): void {
  const share = turnShare();
  let sweptAt = performance.now();
  const sweep = setInterval(() => {
    const now = performance.now();
    const isLate = now - sweptAt > 2 * sweepMs;
    sweptAt = now;
    // Timers run before sockets are read: what came while this process was busy is not counted yet.
    if (isLate) return;
    for (const { socket, tasks } of open.values())
      for (const task of tasks)
        if (isSlow(socket, task, now))
          share(() => {
            // The rest may have come, or the request ended, before its turn.
            if (tasks.has(task) && !task.complete()) task.cut("request_too_slow");
          });
  }, sweepMs).unref();
  server.once("close", () => clearInterval(sweep));
}

function keyOf({ localAddress, remoteAddress, remotePort }: Addressed): string {
  return `${localAddress} ${remoteAddress} ${remotePort}`;
}

function isSlow({ bytesRead }: Socket, task: Task, now: number): boolean {
  const ms = now - task.since;
  if (ms < graceMs || task.complete()) return false;
  return bytesRead - task.readBefore < (ms / 1_000) * bodyBytesPerSecondMin;
}

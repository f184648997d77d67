/**
 * @module TcpGate: an address in front of a server that is away, silent or open as a test sets, so
 * that any server can be gone in every way that a network knows.
 */
import { connect, createServer } from "node:net";
import type { AddressInfo, Server, Socket } from "node:net";

/** `away`: nothing listens; `silent`: connections are taken and nothing comes back. */
export type GateState = "away" | "silent" | "open";

/** A gate on 127.0.0.1. */
export interface TcpGate {
  readonly port: number;
  /** Changes the state; connections of the state before are cut. */
  set(state: GateState): Promise<void>;
  close(): Promise<void>;
}

/** A gate in front of a port of 127.0.0.1; away at first. */
export async function startGate(target: number): Promise<TcpGate> {
  const sockets = new Set<Socket>();
  let open = false;
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
    return socket;
  };
  const take = (socket: Socket): void => {
    keep(socket);
    if (!open) {
      socket.resume();
      return;
    }
    const behind = keep(connect(target, "127.0.0.1"));
    socket.pipe(behind).pipe(socket);
    socket.on("close", () => behind.destroy());
    behind.on("close", () => socket.destroy());
  };
  let server: Server | undefined;
  const listen = async (port: number): Promise<number> => {
    server = createServer(take).listen(port, "127.0.0.1");
    await new Promise((resolve) => server?.once("listening", resolve));
    return (server.address() as AddressInfo).port;
  };
  const stop = async (): Promise<void> => {
    const closed = new Promise((resolve) =>
      server === undefined ? resolve(0) : server.close(resolve),
    );
    for (const socket of sockets) socket.destroy();
    await closed;
    server = undefined;
  };
  const port = await listen(0);
  await stop();
  return {
    port,
    async set(state) {
      await stop();
      open = state === "open";
      if (state !== "away") await listen(port);
    },
    close: stop,
  };
}

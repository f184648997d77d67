/**
 * @module Reopenable: memory on each provider, with what it takes to close it and open it again
 * over the same data, as a process that restarts would.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { ephemeralMemory, filesystem, mongodb, postgres } from "@turnproof/store";
import type { AdministeredMemory } from "@turnproof/store";

import { mongodbName, openMongo } from "../../servers/mongo-database.ts";
import { startPostgres } from "../../servers/postgres.ts";
import { startEmbeddedPostgres } from "../store/embedded-postgres.ts";

/** Memory that can be opened again; the data goes with `end`. */
export interface Reopenable {
  /** Opens it; what was open before is closed first. */
  open(): Promise<AdministeredMemory>;
  end(): Promise<void>;
}

interface Opened {
  readonly memory: AdministeredMemory;
  close(): Promise<void>;
}

function reopenable(start: () => Promise<Opened>, end: () => Promise<void>): Reopenable {
  let opened: Opened | undefined;
  return {
    async open() {
      await opened?.close();
      opened = await start();
      return opened.memory;
    },
    async end() {
      await opened?.close();
      await end();
    },
  };
}

/** Every provider of memory. */
export const reopenables: Readonly<Record<string, () => Promise<Reopenable>>> = {
  ephemeral: async () => {
    const memory = ephemeralMemory();
    const close = (): Promise<void> => Promise.resolve();
    return reopenable(() => Promise.resolve({ memory, close }), close);
  },
  filesystem: async () => {
    const directory = await mkdtemp(join(tmpdir(), "turnproof-driver-fs-"));
    return reopenable(
      () => filesystem({ directory }),
      () => rm(directory, { recursive: true, force: true }),
    );
  },
  "postgres embedded": async () => {
    const { engine } = await startEmbeddedPostgres();
    return reopenable(
      () => postgres({ client: engine }),
      () => engine.close(),
    );
  },
  "postgres server": async () => {
    const server = await startPostgres();
    const url = server.url(await server.createDatabase());
    return reopenable(
      () => postgres({ url }),
      () => server.close(),
    );
  },
  [mongodbName]: async () => {
    const server = await openMongo();
    return reopenable(
      () => mongodb({ url: server.url }),
      () => server.close(),
    );
  },
};

/**
 * @module Providers of memory and evidence for suites that run on each: empty, in this process, and
 * named by what was really run.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { ephemeral, ephemeralMemory, filesystem, mongodb, postgres } from "@turnproof/store";
import type { AdministeredMemory, EvidenceStore } from "@turnproof/store";

import { mongodbName, openMongo } from "../../servers/mongo-database.ts";
import { startPostgres } from "../../servers/postgres.ts";
import { startEmbeddedPostgres } from "../store/embedded-postgres.ts";

/** Both ports of one provider, empty. */
export interface OpenProvider {
  readonly evidence: EvidenceStore;
  readonly memory: AdministeredMemory;
  close(): Promise<void>;
}

/** Opens an empty provider. */
export type ProviderOpener = () => Promise<OpenProvider>;

const inProcess: ProviderOpener = async () => ({
  evidence: ephemeral(),
  memory: ephemeralMemory(),
  close: async () => undefined,
});

const inFiles: ProviderOpener = async () => {
  const directory = await mkdtemp(join(tmpdir(), "turnproof-agent-fs-"));
  const provider = await filesystem({ directory });
  const { evidence, memory } = provider;
  const close = async (): Promise<void> => {
    await provider.close();
    await rm(directory, { recursive: true, force: true });
  };
  return { evidence, memory, close };
};

const inEmbeddedPostgres: ProviderOpener = async () => {
  const started = await startEmbeddedPostgres();
  const { evidence, memory } = await started.open();
  return { evidence, memory, close: () => started.engine.close() };
};

const inPostgresServer: ProviderOpener = async () => {
  const server = await startPostgres();
  const provider = await postgres({ url: server.url(await server.createDatabase()) });
  const { evidence, memory } = provider;
  const close = async (): Promise<void> => {
    await provider.close();
    await server.close();
  };
  return { evidence, memory, close };
};

/** Without `MONGODB_URI` the driver and the protocol are real, the server is not MongoDB. */
const inMongo: ProviderOpener = async () => {
  const server = await openMongo();
  const provider = await mongodb({ url: server.url });
  const { evidence, memory } = provider;
  const close = async (): Promise<void> => {
    await provider.close();
    await server.close();
  };
  return { evidence, memory, close };
};

/** Every provider that keeps both. */
export const providers: Readonly<Record<string, ProviderOpener>> = {
  ephemeral: inProcess,
  filesystem: inFiles,
  "postgres embedded": inEmbeddedPostgres,
  "postgres server": inPostgresServer,
  [mongodbName]: inMongo,
};

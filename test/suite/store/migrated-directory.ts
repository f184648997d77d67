/**
 * @module MigratedDirectory: data directories of the embedded ClickHouse with this version's empty
 * tables. They are copies of one that was migrated, which costs a third of migrating each.
 */
import { cp } from "node:fs/promises";

import { clickhouse } from "@turnproof/store";

import { temporaryDirectories } from "./temporary-directory.ts";

/** Makes copies and removes them all. */
export interface MigratedDirectories {
  make(): Promise<string>;
  remove(): Promise<void>;
}

/** No copies yet; the first one migrates what is copied. */
export function migratedDirectories(): MigratedDirectories {
  const directories = temporaryDirectories();
  let migrated: Promise<string> | undefined;
  const migrate = async (): Promise<string> => {
    const dataDir = await directories.make();
    const store = await clickhouse({ connection: { dataDir } });
    // Nothing opens it again, so every copy is of a closed engine.
    await store.close();
    return dataDir;
  };
  return {
    async make() {
      const source = await (migrated ??= migrate());
      const dataDir = await directories.make();
      // The engine's links are relative, and lead into the copy as they stand.
      await cp(source, dataDir, { recursive: true, verbatimSymlinks: true });
      return dataDir;
    },
    remove: () => directories.remove(),
  };
}

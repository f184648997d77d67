/**
 * @module EndedSessions: sign-outs that the shared store has not taken, in a file of the data
 * directory. A crash while the store is away must not bring one of these sessions back.
 */
import { readFileSync, renameSync } from "node:fs";

import { replaceFile } from "@turnproof/journal";
import type { StateWrite } from "@turnproof/store";
import { z } from "zod";

/** The file. */
export interface EndedSessions {
  /** Ids that an earlier process left, and until when the store has to hold their end. */
  readonly left: ReadonlyMap<string, number>;
  /** Replaces the content; durable when it resolves. @throws the system call's error */
  keep(ends: Iterable<Pick<StateWrite, "name" | "keepUntilMs">>): Promise<void>;
}

const content = z.array(z.tuple([z.string(), z.number()]));

/** What a damaged file is kept as, until an operator moves it away. */
export const asideSuffix = ".corrupt";

/**
 * Reads the file at this path; a damaged one has no ids and is kept aside.
 *
 * @param onDamaged called when it was set aside
 */
export function openEndedSessions(path: string, onDamaged: () => void): EndedSessions {
  const left = leftIn(path, onDamaged);
  let latest: readonly (readonly [string, number])[] = [];
  let isEmpty = left.length === 0;
  let writing: Promise<void> | undefined;
  const write = async (): Promise<void> => {
    writing = undefined;
    await replaceFile(path, Buffer.from(JSON.stringify(latest)));
  };
  let before: Promise<void> = Promise.resolve();
  return {
    left: new Map(left.filter(([, until]) => until > Date.now())),
    async keep(ends) {
      latest = Array.from(ends, ({ name, keepUntilMs }) => [name, keepUntilMs]);
      if (isEmpty && latest.length === 0) return;
      isEmpty = false;
      // Ends that come while a write is on its way are one more write.
      writing ??= before = before.catch(() => {}).then(write);
      await writing;
      isEmpty = latest.length === 0;
    },
  };
}

function leftIn(path: string, onDamaged: () => void): z.infer<typeof content> {
  try {
    return content.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    // The next sign-out replaces the file.
    renameSync(path, `${path}${asideSuffix}`);
    onDamaged();
    return [];
  }
}

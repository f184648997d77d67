/**
 * @module CommandJournal: opens the journal for a command. Waiting for its owner is reported on
 * stderr.
 */
import { openJournal } from "@turnproof/journal";
import type { Journal } from "@turnproof/journal";
import { codes } from "@turnproof/semconv";

/**
 * Opens the journal of this directory. @param bytesMax most bytes on the disk
 *
 * @throws CodedError `journal_locked` while another process uses it
 */
export function openCommandJournal(directory: string, bytesMax?: number): Promise<Journal> {
  return openJournal({
    directory,
    ...(bytesMax === undefined ? {} : { bytesMax }),
    onEvent: ({ code }) => {
      if (code === "journal_owner_silent") process.stderr.write(`${codes[code].sentence}\n`);
    },
  });
}

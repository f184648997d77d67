/**
 * @module LedgerFile: the turns of a directory in one SQLite file beside the batches. It is opened
 * by the first question, because memory alone runs on a Node that brings no SQLite. Several
 * processes may use it at once: the engine lets writers take turns.
 */
import { lateLedger } from "../ledger/late-ledger.ts";
import type { TurnLedger } from "../ledger/turn-question.ts";
import { openSqlite } from "../sqlite/sqlite-database.ts";
import type { SqliteDatabase } from "../sqlite/sqlite-database.ts";
import { sqliteError } from "../sqlite/sqlite-error.ts";
import { sqliteTurns } from "../sqlite/sqlite-turns.ts";
import type { Disk } from "./disk.ts";
import type { Life } from "./store-life.ts";

/** Where the file lies. */
const folder = ["ledger"];
const place = [...folder, "turns.sqlite"];

/** A ledger with an end. */
export interface LedgerFile extends TurnLedger {
  close(): Promise<void>;
}

/** The ledger of this directory. Rejects with `driver_missing` on a Node without SQLite. */
export function ledgerFile(disk: Disk, life: Life): LedgerFile {
  let database: SqliteDatabase | undefined;
  let opened: Promise<TurnLedger> | undefined;
  const open = async (): Promise<TurnLedger> => {
    await disk.ensure(folder);
    database = openSqlite(await disk.own(place));
    return coded(sqliteTurns(database));
  };
  const late = lateLedger("store", () => {
    life.open();
    opened ??= open().catch((error: unknown) => {
      // The next question tries again.
      opened = undefined;
      throw sqliteError(error);
    });
    return opened;
  });
  return {
    ...late,
    async close() {
      await opened?.catch(() => {});
      if (database?.isOpen === true) database.close();
    },
  };
}

/** The ledger, whose errors are codes. */
function coded(turns: TurnLedger): TurnLedger {
  const run = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw sqliteError(error);
    }
  };
  return {
    answeredIn: turns.answeredIn,
    putTurns: (records) => run(() => turns.putTurns(records)),
    dropTurns: (gone) => run(() => turns.dropTurns(gone)),
    turnsOf: (roots) => run(() => turns.turnsOf(roots)),
    listTurns: (question, page) => run(() => turns.listTurns(question, page)),
    countTurns: (question) => run(() => turns.countTurns(question)),
    turnFacets: (...asked) => run(() => turns.turnFacets(...asked)),
    turnFigures: (question, options) => run(() => turns.turnFigures(question, options)),
    callFigures: (question, kind, by) => run(() => turns.callFigures(question, kind, by)),
  };
}

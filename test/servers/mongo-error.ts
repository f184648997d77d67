/** @module An error of the test server, as a real one answers it. */
import type { Doc } from "./mongo-wire.ts";

/** A command that was refused. */
export class CommandError extends Error {
  readonly code: number;
  readonly codeName: string;
  readonly details: Doc;

  constructor(code: number, codeName: string, message: string, details: Doc = {}) {
    super(message);
    this.code = code;
    this.codeName = codeName;
    this.details = details;
  }

  /** The answer of a whole command. */
  reply(): Doc {
    const { code, codeName, message: errmsg, details } = this;
    return { ok: 0, code, codeName, errmsg, ...details };
  }

  /** The entry of one write among several. */
  writeError(index: number): Doc {
    return { index, code: this.code, errmsg: this.message, ...this.details };
  }
}

/**
 * @module Faulty process: loaded into a collector (`node --import`), it makes the machine under it
 * worse, as the file `FAULTS_FILE` sets: writes of Node's file handles fail with an error of the
 * system, syncs are slow, the wall clock is off. The engines' own files are not reached.
 */
import { readFileSync } from "node:fs";
import { open } from "node:fs/promises";

const file = process.env.FAULTS_FILE ?? "";
const faults = { code: "", slowMs: 0, offMs: 0 };
const readNow = Date.now.bind(Date);

Date.now = () => readNow() + faults.offMs;
const RealDate = Date;
globalThis.Date = class extends RealDate {
  constructor(...given) {
    if (given.length === 0) super(readNow() + faults.offMs);
    else super(...given);
  }
};

const handle = await open("/dev/null", "r");
const prototype = Object.getPrototypeOf(handle);
await handle.close();
const failed = () => Object.assign(new Error(faults.code), { code: faults.code });
for (const name of ["write", "datasync", "sync", "truncate"]) {
  const real = prototype[name];
  prototype[name] = async function faulty(...given) {
    if (faults.code !== "") throw failed();
    if (faults.slowMs > 0 && name.endsWith("sync")) {
      await new Promise((resolve) => setTimeout(resolve, faults.slowMs));
    }
    return real.apply(this, given);
  };
}

function look() {
  try {
    Object.assign(
      faults,
      { code: "", slowMs: 0, offMs: 0 },
      JSON.parse(readFileSync(file, "utf8")),
    );
  } catch {
    // Between two versions of the file the last one stands.
  }
}
look();
setInterval(look, 50).unref();

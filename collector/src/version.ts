/** @module Version of this package, from its manifest. */
import { readFileSync } from "node:fs";

/** Version of this package. */
export const version: string = (
  JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
    version: string;
  }
).version;

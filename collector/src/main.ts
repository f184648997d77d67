/** @module Main: the program `turnproof`; all its functions are commands. */
import { run } from "./cli/program.ts";

await run(process.argv);

/**
 * @module Main: the program `turnproof`. Everything it can do is a command.
 */
import { run } from "./cli/program.ts";

await run(process.argv);

/** @module `turnproof token`: prints a new random token for the configuration. */
import type { Command } from "commander";

import { makeToken } from "../config/token-strength.ts";
import { withJson } from "./command.ts";
import { printJson } from "./terminal.ts";

/** Adds the command. */
export function addTokenCommand(program: Command): void {
  withJson(program.command("token"))
    .description("make a random token for an operator, an account or a producer")
    .addHelpText(
      "after",
      `
It has 256 random bits and is not kept anywhere:
  export TURNPROOF_UI_AUTH_TOKEN="$(turnproof token)"`,
    )
    .action(({ json }: { readonly json?: boolean }) => {
      const token = makeToken();
      if (json === true) printJson({ token });
      else process.stdout.write(`${token}\n`);
    });
}

/**
 * @module Auto: `node --import @turnproof/exporter/register/auto app.js` sets an application up
 * from its environment alone, without a change to its code. Problems are reported, and the
 * application starts all the same.
 */
import { CodedError } from "@turnproof/semconv";

import { noticeOn } from "./notice.ts";
import { register } from "./register.ts";

try {
  register();
} catch (error) {
  const why = CodedError.is(error) ? error.message : "the set-up failed";
  noticeOn(process.env)(`nothing is recorded: ${why}`);
}

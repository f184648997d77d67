/**
 * @module Auto: `node --import @turnproof/exporter/register/auto app.js` sets an application up by
 * its environment alone, without a line in it. What is wrong with that is said, and the application
 * starts all the same.
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

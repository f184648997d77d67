/**
 * @module Auto: `node --import @turnproof/exporter/register/auto app.js` sets an application up by
 * its environment alone, without a line in it.
 */
import { register } from "./register.ts";

register();

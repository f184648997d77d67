/** @module What stands first in an application of CommonJS. */
//#region telemetry
const { register } = require("@turnproof/exporter/register");
register({ serviceName: "modules" });
//#endregion

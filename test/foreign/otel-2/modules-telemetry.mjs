/** @module What an application of ES modules loads before its own. */
//#region telemetry
import { register } from "@turnproof/exporter/register";
register({ serviceName: "modules" });
//#endregion

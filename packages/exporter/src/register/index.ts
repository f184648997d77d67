/** @module Register: the only subpath that builds an SDK. */
export { readEnvironment } from "./environment.ts";
export type { Environment, Variables } from "./environment.ts";
export { register } from "./register.ts";
export type { RegisterOptions, Registration } from "./register.ts";
export { otlpExporter } from "./sdk.ts";

/** @module Version of this package, recorded on spans. */
export const version = "0.1.0";

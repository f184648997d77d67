/** @module Version of this package, as spans name it. */
export const version = "0.1.0";

/** @module Contract kit. */
export {};

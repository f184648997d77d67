/** @module Journal. */
export {};

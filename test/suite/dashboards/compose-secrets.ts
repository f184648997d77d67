/** @module What a compose file may set a secret variable to. */

/** A value that comes from outside the file, or an address without a login. */
export const noPlainSecret = /\$\{|^[a-z]+:\/\/[^@?\s]+$/;

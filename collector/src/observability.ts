/** x */
export const a: number = 1;

/**
 * Random hexadecimal digits, for a name that must be unique but not secret. `crypto.randomUUID` would load node:crypto,
 * which takes 5 ms.
 */
export const uniqueHex = (length: number): string =>
  Array.from({ length }, () => Math.floor(Math.random() * 16).toString(16)).join("");

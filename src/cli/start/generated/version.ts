// Made by `npm run generate`; do not edit.
/** The version of gpuctl. */
export const version = "0.1.0";

/** The versions of Node.js that it runs on. */
export const neededNode = ">=20.19";

// Made by `npm run generate`; do not edit.
/** The version of gpuctl. */
export const version = "0.1.0";

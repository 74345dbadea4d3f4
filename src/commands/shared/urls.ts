/** What is wrong with a base URL, for "must be ..."; nothing when it will do. */
export const urlProblem = (text: string): string | undefined =>
  /^https?:\/\//i.test(text) && URL.canParse(text) ? undefined : "a URL such as https://api.example.com";

/** Scheme, host and port of a URL; nothing for what is none. */
export const originOf = (url: string | undefined): string | undefined =>
  url !== undefined && URL.canParse(url) ? new URL(url).origin : undefined;

/** A fault and its place in one sentence: "--gpus must be 1", but "--image: SD2 does not do that". */
export const sentence = ({ flag, message }: { readonly flag: string; readonly message: string }): string =>
  /^(must|is|has)\b/.test(message) ? `${flag} ${message}` : `${flag}: ${message}`;

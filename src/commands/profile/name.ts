/** What is wrong with the name of a profile; nothing when it will do. */
export const nameProblem = (name: string): string | undefined =>
  /^[\w.][\w.-]{0,63}$/.test(name) && name !== "__proto__"
    ? undefined
    : "A name has 1 to 64 letters, digits, -, _ and ., and does not start with -.";

/** What a command that sends nothing to the service says in a dry run, in place of doing its work. */
export const nothingDone = "Nothing was done: this is a dry run.";

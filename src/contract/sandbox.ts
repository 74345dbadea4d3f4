/** The one chat model of the sandbox. It echoes, and says so by its name. */
export const sandboxChatModel = "sandbox-echo";

import type { CommandSpec } from "../spec.ts";

export const chatCommands: readonly CommandSpec[] = [
  {
    path: ["chat"],
    summary: "Chat with a model",
    details: "The message is what stdin holds, then the argument, with a blank line between.",
    operations: ["createChatCompletion"],
    positionals: [
      { name: "MESSAGE", text: "What to say", gives: "messages", required: true, stdin: "before" },
    ],
    withoutFlag: ["messages"],
    found: { model: "chatModel" },
    flags: [
      {
        names: ["system"],
        short: "s",
        value: "TEXT",
        text: "Instructions for the model; @FILE reads a file",
      },
      { names: ["top-p"], value: "N", text: "Nucleus sampling", gives: ["top_p"] },
      { names: ["stop"], value: "TEXT", text: "Text that ends the answer", repeat: true, gives: ["stop"] },
      { names: ["seed"], value: "N", text: "Seed of the answer", gives: ["seed"] },
      {
        names: ["param"],
        value: "KEY=JSON",
        text: "Anything else that the service takes",
        repeat: true,
      },
      { names: ["no-stream"], text: "Print the answer when it is whole" },
      { names: ["usage"], text: "Tell the number of tokens on stderr" },
    ],
    view: { kind: "lines", path: "choices.0.message.content" },
    examples: [
      { text: "Ask something", command: 'gpuctl chat "Which GPU for a 70B model?" --sandbox' },
      {
        text: "About a file, the whole answer as JSON",
        command: 'printf "GPU 0: ECC error" | gpuctl chat "What is wrong?" -o json --sandbox',
      },
    ],
    load: () => import("./chat.ts"),
  },
  {
    path: ["chat", "models"],
    summary: "List the chat models, where the service does",
    operations: [],
    view: {
      kind: "list",
      columns: [
        { title: "MODEL", paths: ["id"] },
        { title: "OWNED BY", paths: ["owned_by"] },
      ],
      empty: "No models.",
      id: ["id"],
    },
    examples: [
      { text: "List them", command: "gpuctl chat models --sandbox" },
      { text: "Just the names", command: "gpuctl chat models -o id --sandbox" },
    ],
    load: () => import("./models.ts"),
  },
];

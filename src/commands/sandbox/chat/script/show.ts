import { controlCommand, replyColumns } from "../../control.ts";

export default controlCommand({
  path: "sandbox chat script show",
  summary: "Show the chat script, and how often each reply was sent",
  view: { kind: "list", columns: replyColumns, empty: "No chat script.", id: ["index"] },
  examples: [
    { text: "Show the script", command: "gpuctl sandbox chat script show" },
    { text: "Print as JSON", command: "gpuctl sandbox chat script show -o json" },
  ],
  act: ({ chatScript }) => chatScript.show(),
});

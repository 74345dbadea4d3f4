import { defineCommand } from "../../command-kit/define.ts";
import { writeAndCheck } from "../../command-kit/outcomes.ts";

export default defineCommand({
  path: "reserve request",
  summary: "Request a reservation of many GPUs",
  operation: "requestReservation",
  view: { kind: "lines", path: "message" },
  examples: [
    { text: "Request 512 GPUs", command: "gpuctl reserve request --gpu-count 512 --sandbox" },
    {
      text: "Request 64 GPUs, and print the response as JSON",
      command: "gpuctl reserve request --gpus 64 -o json --sandbox",
    },
  ],
  run: async ({ input, call }) => ({
    data: await writeAndCheck(
      () => call("requestReservation", input),
      "No command lists these requests: before you send another request, ask the service whether it received this one.",
    ),
  }),
});

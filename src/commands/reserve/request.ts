import { callCommand } from "../../command-kit/define.ts";

export default callCommand({
  path: "reserve request",
  summary: "Request a reservation of many GPUs",
  operation: "requestReservation",
  view: { kind: "lines", path: "message" },
  examples: [
    { text: "Request 512 GPUs", command: "gpuctl reserve request --gpu-count 512 --sandbox" },
    { text: "Print the response as JSON", command: "gpuctl reserve request --gpus 64 -o json --sandbox" },
  ],
});

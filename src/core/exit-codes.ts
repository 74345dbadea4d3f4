/** gpuctl's own exit codes. Each has the same meaning in every command. */
export const exit = {
  done: 0,
  fault: 1,
  usage: 2,
  credential: 3,
  forbidden: 4,
  notFound: 5,
  refused: 6,
  service: 7,
  notReady: 8,
  network: 9,
  unknownOutcome: 10,
  budget: 11,
  someFailed: 12,
  interrupted: 130,
} as const;

/** The response to `rentals list` in the benchmarks of single commands: 25 rentals. */
export const rows = Array.from({ length: 25 }, (_, index) => ({
  id: index + 1,
  status: "Running",
  label: `node-${index + 1}`,
  gpuCount: 8,
  gpuType: "h100",
  region: "us-central-1",
  costPerHourCents: 1600,
}));

import type { StoredRental } from "./lifecycle.ts";

/** Networks that are set aside for documentation: nothing ever answers there. */
export const documentationNetworks = ["192.0.2", "198.51.100", "203.0.113"] as const;
const hostsPerNetwork = 254;

export const gpusPerMachine = 8;

/** Where to reach the machines of a rental: one address for each bare-metal machine, one for a virtual machine. */
export function sshNetworking(id: number, { rentalType, gpuCount }: StoredRental) {
  const machines = rentalType === "bare-metal" ? gpuCount / gpusPerMachine : 1;
  return Array.from({ length: machines }, (_, index) => ({
    host: host(id + index),
    port: 22,
    user: "ubuntu",
  }));
}

function host(number: number): string {
  const network = documentationNetworks[Math.floor(number / hostsPerNetwork) % documentationNetworks.length];
  return `${network}.${(number % hostsPerNetwork) + 1}`;
}

/** The service's enums (service sections 2.1 and 2.8). */

export const networkTypes = ["infiniband", "ethernet"] as const;
export const gpuTypes = ["h100", "h200", "b200", "rtx-6000-pro"] as const;
export const termTypes = ["on-demand", "reserved"] as const;
export const cudaVersions = ["cuda12.8", "cuda12.9"] as const;
export const rentalTypes = ["bare-metal", "virtual-machine"] as const;
export const rentalStates = ["active", "terminated"] as const;

export const bareMetalRegions = [
  "us-central-1",
  "uk-central-3",
  "uk-southeast-3",
  "eu-southwest-3",
  "eu-southwest-3-1",
  "eu-west-3",
  "eu-west-4",
] as const;

export const virtualMachineRegions = [
  "us-central-1",
  "us-central-2",
  "eu-north-2",
  "eu-west-2",
  "eu-north-4",
  "eu-north-5",
  "us-east-1",
  "us-east-2",
  "ca-east-3",
  "eu-north-6",
  "eu-north-7",
  "eu-north-8",
  "ca-west-1",
  "ca-east-1",
  "us-central-3",
  "us-southeast-1",
  "me-central-1",
  "ca-east-2",
  "eu-west-1",
  "us-southeast-2",
  "jp-east-1",
  "us-southeast-3",
  "eu-west-5",
  "us-east-3",
] as const;

/** A storage volume can be in any region of either set. */
export const volumeRegions = [...new Set([...virtualMachineRegions, ...bareMetalRegions])];

export const backends = ["auto", "tvm", "torch"] as const;

// Made by `npm run generate`; do not edit.
import type { GlobalNode, Noun } from "../../command-kit/tree.ts";

/** Every command, by its noun, in the order of help. */
export const nouns: readonly Noun[] = [
 {
  "name": "setup",
  "summary": "Set gpuctl up, step by step",
  "commands": [
   {
    "path": [
     "setup"
    ],
    "summary": "Set up gpuctl step by step",
    "details": "Each answer is checked and saved in a profile. Run setup again to continue, or to change an answer.",
    "args": [],
    "flags": [],
    "limits": [],
    "examples": [
     {
      "text": "Set up the profile in use, or the first one",
      "command": "gpuctl setup"
     },
     {
      "text": "Set up another profile",
      "command": "gpuctl setup --profile play"
     }
    ]
   }
  ]
 },
 {
  "name": "rentals",
  "summary": "Rent GPUs: virtual machines and bare metal",
  "commands": [
   {
    "path": [
     "rentals",
     "create",
     "vm"
    ],
    "summary": "Rent a virtual machine",
    "operation": "createVirtualMachineRental",
    "args": [],
    "flags": [
     {
      "names": [
       "gpu-count",
       "gpus"
      ],
      "kind": "number",
      "value": "N",
      "text": "Number of GPUs",
      "notes": [],
      "required": true,
      "field": "gpuCount"
     },
     {
      "names": [
       "network-type"
      ],
      "kind": "text",
      "value": "VALUE",
      "text": "Network of the machine",
      "notes": [
       "one of infiniband, ethernet",
       "default ethernet"
      ],
      "choices": [
       "infiniband",
       "ethernet"
      ],
      "default": "ethernet",
      "field": "networkType"
     },
     {
      "names": [
       "region"
      ],
      "kind": "text",
      "value": "VALUE",
      "text": "Where the machine stands",
      "notes": [
       "one of us-central-1, us-central-2, eu-north-2, eu-west-2, eu-north-4, eu-north-5, us-east-1, us-east-2, ca-east-3, eu-north-6, eu-north-7, eu-north-8, ca-west-1, ca-east-1, us-central-3, us-southeast-1, me-central-1, ca-east-2, eu-west-1, us-southeast-2, jp-east-1, us-southeast-3, eu-west-5, us-east-3",
       "default us-central-1",
       "config rentals.region"
      ],
      "choices": [
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
       "us-east-3"
      ],
      "default": "us-central-1",
      "field": "region",
      "configKey": "rentals.region"
     },
     {
      "names": [
       "gpu-type",
       "gpu"
      ],
      "kind": "text",
      "value": "VALUE",
      "text": "GPU model",
      "notes": [
       "one of h100, h200, b200, rtx-6000-pro",
       "default h100",
       "config rentals.gpuType"
      ],
      "choices": [
       "h100",
       "h200",
       "b200",
       "rtx-6000-pro"
      ],
      "default": "h100",
      "field": "gpuType",
      "configKey": "rentals.gpuType"
     },
     {
      "names": [
       "label"
      ],
      "kind": "text",
      "value": "TEXT",
      "text": "Name of the rental",
      "notes": [],
      "field": "label"
     },
     {
      "names": [
       "term-type"
      ],
      "kind": "text",
      "value": "VALUE",
      "text": "How the rental is billed",
      "notes": [
       "one of on-demand, reserved",
       "default on-demand"
      ],
      "choices": [
       "on-demand",
       "reserved"
      ],
      "default": "on-demand",
      "field": "termType"
     },
     {
      "names": [
       "term-period-days",
       "days"
      ],
      "kind": "number",
      "value": "N",
      "text": "Length of a reserved term in days",
      "notes": [],
      "field": "termPeriodDays"
     },
     {
      "names": [
       "discount-percentage"
      ],
      "kind": "number",
      "value": "N",
      "text": "Discount on the price, in percent",
      "notes": [
       "default 0"
      ],
      "default": "0",
      "field": "discountPercentage"
     },
     {
      "names": [
       "monitoring-enabled"
      ],
      "kind": "boolean",
      "text": "Collect metrics",
      "notes": [],
      "negatable": true,
      "field": "monitoringEnabled"
     },
     {
      "names": [
       "convert-to-on-demand-on-expiry"
      ],
      "kind": "boolean",
      "text": "Go on as on-demand when the reserved term ends",
      "notes": [
       "default true"
      ],
      "default": "true",
      "negatable": true,
      "field": "convertToOnDemandOnExpiry"
     },
     {
      "names": [
       "ssh-public-key-id"
      ],
      "kind": "integer",
      "value": "N",
      "text": "SSH public key to put on the machine",
      "notes": [],
      "field": "sshPublicKeyId"
     },
     {
      "names": [
       "ssh-public-key-ids"
      ],
      "kind": "list",
      "item": "integer",
      "value": "N",
      "text": "SSH public keys to put on the machine",
      "notes": [
       "at least 1 item",
       "repeat or use commas"
      ],
      "repeat": true,
      "field": "sshPublicKeyIds"
     },
     {
      "names": [
       "custom-ports"
      ],
      "kind": "list",
      "item": "integer",
      "value": "N",
      "text": "Ports to open beside SSH",
      "notes": [
       "at most 20 items, each 1 to 65535",
       "repeat or use commas"
      ],
      "repeat": true,
      "field": "customPorts"
     },
     {
      "kind": "boolean",
      "text": "Wait until the rental is running",
      "names": [
       "wait"
      ],
      "notes": [],
      "key": "wait"
     },
     {
      "kind": "duration",
      "text": "Longest time to wait",
      "value": "DURATION",
      "default": "15m",
      "names": [
       "wait-timeout"
      ],
      "notes": [
       "default 15m"
      ],
      "key": "waitTimeout"
     },
     {
      "kind": "cents",
      "text": "Refuse when the active rentals already cost this many dollars an hour or more",
      "value": "AMOUNT",
      "names": [
       "max-burn"
      ],
      "notes": [
       "config budget.maxBurn"
      ],
      "key": "maxBurn",
      "configKey": "budget.maxBurn"
     }
    ],
    "limits": [],
    "confirm": "spending",
    "examples": [
     {
      "text": "Rent one H100",
      "command": "gpuctl rentals create vm --gpus 1 --sandbox --yes"
     },
     {
      "text": "Two H200 in eu-north-4 with a web port, and wait until it is running",
      "command": "gpuctl rentals create vm --gpus 2 --gpu h200 --region eu-north-4 --custom-ports 8080 --wait --sandbox --yes"
     }
    ]
   },
   {
    "path": [
     "rentals",
     "create",
     "bare-metal"
    ],
    "summary": "Rent bare-metal machines",
    "operation": "createBareMetalRental",
    "args": [],
    "flags": [
     {
      "names": [
       "network-type"
      ],
      "kind": "text",
      "value": "VALUE",
      "text": "Network between the machines",
      "notes": [
       "one of infiniband, ethernet"
      ],
      "choices": [
       "infiniband",
       "ethernet"
      ],
      "required": true,
      "field": "networkType"
     },
     {
      "names": [
       "gpu-count",
       "gpus"
      ],
      "kind": "number",
      "value": "N",
      "text": "Number of GPUs; a machine has 8",
      "notes": [
       "at least 1, a multiple of 8"
      ],
      "required": true,
      "field": "gpuCount"
     },
     {
      "names": [
       "region"
      ],
      "kind": "text",
      "value": "VALUE",
      "text": "Where the machines stand",
      "notes": [
       "one of us-central-1, uk-central-3, uk-southeast-3, eu-southwest-3, eu-southwest-3-1, eu-west-3, eu-west-4",
       "default us-central-1",
       "config rentals.region"
      ],
      "choices": [
       "us-central-1",
       "uk-central-3",
       "uk-southeast-3",
       "eu-southwest-3",
       "eu-southwest-3-1",
       "eu-west-3",
       "eu-west-4"
      ],
      "default": "us-central-1",
      "field": "region",
      "configKey": "rentals.region"
     },
     {
      "names": [
       "gpu-type",
       "gpu"
      ],
      "kind": "text",
      "value": "VALUE",
      "text": "GPU model",
      "notes": [
       "one of h100, h200, b200, rtx-6000-pro",
       "default h100",
       "config rentals.gpuType"
      ],
      "choices": [
       "h100",
       "h200",
       "b200",
       "rtx-6000-pro"
      ],
      "default": "h100",
      "field": "gpuType",
      "configKey": "rentals.gpuType"
     },
     {
      "names": [
       "label"
      ],
      "kind": "text",
      "value": "TEXT",
      "text": "Name of the rental",
      "notes": [],
      "field": "label"
     },
     {
      "names": [
       "term-type"
      ],
      "kind": "text",
      "value": "VALUE",
      "text": "How the rental is billed",
      "notes": [
       "one of on-demand, reserved",
       "default on-demand"
      ],
      "choices": [
       "on-demand",
       "reserved"
      ],
      "default": "on-demand",
      "field": "termType"
     },
     {
      "names": [
       "term-period-days",
       "days"
      ],
      "kind": "number",
      "value": "N",
      "text": "Length of a reserved term in days",
      "notes": [],
      "field": "termPeriodDays"
     },
     {
      "names": [
       "discount-percentage"
      ],
      "kind": "number",
      "value": "N",
      "text": "Discount on the price, in percent",
      "notes": [
       "default 0"
      ],
      "default": "0",
      "field": "discountPercentage"
     },
     {
      "names": [
       "monitoring-enabled"
      ],
      "kind": "boolean",
      "text": "Collect metrics",
      "notes": [],
      "negatable": true,
      "field": "monitoringEnabled"
     },
     {
      "names": [
       "convert-to-on-demand-on-expiry"
      ],
      "kind": "boolean",
      "text": "Go on as on-demand when the reserved term ends",
      "notes": [
       "default true"
      ],
      "default": "true",
      "negatable": true,
      "field": "convertToOnDemandOnExpiry"
     },
     {
      "names": [
       "ssh-public-key-id"
      ],
      "kind": "integer",
      "value": "N",
      "text": "SSH public key to put on the machine",
      "notes": [],
      "field": "sshPublicKeyId"
     },
     {
      "names": [
       "ssh-public-key-ids"
      ],
      "kind": "list",
      "item": "integer",
      "value": "N",
      "text": "SSH public keys to put on the machine",
      "notes": [
       "at least 1 item",
       "repeat or use commas"
      ],
      "repeat": true,
      "field": "sshPublicKeyIds"
     },
     {
      "names": [
       "cuda-version"
      ],
      "kind": "text",
      "value": "VALUE",
      "text": "CUDA version to install",
      "notes": [
       "one of cuda12.8, cuda12.9"
      ],
      "choices": [
       "cuda12.8",
       "cuda12.9"
      ],
      "field": "cudaVersion"
     },
     {
      "kind": "id",
      "text": "Existing storage volume to attach",
      "value": "ID",
      "completes": "volume",
      "setsFields": [
       "storageVolume.id",
       "storageVolume.isNew"
      ],
      "names": [
       "storage-volume"
      ],
      "notes": [],
      "key": "storageVolume",
      "conflictsWith": [
       "new-volume",
       "new-volume-size"
      ]
     },
     {
      "kind": "text",
      "text": "Create a storage volume with this label and attach it; requires --new-volume-size",
      "value": "LABEL",
      "setsFields": [
       "storageVolume.label"
      ],
      "names": [
       "new-volume"
      ],
      "notes": [
       "4 to 255 characters, matching ^[a-zA-Z0-9_-]+$"
      ],
      "key": "newVolume"
     },
     {
      "kind": "number",
      "text": "Size of the new volume",
      "value": "GB",
      "setsFields": [
       "storageVolume.sizeInGb"
      ],
      "names": [
       "new-volume-size"
      ],
      "notes": [
       "256 to 64000"
      ],
      "key": "newVolumeSize"
     },
     {
      "kind": "boolean",
      "text": "Wait until the rental is running",
      "names": [
       "wait"
      ],
      "notes": [],
      "key": "wait"
     },
     {
      "kind": "duration",
      "text": "Longest time to wait",
      "value": "DURATION",
      "default": "15m",
      "names": [
       "wait-timeout"
      ],
      "notes": [
       "default 15m"
      ],
      "key": "waitTimeout"
     },
     {
      "kind": "cents",
      "text": "Refuse when the active rentals already cost this many dollars an hour or more",
      "value": "AMOUNT",
      "names": [
       "max-burn"
      ],
      "notes": [
       "config budget.maxBurn"
      ],
      "key": "maxBurn",
      "configKey": "budget.maxBurn"
     }
    ],
    "limits": [],
    "confirm": "spending",
    "examples": [
     {
      "text": "Rent a machine with 8 H100 and InfiniBand",
      "command": "gpuctl rentals create bare-metal --gpus 8 --network-type infiniband --sandbox --yes"
     },
     {
      "text": "With a new storage volume of 1 TB",
      "command": "gpuctl rentals create bare-metal --gpus 8 --network-type ethernet --new-volume training-data --new-volume-size 1024 --sandbox --yes"
     }
    ]
   },
   {
    "path": [
     "rentals",
     "list"
    ],
    "summary": "List the active rentals",
    "operation": "listVirtualMachineRentals",
    "args": [],
    "flags": [
     {
      "names": [
       "include-cluster-pools"
      ],
      "kind": "boolean",
      "text": "Also list rentals that belong to cluster pools",
      "notes": [],
      "negatable": true,
      "field": "includeClusterPools"
     },
     {
      "kind": "choice",
      "text": "List only this type; both by default",
      "value": "TYPE",
      "choices": [
       "vm",
       "bare-metal"
      ],
      "names": [
       "type"
      ],
      "notes": [
       "one of vm, bare-metal"
      ],
      "key": "type"
     },
     {
      "kind": "duration",
      "text": "Refresh until Ctrl-C, and mark what changed",
      "value": "INTERVAL",
      "optionalValue": "5s",
      "names": [
       "watch"
      ],
      "notes": [
       "5s without a value"
      ],
      "key": "watch"
     }
    ],
    "limits": [],
    "examples": [
     {
      "text": "List all active rentals",
      "command": "gpuctl rentals list --sandbox",
      "after": [
       "gpuctl rentals create vm --gpus 1 --sandbox --yes"
      ]
     },
     {
      "text": "Just the ids of the virtual machines",
      "command": "gpuctl rentals list --type vm -o id --sandbox",
      "after": [
       "gpuctl rentals create vm --gpus 1 --sandbox --yes"
      ]
     }
    ]
   },
   {
    "path": [
     "rentals",
     "get"
    ],
    "summary": "Show one rental, running or ended",
    "operation": "getRental",
    "args": [
     {
      "name": "RENTAL",
      "text": "Id of the rental",
      "kind": "text",
      "field": "rentalId",
      "required": true,
      "completes": "rental"
     }
    ],
    "flags": [],
    "limits": [],
    "examples": [
     {
      "text": "Show a rental",
      "command": "gpuctl rentals get 1001 --sandbox",
      "after": [
       "gpuctl rentals create vm --gpus 1 --sandbox --yes"
      ]
     },
     {
      "text": "As JSON, exactly as the service sends it",
      "command": "gpuctl rentals get 1001 -o json --sandbox",
      "after": [
       "gpuctl rentals create vm --gpus 1 --sandbox --yes"
      ]
     }
    ]
   },
   {
    "path": [
     "rentals",
     "history"
    ],
    "summary": "List the rentals that have ended",
    "operation": "listRentalHistory",
    "args": [],
    "flags": [],
    "limits": [],
    "examples": [
     {
      "text": "List past rentals",
      "command": "gpuctl rentals history --sandbox"
     },
     {
      "text": "As JSON",
      "command": "gpuctl rentals history -o json --sandbox"
     }
    ]
   },
   {
    "path": [
     "rentals",
     "summary"
    ],
    "summary": "Count the active rentals and show their hourly cost",
    "operation": "getActiveRentalSummary",
    "args": [],
    "flags": [],
    "limits": [],
    "examples": [
     {
      "text": "What is running and what it costs",
      "command": "gpuctl rentals summary --sandbox",
      "after": [
       "gpuctl rentals create vm --gpus 1 --sandbox --yes"
      ]
     },
     {
      "text": "In cents, for a script",
      "command": "gpuctl rentals summary -o json --sandbox",
      "after": [
       "gpuctl rentals create vm --gpus 1 --sandbox --yes"
      ]
     }
    ]
   },
   {
    "path": [
     "rentals",
     "wait"
    ],
    "summary": "Wait until a rental is running or has ended",
    "operation": "getRental",
    "args": [
     {
      "name": "RENTAL",
      "text": "Id of the rental",
      "kind": "text",
      "field": "rentalId",
      "required": true,
      "completes": "rental"
     }
    ],
    "flags": [
     {
      "kind": "choice",
      "text": "State to wait for",
      "value": "STATE",
      "choices": [
       "running",
       "active",
       "terminated"
      ],
      "default": "running",
      "names": [
       "for"
      ],
      "notes": [
       "one of running, active, terminated",
       "default running"
      ],
      "key": "for"
     },
     {
      "kind": "duration",
      "text": "Time between two checks",
      "value": "DURATION",
      "default": "5s",
      "names": [
       "interval"
      ],
      "notes": [
       "default 5s"
      ],
      "key": "interval"
     },
     {
      "kind": "duration",
      "text": "Longest time to wait",
      "value": "DURATION",
      "default": "15m",
      "names": [
       "wait-timeout"
      ],
      "notes": [
       "default 15m"
      ],
      "key": "waitTimeout"
     }
    ],
    "limits": [],
    "examples": [
     {
      "text": "Wait until a machine can be reached",
      "command": "gpuctl rentals wait 1001 --for running --interval 1s --sandbox",
      "after": [
       "gpuctl rentals create vm --gpus 1 --sandbox --yes"
      ]
     },
     {
      "text": "At most ten minutes",
      "command": "gpuctl rentals wait 1001 --for active --wait-timeout 10m --sandbox",
      "after": [
       "gpuctl rentals create vm --gpus 1 --sandbox --yes"
      ]
     }
    ]
   },
   {
    "path": [
     "rentals",
     "ssh"
    ],
    "summary": "Open a shell on a rental, or run a command there",
    "details": "Runs the system's ssh and exits with its exit status; with -o json it prints the address instead of running ssh.",
    "operation": "getRental",
    "args": [
     {
      "name": "RENTAL",
      "text": "Id of the rental",
      "kind": "text",
      "field": "rentalId",
      "required": true,
      "completes": "rental"
     },
     {
      "name": "ARGS",
      "text": "After --: options of ssh, then the command to run there, passed on unchanged",
      "kind": "text",
      "variadic": true
     }
    ],
    "flags": [
     {
      "kind": "integer",
      "text": "Which machine of several, counted from 1; the first by default",
      "value": "N",
      "minimum": 1,
      "names": [
       "node"
      ],
      "notes": [],
      "key": "node"
     },
     {
      "kind": "boolean",
      "text": "Print the command line instead of running it",
      "names": [
       "print"
      ],
      "notes": [],
      "key": "print"
     },
     {
      "kind": "boolean",
      "text": "Wait until the rental can be reached",
      "names": [
       "wait"
      ],
      "notes": [],
      "key": "wait"
     },
     {
      "kind": "duration",
      "text": "Longest time to wait",
      "value": "DURATION",
      "default": "15m",
      "names": [
       "wait-timeout"
      ],
      "notes": [
       "default 15m"
      ],
      "key": "waitTimeout"
     }
    ],
    "limits": [],
    "examples": [
     {
      "text": "Print the command line that opens a shell on a rental",
      "command": "gpuctl rentals ssh 1001 --wait --print --sandbox",
      "after": [
       "gpuctl rentals create vm --gpus 1 --sandbox --yes"
      ]
     },
     {
      "text": "Show what would be done to run a command there",
      "command": "gpuctl rentals ssh 1001 --dry-run --sandbox -- nvidia-smi -L",
      "after": [
       "gpuctl rentals create vm --gpus 1 --sandbox --yes"
      ]
     }
    ]
   },
   {
    "path": [
     "rentals",
     "terminate"
    ],
    "summary": "End rentals, where the service lists an operation for it",
    "details": "Uses the operation that the service's own description lists. All rentals are looked up first: if one is missing, none is ended. If one cannot be ended, the others still are.",
    "args": [
     {
      "name": "RENTAL",
      "text": "Id of a rental",
      "kind": "text",
      "variadic": true,
      "required": true,
      "completes": "rental"
     }
    ],
    "flags": [],
    "limits": [],
    "confirm": "destruction",
    "examples": [
     {
      "text": "End a rental",
      "command": "gpuctl rentals terminate 1001 --yes --sandbox",
      "after": [
       "gpuctl rentals create vm --gpus 1 --sandbox --yes"
      ]
     },
     {
      "text": "End two, and show the responses as received",
      "command": "gpuctl rentals terminate 1001 1002 --yes -o json --sandbox",
      "after": [
       "gpuctl rentals create vm --gpus 1 --sandbox --yes",
       "gpuctl rentals create vm --gpus 1 --sandbox --yes"
      ]
     }
    ]
   }
  ]
 },
 {
  "name": "volumes",
  "summary": "Storage volumes",
  "commands": [
   {
    "path": [
     "volumes",
     "create"
    ],
    "summary": "Create a storage volume",
    "operation": "createStorageVolume",
    "args": [],
    "flags": [
     {
      "names": [
       "region"
      ],
      "kind": "text",
      "value": "VALUE",
      "text": "Where the volume is kept",
      "notes": [
       "one of us-central-1, us-central-2, eu-north-2, eu-west-2, eu-north-4, eu-north-5, us-east-1, us-east-2, ca-east-3, eu-north-6, eu-north-7, eu-north-8, ca-west-1, ca-east-1, us-central-3, us-southeast-1, me-central-1, ca-east-2, eu-west-1, us-southeast-2, jp-east-1, us-southeast-3, eu-west-5, us-east-3, uk-central-3, uk-southeast-3, eu-southwest-3, eu-southwest-3-1, eu-west-3, eu-west-4"
      ],
      "choices": [
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
       "uk-central-3",
       "uk-southeast-3",
       "eu-southwest-3",
       "eu-southwest-3-1",
       "eu-west-3",
       "eu-west-4"
      ],
      "required": true,
      "field": "region"
     },
     {
      "names": [
       "label"
      ],
      "kind": "text",
      "value": "TEXT",
      "text": "Label: letters, digits, underscores and dashes",
      "notes": [
       "4 to 255 characters, matching ^[a-zA-Z0-9_-]+$"
      ],
      "required": true,
      "field": "label"
     },
     {
      "names": [
       "size-in-gb"
      ],
      "kind": "integer",
      "value": "N",
      "text": "Size in GB",
      "notes": [
       "256 to 64000, a multiple of 256"
      ],
      "required": true,
      "field": "sizeInGb"
     },
     {
      "names": [
       "rental-ids"
      ],
      "completes": "rental",
      "kind": "list",
      "item": "id",
      "value": "ID",
      "text": "Rentals to attach it to",
      "notes": [
       "repeat or use commas"
      ],
      "repeat": true,
      "field": "rentalIds"
     }
    ],
    "limits": [],
    "examples": [
     {
      "text": "One terabyte in us-central-1",
      "command": "gpuctl volumes create --region us-central-1 --label training-data --size-in-gb 1024 --sandbox"
     },
     {
      "text": "Attached to a bare-metal rental from the start",
      "command": "gpuctl volumes create --region us-central-1 --label training-data --size-in-gb 1024 --sandbox --rental-ids 1001",
      "after": [
       "gpuctl rentals create bare-metal --gpus 8 --network-type ethernet --sandbox --yes"
      ]
     }
    ]
   },
   {
    "path": [
     "volumes",
     "list"
    ],
    "summary": "List the storage volumes",
    "operation": "listStorageVolumes",
    "args": [],
    "flags": [],
    "limits": [],
    "examples": [
     {
      "text": "List all volumes",
      "command": "gpuctl volumes list --sandbox",
      "after": [
       "gpuctl volumes create --region us-central-1 --label training-data --size-in-gb 1024 --sandbox"
      ]
     },
     {
      "text": "Just their ids",
      "command": "gpuctl volumes list -o id --sandbox",
      "after": [
       "gpuctl volumes create --region us-central-1 --label training-data --size-in-gb 1024 --sandbox"
      ]
     }
    ]
   },
   {
    "path": [
     "volumes",
     "attach"
    ],
    "summary": "Attach a storage volume to bare-metal rentals",
    "operation": "attachStorageVolume",
    "args": [
     {
      "name": "VOLUME",
      "text": "Id of the volume",
      "kind": "text",
      "field": "storageVolumeId",
      "required": true,
      "completes": "volume"
     },
     {
      "name": "RENTAL",
      "text": "Ids of bare-metal rentals",
      "kind": "text",
      "field": "rentalIds",
      "required": true,
      "completes": "rental",
      "variadic": true
     }
    ],
    "flags": [],
    "limits": [],
    "examples": [
     {
      "text": "Attach a volume to one rental",
      "command": "gpuctl volumes attach 501 1001 --sandbox",
      "after": [
       "gpuctl volumes create --region us-central-1 --label training-data --size-in-gb 1024 --sandbox",
       "gpuctl rentals create bare-metal --gpus 8 --network-type ethernet --sandbox --yes"
      ]
     },
     {
      "text": "To two rentals at once",
      "command": "gpuctl volumes attach 501 1001 1002 --sandbox",
      "after": [
       "gpuctl volumes create --region us-central-1 --label training-data --size-in-gb 1024 --sandbox",
       "gpuctl rentals create bare-metal --gpus 8 --network-type ethernet --sandbox --yes",
       "gpuctl rentals create bare-metal --gpus 8 --network-type ethernet --sandbox --yes"
      ]
     }
    ]
   }
  ]
 },
 {
  "name": "reserve",
  "summary": "Reserved terms",
  "commands": [
   {
    "path": [
     "reserve",
     "convert"
    ],
    "summary": "Convert an on-demand rental to a reserved term",
    "details": "The service refuses if its price differs from the one you expect.",
    "operation": "convertToReserved",
    "args": [
     {
      "name": "RENTAL",
      "text": "Id of the rental",
      "kind": "text",
      "field": "rentalId",
      "required": true,
      "completes": "rental"
     }
    ],
    "flags": [
     {
      "names": [
       "term-period-days",
       "days"
      ],
      "kind": "integer",
      "value": "N",
      "text": "Length of the reserved term in days",
      "notes": [
       "more than 0"
      ],
      "required": true,
      "field": "termPeriodDays"
     },
     {
      "names": [
       "expected-total-price-cents"
      ],
      "kind": "integer",
      "value": "N",
      "text": "Total price that you expect to pay, in cents",
      "notes": [
       "more than 0"
      ],
      "required": true,
      "field": "expectedTotalPriceCents"
     },
     {
      "kind": "cents",
      "text": "The same as --expected-total-price-cents, in dollars such as 1234.50",
      "value": "AMOUNT",
      "setsFields": [
       "expectedTotalPriceCents"
      ],
      "names": [
       "expected-price"
      ],
      "notes": [],
      "key": "expectedPrice"
     }
    ],
    "limits": [],
    "confirm": "spending",
    "examples": [
     {
      "text": "Reserve a rental for 30 days",
      "command": "gpuctl reserve convert 1001 --days 30 --expected-price 1296.00 --sandbox --yes",
      "after": [
       "gpuctl rentals create vm --gpus 1 --sandbox --yes"
      ]
     },
     {
      "text": "The price in cents",
      "command": "gpuctl reserve convert 1001 --days 30 --expected-total-price-cents 129600 --sandbox --yes",
      "after": [
       "gpuctl rentals create vm --gpus 1 --sandbox --yes"
      ]
     }
    ]
   },
   {
    "path": [
     "reserve",
     "extend"
    ],
    "summary": "Extend a reserved term",
    "details": "The service refuses if the price or the end of the term differs from what you expect.",
    "operation": "extendReserved",
    "args": [
     {
      "name": "RENTAL",
      "text": "Id of the rental",
      "kind": "text",
      "field": "rentalId",
      "required": true,
      "completes": "rental"
     }
    ],
    "flags": [
     {
      "names": [
       "term-period-days",
       "days"
      ],
      "kind": "integer",
      "value": "N",
      "text": "Length of the reserved term in days",
      "notes": [
       "more than 0"
      ],
      "required": true,
      "field": "termPeriodDays"
     },
     {
      "names": [
       "expected-total-price-cents"
      ],
      "kind": "integer",
      "value": "N",
      "text": "Total price that you expect to pay, in cents",
      "notes": [
       "more than 0"
      ],
      "required": true,
      "field": "expectedTotalPriceCents"
     },
     {
      "names": [
       "expected-reserved-until"
      ],
      "kind": "text",
      "value": "TIME",
      "text": "End of the term that you expect after the extension",
      "notes": [],
      "required": true,
      "field": "expectedReservedUntil"
     },
     {
      "kind": "cents",
      "text": "The same as --expected-total-price-cents, in dollars such as 1234.50",
      "value": "AMOUNT",
      "setsFields": [
       "expectedTotalPriceCents"
      ],
      "names": [
       "expected-price"
      ],
      "notes": [],
      "key": "expectedPrice"
     }
    ],
    "limits": [],
    "confirm": "spending",
    "examples": [
     {
      "text": "Show the request that would extend a term by 30 days",
      "command": "gpuctl reserve extend 1001 --days 30 --expected-price 1296.00 --expected-reserved-until 2027-01-19T00:00:00Z --dry-run --sandbox"
     },
     {
      "text": "The end of the term in a local time zone",
      "command": "gpuctl reserve extend 1001 --days 30 --expected-price 1296.00 --expected-reserved-until 2027-01-19T02:00:00+02:00 --dry-run --sandbox",
      "after": [
       "gpuctl rentals create vm --gpus 1 --term-type reserved --days 30 --sandbox --yes"
      ]
     }
    ]
   },
   {
    "path": [
     "reserve",
     "request"
    ],
    "summary": "Request a reservation of many GPUs",
    "operation": "requestReservation",
    "args": [],
    "flags": [
     {
      "names": [
       "gpu-count",
       "gpus"
      ],
      "kind": "number",
      "value": "N",
      "text": "Number of GPUs",
      "notes": [
       "at least 1"
      ],
      "required": true,
      "field": "gpuCount"
     }
    ],
    "limits": [],
    "examples": [
     {
      "text": "Request 512 GPUs",
      "command": "gpuctl reserve request --gpu-count 512 --sandbox"
     },
     {
      "text": "The response as JSON",
      "command": "gpuctl reserve request --gpus 64 -o json --sandbox"
     }
    ]
   }
  ]
 },
 {
  "name": "user",
  "summary": "The current user",
  "commands": [
   {
    "path": [
     "user",
     "update"
    ],
    "summary": "Change the current user",
    "operation": "updateCurrentUser",
    "args": [],
    "flags": [
     {
      "names": [
       "onboarded-for"
      ],
      "kind": "text",
      "value": "TEXT",
      "text": "What the account is used for",
      "notes": [],
      "field": "onboardedFor"
     },
     {
      "names": [
       "name"
      ],
      "kind": "text",
      "value": "TEXT",
      "text": "Name of the user",
      "notes": [],
      "field": "name"
     }
    ],
    "limits": [],
    "examples": [
     {
      "text": "Change the name",
      "command": "gpuctl user update --name \"Ada Lovelace\" --sandbox"
     },
     {
      "text": "Say what the account is for",
      "command": "gpuctl user update --onboarded-for research -o json --sandbox"
     }
    ]
   },
   {
    "path": [
     "user",
     "delete"
    ],
    "summary": "Delete the current user",
    "operation": "deleteCurrentUser",
    "args": [],
    "flags": [],
    "limits": [],
    "confirm": "destruction",
    "examples": [
     {
      "text": "Delete the account without confirmation",
      "command": "gpuctl user delete --yes --sandbox"
     },
     {
      "text": "Show what would be sent",
      "command": "gpuctl user delete --dry-run --sandbox"
     }
    ]
   }
  ]
 },
 {
  "name": "image",
  "summary": "Generate pictures",
  "commands": [
   {
    "path": [
     "image"
    ],
    "summary": "Generate pictures",
    "operation": "generateImage",
    "args": [
     {
      "name": "PROMPT",
      "text": "What the picture shows",
      "kind": "text",
      "field": "prompt",
      "required": true,
      "stdin": "instead"
     }
    ],
    "flags": [
     {
      "names": [
       "model-name",
       "model"
      ],
      "short": "m",
      "kind": "text",
      "value": "VALUE",
      "text": "Image model",
      "notes": [
       "one of FLUX.1-dev, SDXL1.0-base, SDXL-turbo, SD2, SD1.5, SSD",
       "config image.model"
      ],
      "choices": [
       "FLUX.1-dev",
       "SDXL1.0-base",
       "SDXL-turbo",
       "SD2",
       "SD1.5",
       "SSD"
      ],
      "field": "model_name",
      "configKey": "image.model"
     },
     {
      "names": [
       "prompt"
      ],
      "kind": "text",
      "value": "TEXT",
      "text": "What the picture shows",
      "notes": [],
      "field": "prompt"
     },
     {
      "names": [
       "height"
      ],
      "kind": "integer",
      "value": "N",
      "text": "Height in pixels",
      "notes": [
       "default 1024"
      ],
      "default": "1024",
      "field": "height"
     },
     {
      "names": [
       "width"
      ],
      "kind": "integer",
      "value": "N",
      "text": "Width in pixels",
      "notes": [
       "default 1024"
      ],
      "default": "1024",
      "field": "width"
     },
     {
      "names": [
       "steps"
      ],
      "kind": "integer",
      "value": "N",
      "text": "Inference steps",
      "notes": [
       "default 30"
      ],
      "default": "30",
      "field": "steps"
     },
     {
      "names": [
       "cfg-scale"
      ],
      "kind": "number",
      "value": "N",
      "text": "How closely to follow the prompt; 5 to 15 is usual",
      "notes": [
       "default 5"
      ],
      "default": "5",
      "field": "cfg_scale"
     },
     {
      "names": [
       "negative-prompt",
       "negative"
      ],
      "kind": "text",
      "value": "TEXT",
      "text": "What the picture must not show",
      "notes": [],
      "field": "negative_prompt"
     },
     {
      "names": [
       "seed"
      ],
      "kind": "integer",
      "value": "N",
      "text": "Seed; the same seed gives the same picture",
      "notes": [],
      "field": "seed"
     },
     {
      "names": [
       "sampler"
      ],
      "kind": "text",
      "value": "TEXT",
      "text": "Sampler",
      "notes": [],
      "field": "sampler"
     },
     {
      "names": [
       "backend"
      ],
      "kind": "text",
      "value": "VALUE",
      "text": "auto picks by itself, tvm is made for speed, torch is more flexible",
      "notes": [
       "one of auto, tvm, torch",
       "default auto"
      ],
      "choices": [
       "auto",
       "tvm",
       "torch"
      ],
      "default": "auto",
      "field": "backend"
     },
     {
      "names": [
       "prompt-2"
      ],
      "kind": "text",
      "value": "TEXT",
      "text": "Second prompt (SDXL models)",
      "notes": [],
      "field": "prompt_2"
     },
     {
      "names": [
       "negative-prompt-2"
      ],
      "kind": "text",
      "value": "TEXT",
      "text": "Second negative prompt (SDXL models)",
      "notes": [],
      "field": "negative_prompt_2"
     },
     {
      "names": [
       "enable-refiner"
      ],
      "kind": "boolean",
      "text": "Run the refiner (SDXL models)",
      "notes": [],
      "negatable": true,
      "field": "enable_refiner"
     },
     {
      "names": [
       "strength"
      ],
      "kind": "number",
      "value": "N",
      "text": "How far the picture moves away from the reference",
      "notes": [
       "0 to 1"
      ],
      "field": "strength"
     },
     {
      "names": [
       "lora"
      ],
      "kind": "map",
      "item": "number",
      "value": "NAME:N",
      "text": "LoRA weights by name (SDXL1.0-base, SD1.5)",
      "notes": [
       "each 0 to 1",
       "repeat or use commas"
      ],
      "repeat": true,
      "field": "lora"
     },
     {
      "kind": "size",
      "text": "Width and height in pixels",
      "value": "WxH",
      "setsFields": [
       "width",
       "height"
      ],
      "names": [
       "size"
      ],
      "notes": [],
      "key": "size"
     },
     {
      "kind": "text",
      "text": "Reference picture (PNG, JPEG or WebP), - for stdin",
      "value": "FILE",
      "setsFields": [
       "image"
      ],
      "names": [
       "image"
      ],
      "notes": [],
      "key": "image"
     },
     {
      "kind": "integer",
      "text": "Number of pictures",
      "value": "N",
      "default": "1",
      "short": "n",
      "minimum": 1,
      "names": [
       "count"
      ],
      "notes": [
       "default 1"
      ],
      "key": "count"
     },
     {
      "kind": "text",
      "text": "Where to save the picture: a file, a folder, a template such as {slug}-{seed}.{ext}, or - for stdout",
      "value": "PATH",
      "names": [
       "out"
      ],
      "notes": [],
      "key": "out"
     },
     {
      "kind": "boolean",
      "text": "Replace an existing file",
      "names": [
       "force"
      ],
      "notes": [],
      "key": "force"
     },
     {
      "kind": "price",
      "text": "Refuse when the pictures would cost more than this many dollars",
      "value": "AMOUNT",
      "names": [
       "max-cost"
      ],
      "notes": [
       "config budget.maxCost"
      ],
      "key": "maxCost",
      "configKey": "budget.maxCost"
     },
     {
      "kind": "boolean",
      "text": "Leave the settings out of the PNG",
      "names": [
       "no-metadata"
      ],
      "notes": [],
      "key": "noMetadata"
     }
    ],
    "limits": [
     "width x height is one of 1024x1024, 1152x896, 1216x832, 1344x768, 1536x640, 1664x2432, 2048x2048, 2432x1664, 640x1536, 768x1344, 832x1216",
     "a reference picture is taken by SDXL1.0-base, SDXL-turbo, SD2, SD1.5, SSD only",
     "prompt_2, negative_prompt_2, enable_refiner are for SDXL1.0-base, SDXL-turbo only",
     "LoRA names are those of the model"
    ],
    "defaulted": {
     "model_name": "always"
    },
    "examples": [
     {
      "text": "Generate a picture",
      "command": "gpuctl image \"a lighthouse at dusk\" --sandbox"
     },
     {
      "text": "Two wide ones with a seed, into a folder",
      "command": "gpuctl image \"a lighthouse at dusk\" --size 1536x640 --seed 7 -n 2 --out pictures/ --sandbox"
     }
    ]
   },
   {
    "path": [
     "image",
     "models"
    ],
    "summary": "List the image models and what they can do",
    "args": [],
    "flags": [],
    "limits": [],
    "examples": [
     {
      "text": "List the models",
      "command": "gpuctl image models"
     },
     {
      "text": "Just the names",
      "command": "gpuctl image models -o id"
     }
    ]
   },
   {
    "path": [
     "image",
     "price"
    ],
    "summary": "Show what pictures cost",
    "args": [],
    "flags": [
     {
      "kind": "size",
      "text": "Width and height in pixels",
      "value": "WxH",
      "default": "1024x1024",
      "names": [
       "size"
      ],
      "notes": [
       "default 1024x1024"
      ],
      "key": "size"
     },
     {
      "kind": "integer",
      "text": "Inference steps",
      "value": "N",
      "default": "30",
      "minimum": 1,
      "names": [
       "steps"
      ],
      "notes": [
       "default 30"
      ],
      "key": "steps"
     },
     {
      "kind": "integer",
      "text": "Number of pictures",
      "value": "N",
      "default": "1",
      "short": "n",
      "minimum": 1,
      "names": [
       "count"
      ],
      "notes": [
       "default 1"
      ],
      "key": "count"
     }
    ],
    "limits": [],
    "examples": [
     {
      "text": "A picture with the service's defaults",
      "command": "gpuctl image price"
     },
     {
      "text": "Ten large ones",
      "command": "gpuctl image price --size 2048x2048 --steps 25 -n 10"
     }
    ]
   }
  ]
 },
 {
  "name": "chat",
  "summary": "Chat with a model",
  "commands": [
   {
    "path": [
     "chat"
    ],
    "summary": "Chat with a model",
    "details": "The message is stdin, then the argument, with a blank line between.",
    "operation": "createChatCompletion",
    "args": [
     {
      "name": "MESSAGE",
      "text": "Message to send",
      "kind": "text",
      "setsField": "messages",
      "required": true,
      "stdin": "before"
     }
    ],
    "flags": [
     {
      "names": [
       "model"
      ],
      "short": "m",
      "kind": "text",
      "value": "TEXT",
      "text": "Chat model",
      "notes": [
       "config chat.model"
      ],
      "field": "model",
      "configKey": "chat.model"
     },
     {
      "names": [
       "max-tokens"
      ],
      "kind": "integer",
      "value": "N",
      "text": "Longest answer, in tokens",
      "notes": [],
      "field": "max_tokens"
     },
     {
      "names": [
       "temperature"
      ],
      "kind": "number",
      "value": "N",
      "text": "Randomness of the answer",
      "notes": [],
      "field": "temperature"
     },
     {
      "kind": "text",
      "text": "Instructions for the model; @FILE reads a file",
      "value": "TEXT",
      "short": "s",
      "names": [
       "system"
      ],
      "notes": [],
      "key": "system"
     },
     {
      "kind": "number",
      "text": "Nucleus sampling",
      "value": "N",
      "setsFields": [
       "top_p"
      ],
      "names": [
       "top-p"
      ],
      "notes": [],
      "key": "topP"
     },
     {
      "kind": "text",
      "text": "Text that ends the response",
      "value": "TEXT",
      "repeat": true,
      "setsFields": [
       "stop"
      ],
      "names": [
       "stop"
      ],
      "notes": [
       "may be repeated"
      ],
      "key": "stop"
     },
     {
      "kind": "number",
      "text": "Seed for sampling",
      "value": "N",
      "setsFields": [
       "seed"
      ],
      "names": [
       "seed"
      ],
      "notes": [],
      "key": "seed"
     },
     {
      "kind": "params",
      "text": "Any other field that the service accepts",
      "value": "KEY=JSON",
      "repeat": true,
      "names": [
       "param"
      ],
      "notes": [
       "may be repeated"
      ],
      "key": "param"
     },
     {
      "kind": "boolean",
      "text": "Print the response once it is complete",
      "names": [
       "no-stream"
      ],
      "notes": [],
      "key": "noStream"
     },
     {
      "kind": "boolean",
      "text": "Report the number of tokens on stderr",
      "names": [
       "usage"
      ],
      "notes": [],
      "key": "usage"
     }
    ],
    "limits": [],
    "defaulted": {
     "model": "chat.model"
    },
    "examples": [
     {
      "text": "Ask a question",
      "command": "gpuctl chat \"Which GPU for a 70B model?\" --sandbox"
     },
     {
      "text": "Ask about a file and print the whole response as JSON",
      "command": "printf \"GPU 0: ECC error\" | gpuctl chat \"What is wrong?\" -o json --sandbox"
     }
    ]
   },
   {
    "path": [
     "chat",
     "models"
    ],
    "summary": "List the chat models, if the service lists them",
    "args": [],
    "flags": [],
    "limits": [],
    "examples": [
     {
      "text": "List the models",
      "command": "gpuctl chat models --sandbox"
     },
     {
      "text": "Just the names",
      "command": "gpuctl chat models -o id --sandbox"
     }
    ]
   }
  ]
 },
 {
  "name": "tts",
  "summary": "Turn text into speech",
  "commands": [
   {
    "path": [
     "tts"
    ],
    "summary": "Convert text to speech",
    "details": "The text is the argument, the file given by --file, or stdin.",
    "operation": "generateAudio",
    "args": [
     {
      "name": "TEXT",
      "text": "Text to speak",
      "kind": "text",
      "field": "text",
      "required": true,
      "stdin": "instead",
      "replacedByFlag": "file"
     }
    ],
    "flags": [
     {
      "names": [
       "speed"
      ],
      "kind": "number",
      "value": "N",
      "text": "Speed; 1 is normal",
      "notes": [],
      "field": "speed"
     },
     {
      "kind": "text",
      "text": "Read the text from a file",
      "value": "FILE",
      "names": [
       "file"
      ],
      "notes": [],
      "key": "file"
     },
     {
      "kind": "params",
      "text": "Any other field that the service accepts",
      "value": "KEY=JSON",
      "repeat": true,
      "names": [
       "param"
      ],
      "notes": [
       "may be repeated"
      ],
      "key": "param"
     },
     {
      "kind": "text",
      "text": "Where to save the recording: a file, a folder, a template such as {slug}-{seed}.{ext}, or - for stdout",
      "value": "PATH",
      "names": [
       "out"
      ],
      "notes": [],
      "key": "out"
     },
     {
      "kind": "boolean",
      "text": "Replace an existing file",
      "names": [
       "force"
      ],
      "notes": [],
      "key": "force"
     }
    ],
    "limits": [],
    "examples": [
     {
      "text": "Save a sentence as speech",
      "command": "gpuctl tts \"Your GPU is ready.\" --sandbox"
     },
     {
      "text": "Slower, to a file of your choice",
      "command": "gpuctl tts \"Your GPU is ready.\" --speed 0.8 --out ready.wav --sandbox"
     }
    ]
   }
  ]
 },
 {
  "name": "api",
  "summary": "Call any operation of the service",
  "commands": [
   {
    "path": [
     "api",
     "list"
    ],
    "summary": "List the operations that the service offers",
    "details": "The list comes from the service's own description, which needs no key and is cached for a day.",
    "args": [],
    "flags": [
     {
      "kind": "text",
      "text": "Only the operations of this group",
      "value": "TAG",
      "names": [
       "group"
      ],
      "notes": [],
      "key": "group"
     }
    ],
    "limits": [],
    "examples": [
     {
      "text": "List all operations",
      "command": "gpuctl api list --sandbox"
     },
     {
      "text": "Only those for SSH keys, as ids",
      "command": "gpuctl api list --group ssh-keys -o id --sandbox"
     }
    ]
   },
   {
    "path": [
     "api",
     "describe"
    ],
    "summary": "Show what an operation takes and returns",
    "args": [
     {
      "name": "OPERATION",
      "text": "Operation id such as getRental, or a method such as GET followed by a path",
      "kind": "text",
      "required": true
     },
     {
      "name": "PATH",
      "text": "Path such as /v2/on-demand/rental, after a method",
      "kind": "text"
     }
    ],
    "flags": [],
    "limits": [],
    "examples": [
     {
      "text": "By its operation id",
      "command": "gpuctl api describe createStorageVolume --sandbox"
     },
     {
      "text": "By its method and path, as JSON",
      "command": "gpuctl api describe GET /v2/on-demand/rental -o json --sandbox"
     }
    ]
   },
   {
    "path": [
     "api",
     "call"
    ],
    "summary": "Call any operation of the service",
    "details": "Fields fill path, query and headers by name; the rest becomes the body. The request is checked against the description first. The response is printed as JSON unless --output says otherwise. null is a valid response: getRental returns it for a rental that does not exist.",
    "args": [
     {
      "name": "OPERATION",
      "text": "Operation id such as getRental, or a method such as GET followed by a path",
      "kind": "text",
      "required": true
     },
     {
      "name": "PATH",
      "text": "Path such as /v2/on-demand/rental, after a method",
      "kind": "text"
     }
    ],
    "flags": [
     {
      "kind": "text",
      "text": "A field as text; a[b]=1, a[]=1 and a[][b]=1 fill objects and lists",
      "value": "KEY=VALUE",
      "repeat": true,
      "short": "f",
      "names": [
       "raw-field"
      ],
      "notes": [
       "may be repeated"
      ],
      "key": "rawField"
     },
     {
      "kind": "text",
      "text": "A field that may be a number, true, false or null; @FILE reads a file, - reads stdin",
      "value": "KEY=VALUE",
      "repeat": true,
      "short": "F",
      "names": [
       "field"
      ],
      "notes": [
       "may be repeated"
      ],
      "key": "field"
     },
     {
      "kind": "text",
      "text": "The whole body, as JSON; - is stdin",
      "value": "FILE",
      "names": [
       "input"
      ],
      "notes": [],
      "key": "input"
     },
     {
      "kind": "boolean",
      "text": "Print the status and the headers of the response first",
      "short": "i",
      "names": [
       "include"
      ],
      "notes": [],
      "key": "include",
      "conflictsWith": [
       "paginate"
      ]
     },
     {
      "kind": "boolean",
      "text": "Follow the pages of a listing and print one array",
      "names": [
       "paginate"
      ],
      "notes": [],
      "key": "paginate"
     }
    ],
    "limits": [],
    "confirm": "destruction",
    "examples": [
     {
      "text": "Look something up by an operation id",
      "command": "gpuctl api call getRental -f rentalId=1001 --sandbox"
     },
     {
      "text": "Send a body to a method and a path",
      "command": "gpuctl api call POST /v2/on-demand/storage-volumes -f region=us-central-1 -f label=data -F sizeInGb=512 --sandbox"
     },
     {
      "text": "All billed usage, over all pages, as a table",
      "command": "gpuctl api call listUsage --paginate -o table --sandbox"
     }
    ]
   },
   {
    "path": [
     "api",
     "spec"
    ],
    "summary": "Print the service's own OpenAPI description",
    "details": "Needs no key. It lists the operations enabled in this environment, and is cached for a day.",
    "operation": "getOpenApiDocument",
    "args": [],
    "flags": [
     {
      "kind": "boolean",
      "text": "Fetch the description even if it was cached less than a day ago",
      "names": [
       "refresh"
      ],
      "notes": [],
      "key": "refresh"
     }
    ],
    "limits": [],
    "examples": [
     {
      "text": "Print the description",
      "command": "gpuctl api spec --sandbox"
     },
     {
      "text": "Save it to a file",
      "command": "gpuctl api spec --sandbox > openapi.json"
     }
    ]
   }
  ]
 },
 {
  "name": "auth",
  "summary": "API keys",
  "commands": [
   {
    "path": [
     "auth",
     "login"
    ],
    "summary": "Store an API key and its hosts in a profile",
    "details": "The key is typed at a hidden prompt, read from stdin, or printed by a command. It is never given on the command line.",
    "args": [],
    "flags": [
     {
      "kind": "boolean",
      "text": "Read the key from stdin",
      "names": [
       "with-token"
      ],
      "notes": [],
      "key": "withToken",
      "conflictsWith": [
       "key-command"
      ]
     },
     {
      "kind": "text",
      "text": "Store a command line that prints the key instead of the key",
      "value": "COMMAND",
      "names": [
       "key-command"
      ],
      "notes": [],
      "key": "keyCommand"
     }
    ],
    "limits": [],
    "examples": [
     {
      "text": "Store a key for a service; prompts for the key",
      "command": "gpuctl auth login --base-url https://api.example.com"
     },
     {
      "text": "From a script",
      "command": "printenv API_KEY | gpuctl auth login --with-token --base-url https://api.example.com"
     },
     {
      "text": "Leave the key in a password manager",
      "command": "gpuctl auth login --key-command 'pass show gpuctl' --base-url https://api.example.com"
     }
    ]
   },
   {
    "path": [
     "auth",
     "logout"
    ],
    "summary": "Remove the API key from a profile",
    "args": [],
    "flags": [],
    "limits": [],
    "examples": [
     {
      "text": "Remove the key of the profile in use",
      "command": "gpuctl auth logout"
     },
     {
      "text": "Of another profile",
      "command": "gpuctl auth logout --profile work",
      "after": [
       "printenv API_KEY | gpuctl auth login --with-token --profile work --base-url https://api.example.com"
      ]
     }
    ]
   },
   {
    "path": [
     "auth",
     "status"
    ],
    "summary": "Show the key in use, where it comes from, and whether the service accepts it",
    "operation": "getActiveRentalSummary",
    "args": [],
    "flags": [],
    "limits": [],
    "examples": [
     {
      "text": "Check the key",
      "command": "gpuctl auth status --sandbox"
     },
     {
      "text": "For a script",
      "command": "gpuctl auth status -o json --sandbox"
     }
    ]
   },
   {
    "path": [
     "auth",
     "token"
    ],
    "summary": "Print the API key in use",
    "details": "For other programs. Whoever reads the output can use the key.",
    "args": [],
    "flags": [],
    "limits": [],
    "examples": [
     {
      "text": "Print the key",
      "command": "gpuctl auth token --sandbox"
     },
     {
      "text": "To a file",
      "command": "gpuctl auth token --sandbox > key.txt"
     }
    ]
   }
  ]
 },
 {
  "name": "profile",
  "summary": "Profiles: an account or the sandbox each",
  "commands": [
   {
    "path": [
     "profile",
     "list"
    ],
    "summary": "List the profiles and mark the one in use",
    "args": [],
    "flags": [],
    "limits": [],
    "examples": [
     {
      "text": "List all profiles",
      "command": "gpuctl profile list",
      "after": [
       "gpuctl profile add play --sandbox",
       "gpuctl profile add work --base-url https://api.example.com --key-command 'pass show gpuctl'"
      ]
     },
     {
      "text": "Just the names",
      "command": "gpuctl profile list -o id",
      "after": [
       "gpuctl profile add play --sandbox"
      ]
     }
    ]
   },
   {
    "path": [
     "profile",
     "show"
    ],
    "summary": "Show a profile's settings and where its key comes from",
    "args": [
     {
      "name": "NAME",
      "text": "Name of the profile; by default the one in use",
      "kind": "text",
      "completes": "profile"
     }
    ],
    "flags": [],
    "limits": [],
    "examples": [
     {
      "text": "Show the profile in use",
      "command": "gpuctl profile show",
      "after": [
       "gpuctl profile add play --sandbox"
      ]
     },
     {
      "text": "Another one, as JSON",
      "command": "gpuctl profile show work -o json",
      "after": [
       "gpuctl profile add play --sandbox",
       "gpuctl profile add work --base-url https://api.example.com --key-command 'pass show gpuctl'"
      ]
     }
    ]
   },
   {
    "path": [
     "profile",
     "add"
    ],
    "summary": "Create a profile for an account or the sandbox",
    "details": "Give --base-url, and --inference-base-url if it differs, for an account, or --sandbox.",
    "args": [
     {
      "name": "NAME",
      "text": "Name: letters, digits, -, _ and .",
      "kind": "text",
      "required": true
     }
    ],
    "flags": [
     {
      "kind": "text",
      "text": "Command line that prints the API key",
      "value": "COMMAND",
      "names": [
       "key-command"
      ],
      "notes": [],
      "key": "keyCommand"
     }
    ],
    "limits": [],
    "examples": [
     {
      "text": "A profile for the sandbox",
      "command": "gpuctl profile add play --sandbox"
     },
     {
      "text": "An account whose key is in a password manager",
      "command": "gpuctl profile add work --base-url https://api.example.com --key-command 'pass show gpuctl'"
     }
    ]
   },
   {
    "path": [
     "profile",
     "use"
    ],
    "summary": "Switch to a profile",
    "args": [
     {
      "name": "NAME",
      "text": "Name of the profile",
      "kind": "text",
      "required": true,
      "completes": "profile"
     }
    ],
    "flags": [],
    "limits": [],
    "examples": [
     {
      "text": "Switch to the sandbox",
      "command": "gpuctl profile use play",
      "after": [
       "gpuctl profile add work --base-url https://api.example.com --key-command 'pass show gpuctl'",
       "gpuctl profile add play --sandbox"
      ]
     },
     {
      "text": "Without messages on stderr",
      "command": "gpuctl profile use work -q",
      "after": [
       "gpuctl profile add play --sandbox",
       "gpuctl profile add work --base-url https://api.example.com --key-command 'pass show gpuctl'"
      ]
     }
    ]
   },
   {
    "path": [
     "profile",
     "remove"
    ],
    "summary": "Remove a profile and its key",
    "args": [
     {
      "name": "NAME",
      "text": "Name of the profile",
      "kind": "text",
      "required": true,
      "completes": "profile"
     }
    ],
    "flags": [],
    "limits": [],
    "confirm": "destruction",
    "examples": [
     {
      "text": "Remove a profile",
      "command": "gpuctl profile remove play --yes",
      "after": [
       "gpuctl profile add play --sandbox"
      ]
     },
     {
      "text": "As JSON",
      "command": "gpuctl profile remove work --yes -o json",
      "after": [
       "gpuctl profile add play --sandbox",
       "gpuctl profile add work --base-url https://api.example.com --key-command 'pass show gpuctl'"
      ]
     }
    ]
   }
  ]
 },
 {
  "name": "config",
  "summary": "Defaults of a profile",
  "commands": [
   {
    "path": [
     "config",
     "get"
    ],
    "summary": "Print a value set in the profile",
    "details": "Exits 5 and prints nothing when the key is not set.",
    "args": [
     {
      "name": "KEY",
      "text": "Key of the configuration",
      "kind": "choice",
      "required": true,
      "hints": {
       "apiKey": "`gpuctl auth login` stores a key, and `gpuctl auth logout` removes it."
      },
      "choices": [
       "baseUrl",
       "inferenceBaseUrl",
       "sandbox",
       "apiKeyCommand",
       "output",
       "timeout",
       "retries",
       "rentals.region",
       "rentals.gpuType",
       "image.model",
       "chat.model",
       "budget.maxCost",
       "budget.maxBurn"
      ]
     }
    ],
    "flags": [],
    "limits": [],
    "examples": [
     {
      "text": "The image model of the profile in use",
      "command": "gpuctl config get image.model",
      "after": [
       "gpuctl config set image.model SDXL-turbo"
      ]
     },
     {
      "text": "Of another profile, as JSON",
      "command": "gpuctl config get sandbox --profile play -o json",
      "after": [
       "gpuctl profile add play --sandbox"
      ]
     }
    ]
   },
   {
    "path": [
     "config",
     "set"
    ],
    "summary": "Set a default in the profile",
    "args": [
     {
      "name": "KEY",
      "text": "Key of the configuration",
      "kind": "choice",
      "required": true,
      "hints": {
       "apiKey": "`gpuctl auth login` stores a key, and `gpuctl auth logout` removes it."
      },
      "choices": [
       "baseUrl",
       "inferenceBaseUrl",
       "sandbox",
       "apiKeyCommand",
       "output",
       "timeout",
       "retries",
       "rentals.region",
       "rentals.gpuType",
       "image.model",
       "chat.model",
       "budget.maxCost",
       "budget.maxBurn"
      ]
     },
     {
      "name": "VALUE",
      "text": "New value; `gpuctl config list` describes each key",
      "kind": "text",
      "required": true,
      "valueOfKey": "KEY"
     }
    ],
    "flags": [],
    "limits": [],
    "examples": [
     {
      "text": "Use another image model",
      "command": "gpuctl config set image.model SDXL-turbo"
     },
     {
      "text": "Rent nothing more once ten dollars an hour are being spent",
      "command": "gpuctl config set budget.maxBurn 10"
     },
     {
      "text": "In another profile",
      "command": "gpuctl config set rentals.region eu-north-4 --profile play",
      "after": [
       "gpuctl profile add play --sandbox"
      ]
     }
    ]
   },
   {
    "path": [
     "config",
     "unset"
    ],
    "summary": "Remove a default from the profile",
    "args": [
     {
      "name": "KEY",
      "text": "Key of the configuration",
      "kind": "choice",
      "required": true,
      "hints": {
       "apiKey": "`gpuctl auth login` stores a key, and `gpuctl auth logout` removes it."
      },
      "choices": [
       "baseUrl",
       "inferenceBaseUrl",
       "sandbox",
       "apiKeyCommand",
       "output",
       "timeout",
       "retries",
       "rentals.region",
       "rentals.gpuType",
       "image.model",
       "chat.model",
       "budget.maxCost",
       "budget.maxBurn"
      ]
     }
    ],
    "flags": [],
    "limits": [],
    "examples": [
     {
      "text": "Use the default image model again",
      "command": "gpuctl config unset image.model",
      "after": [
       "gpuctl config set image.model SDXL-turbo"
      ]
     },
     {
      "text": "Succeeds for a key that is not set",
      "command": "gpuctl config unset budget.maxCost"
     }
    ]
   },
   {
    "path": [
     "config",
     "list"
    ],
    "summary": "List every key with its value, source and meaning",
    "args": [],
    "flags": [],
    "limits": [],
    "examples": [
     {
      "text": "List all keys",
      "command": "gpuctl config list"
     },
     {
      "text": "As JSON",
      "command": "gpuctl config list -o json"
     }
    ]
   },
   {
    "path": [
     "config",
     "path"
    ],
    "summary": "Print the path of the configuration file",
    "args": [],
    "flags": [],
    "limits": [],
    "needsNoConfig": true,
    "examples": [
     {
      "text": "Print the path",
      "command": "gpuctl config path"
     },
     {
      "text": "As JSON",
      "command": "gpuctl config path -o json"
     }
    ]
   }
  ]
 },
 {
  "name": "doctor",
  "summary": "Check the installation",
  "commands": [
   {
    "path": [
     "doctor"
    ],
    "summary": "Check the installation and suggest fixes",
    "details": "Changes nothing, sends at most three reads, and exits 0 only when no check fails.",
    "args": [],
    "flags": [],
    "limits": [],
    "needsNoConfig": true,
    "examples": [
     {
      "text": "Check everything but the service",
      "command": "gpuctl doctor --sandbox"
     },
     {
      "text": "For a script",
      "command": "gpuctl doctor --sandbox -o json"
     }
    ]
   }
  ]
 },
 {
  "name": "sandbox",
  "summary": "The whole service on this machine",
  "commands": [
   {
    "path": [
     "sandbox",
     "serve"
    ],
    "summary": "Serve the sandbox over HTTP, for curl, SDKs and browsers",
    "details": "--only serves fewer operations, and describes only those. documented: everything documented, nothing that the sandbox assumes. legacy: the same without the newer paths of deprecated operations. replacements: no deprecated operations, but what replaces them; the format of their pages is the sandbox's own.",
    "args": [],
    "flags": [
     {
      "kind": "integer",
      "text": "Port to listen on; 0 picks a free one",
      "value": "PORT",
      "default": "8787",
      "minimum": 0,
      "maximum": 65535,
      "names": [
       "port"
      ],
      "notes": [
       "default 8787"
      ],
      "key": "port"
     },
     {
      "kind": "text",
      "text": "Address to listen on",
      "value": "HOST",
      "default": "127.0.0.1",
      "names": [
       "host"
      ],
      "notes": [
       "default 127.0.0.1"
      ],
      "key": "host"
     },
     {
      "kind": "choice",
      "text": "Serve only these operations; all documented and assumed ones when left out",
      "value": "ENVIRONMENT",
      "choices": [
       "documented",
       "replacements",
       "legacy"
      ],
      "names": [
       "only"
      ],
      "notes": [
       "one of documented, replacements, legacy"
      ],
      "key": "only"
     }
    ],
    "limits": [],
    "examples": [
     {
      "text": "Serve until Ctrl-C",
      "command": "gpuctl sandbox serve"
     },
     {
      "text": "On a free port, its address as JSON",
      "command": "gpuctl sandbox serve --port 0 -o json"
     },
     {
      "text": "As a service that has replaced what is deprecated",
      "command": "gpuctl sandbox serve --port 0 --only replacements"
     }
    ]
   },
   {
    "path": [
     "sandbox",
     "status"
    ],
    "summary": "Show what the sandbox holds and where",
    "args": [],
    "flags": [],
    "limits": [],
    "examples": [
     {
      "text": "Show the state",
      "command": "gpuctl sandbox status"
     },
     {
      "text": "As JSON",
      "command": "gpuctl sandbox status -o json"
     }
    ]
   },
   {
    "path": [
     "sandbox",
     "reset"
    ],
    "summary": "Delete everything in the sandbox and start over",
    "args": [],
    "flags": [],
    "limits": [],
    "confirm": "destruction",
    "examples": [
     {
      "text": "Start over",
      "command": "gpuctl sandbox reset --yes"
     },
     {
      "text": "Without messages",
      "command": "gpuctl sandbox reset --yes --quiet"
     }
    ]
   },
   {
    "path": [
     "sandbox",
     "keys"
    ],
    "summary": "Show the sandbox's own keys, for curl and SDKs",
    "args": [],
    "flags": [],
    "limits": [],
    "examples": [
     {
      "text": "Show the keys",
      "command": "gpuctl sandbox keys"
     },
     {
      "text": "Just the keys, one a line",
      "command": "gpuctl sandbox keys -o id"
     }
    ]
   },
   {
    "path": [
     "sandbox",
     "limits"
    ],
    "summary": "List what the service leaves open and the sandbox decided",
    "args": [],
    "flags": [],
    "limits": [],
    "examples": [
     {
      "text": "List them",
      "command": "gpuctl sandbox limits"
     },
     {
      "text": "As JSON",
      "command": "gpuctl sandbox limits -o json"
     }
    ]
   },
   {
    "path": [
     "sandbox",
     "fault",
     "add"
    ],
    "summary": "Make calls to the sandbox fail",
    "details": "The next calls fail, never at random. Their responses have the header Gpuctl-Sandbox-Fault.",
    "args": [],
    "flags": [
     {
      "kind": "text",
      "text": "Calls that fail, by the operation id in `gpuctl api spec`; * for all",
      "value": "OPERATION",
      "names": [
       "operation"
      ],
      "notes": [],
      "key": "operation"
     },
     {
      "kind": "number",
      "text": "Number of calls that fail",
      "value": "N",
      "default": "1",
      "names": [
       "times"
      ],
      "notes": [
       "default 1"
      ],
      "key": "times"
     },
     {
      "kind": "number",
      "text": "Number of calls that succeed first",
      "value": "N",
      "default": "0",
      "names": [
       "after"
      ],
      "notes": [
       "default 0"
      ],
      "key": "after"
     },
     {
      "kind": "number",
      "text": "Respond with this status, from 400 to 599",
      "value": "STATUS",
      "names": [
       "status"
      ],
      "notes": [],
      "key": "status"
     },
     {
      "kind": "duration",
      "text": "Time to wait before a retry, as the response gives it",
      "value": "DURATION",
      "names": [
       "retry-after"
      ],
      "notes": [],
      "key": "retryAfter"
     },
     {
      "kind": "duration",
      "text": "Wait this long first, in real time",
      "value": "DURATION",
      "names": [
       "delay"
      ],
      "notes": [],
      "key": "delay"
     },
     {
      "kind": "boolean",
      "text": "Break the connection",
      "names": [
       "reset"
      ],
      "notes": [],
      "key": "reset"
     },
     {
      "kind": "number",
      "text": "End the response after N events, or N KiB when it is not a stream; with --reset by breaking the connection",
      "value": "N",
      "names": [
       "cut-stream-after"
      ],
      "notes": [],
      "key": "cutStreamAfter"
     },
     {
      "kind": "boolean",
      "text": "Respond with a body that is not JSON",
      "names": [
       "garbage"
      ],
      "notes": [],
      "key": "garbage"
     },
     {
      "kind": "boolean",
      "text": "Let the operation take effect first",
      "names": [
       "applied"
      ],
      "notes": [],
      "key": "applied"
     }
    ],
    "limits": [],
    "examples": [
     {
      "text": "A machine that is rented although the response says otherwise",
      "command": "gpuctl sandbox fault add --operation createVirtualMachineRental --status 500 --applied"
     },
     {
      "text": "Two listings that are rejected, each 3 seconds late",
      "command": "gpuctl sandbox fault add --operation listVirtualMachineRentals --status 429 --times 2 --delay 3s"
     }
    ]
   },
   {
    "path": [
     "sandbox",
     "fault",
     "list"
    ],
    "summary": "List the faults, including those used up",
    "args": [],
    "flags": [],
    "limits": [],
    "examples": [
     {
      "text": "List the faults",
      "command": "gpuctl sandbox fault list"
     },
     {
      "text": "As JSON",
      "command": "gpuctl sandbox fault list -o json"
     }
    ]
   },
   {
    "path": [
     "sandbox",
     "fault",
     "clear"
    ],
    "summary": "Remove a fault, or all of them",
    "args": [
     {
      "name": "FAULT",
      "text": "Number of the fault; all when left out",
      "kind": "number"
     }
    ],
    "flags": [],
    "limits": [],
    "examples": [
     {
      "text": "Remove all faults",
      "command": "gpuctl sandbox fault clear"
     },
     {
      "text": "Remove one",
      "command": "gpuctl sandbox fault clear 1",
      "after": [
       "gpuctl sandbox fault add --operation getRental --garbage"
      ]
     }
    ]
   },
   {
    "path": [
     "sandbox",
     "clock",
     "show"
    ],
    "summary": "Show the sandbox's time",
    "args": [],
    "flags": [],
    "limits": [],
    "examples": [
     {
      "text": "Show the clock",
      "command": "gpuctl sandbox clock show"
     },
     {
      "text": "Just the time",
      "command": "gpuctl sandbox clock show -o id"
     }
    ]
   },
   {
    "path": [
     "sandbox",
     "clock",
     "freeze"
    ],
    "summary": "Stop the sandbox's clock",
    "details": "The same commands then print the same results. Nothing boots, bills or expires until time passes.",
    "args": [],
    "flags": [],
    "limits": [],
    "examples": [
     {
      "text": "Stop the clock",
      "command": "gpuctl sandbox clock freeze"
     },
     {
      "text": "Stop it and print the time",
      "command": "gpuctl sandbox clock freeze -o id"
     }
    ]
   },
   {
    "path": [
     "sandbox",
     "clock",
     "advance"
    ],
    "summary": "Let time pass in the sandbox",
    "details": "Everything due in that time happens, each event at its own moment.",
    "args": [
     {
      "name": "DURATION",
      "text": "How long, such as 30d, 12h or 1h30m",
      "kind": "text",
      "required": true
     }
    ],
    "flags": [],
    "limits": [],
    "examples": [
     {
      "text": "Past a term of 30 days",
      "command": "gpuctl sandbox clock advance 30d"
     },
     {
      "text": "Until a machine has booted",
      "command": "gpuctl sandbox clock advance 5s -o json"
     }
    ]
   },
   {
    "path": [
     "sandbox",
     "clock",
     "set"
    ],
    "summary": "Move the sandbox's clock forward to a time",
    "args": [
     {
      "name": "TIME",
      "text": "ISO 8601; UTC unless it has an offset",
      "kind": "text",
      "required": true
     }
    ],
    "flags": [],
    "limits": [],
    "examples": [
     {
      "text": "To a day",
      "command": "gpuctl sandbox clock set 2038-01-01"
     },
     {
      "text": "To a moment",
      "command": "gpuctl sandbox clock set 2038-01-01T00:00:00+01:00 -o json"
     }
    ]
   },
   {
    "path": [
     "sandbox",
     "clock",
     "resume"
    ],
    "summary": "Restart the sandbox's clock from where it stopped",
    "args": [],
    "flags": [],
    "limits": [],
    "examples": [
     {
      "text": "Restart the clock",
      "command": "gpuctl sandbox clock resume"
     },
     {
      "text": "After it was stopped",
      "command": "gpuctl sandbox clock resume -o json",
      "after": [
       "gpuctl sandbox clock freeze"
      ]
     }
    ]
   },
   {
    "path": [
     "sandbox",
     "seed"
    ],
    "summary": "Replace what the sandbox holds with the contents of a file",
    "details": "The file is YAML or JSON; `gpuctl sandbox limits` describes it. A file with any error changes nothing.",
    "args": [
     {
      "name": "FILE",
      "text": "Seed file; - reads stdin",
      "kind": "text",
      "required": true
     }
    ],
    "flags": [],
    "limits": [],
    "confirm": "destruction",
    "examples": [
     {
      "text": "One machine",
      "command": "printf 'rentals: [{rentalType: virtual-machine, gpuCount: 1}]' | gpuctl sandbox seed - --yes"
     },
     {
      "text": "A stopped clock and $50",
      "command": "printf 'clock: {now: \"2026-12-01T00:00:00Z\", frozen: true}\\nbalanceCents: 5000\\n' | gpuctl sandbox seed - --yes"
     }
    ]
   },
   {
    "path": [
     "sandbox",
     "snapshot"
    ],
    "summary": "Save the whole state of the sandbox",
    "args": [
     {
      "name": "FILE",
      "text": "File to write; - writes to stdout",
      "kind": "text",
      "required": true
     }
    ],
    "flags": [
     {
      "kind": "boolean",
      "text": "Replace an existing file",
      "names": [
       "force"
      ],
      "notes": [],
      "key": "force"
     }
    ],
    "limits": [],
    "examples": [
     {
      "text": "To a file",
      "command": "gpuctl sandbox snapshot state.json"
     },
     {
      "text": "Through a pipe",
      "command": "gpuctl sandbox snapshot - > state.json"
     }
    ]
   },
   {
    "path": [
     "sandbox",
     "restore"
    ],
    "summary": "Restore the sandbox from a snapshot",
    "args": [
     {
      "name": "FILE",
      "text": "Snapshot file; - reads stdin",
      "kind": "text",
      "required": true
     }
    ],
    "flags": [],
    "limits": [],
    "confirm": "destruction",
    "examples": [
     {
      "text": "Restore a snapshot",
      "command": "gpuctl sandbox restore state.json --yes",
      "after": [
       "gpuctl sandbox snapshot state.json"
      ]
     },
     {
      "text": "Restore it and print the state as JSON",
      "command": "gpuctl sandbox restore state.json --yes -o json",
      "after": [
       "gpuctl sandbox snapshot state.json"
      ]
     }
    ]
   },
   {
    "path": [
     "sandbox",
     "requests"
    ],
    "summary": "List the last requests and what was wrong with them",
    "args": [],
    "flags": [
     {
      "kind": "integer",
      "text": "Maximum number of requests",
      "value": "N",
      "default": "50",
      "minimum": 1,
      "names": [
       "limit"
      ],
      "notes": [
       "default 50"
      ],
      "key": "limit"
     }
    ],
    "limits": [],
    "examples": [
     {
      "text": "List the requests",
      "command": "gpuctl sandbox requests",
      "after": [
       "gpuctl rentals list --sandbox"
      ]
     },
     {
      "text": "The last one as JSON",
      "command": "gpuctl sandbox requests --limit 1 -o json"
     }
    ]
   }
  ]
 },
 {
  "name": "completion",
  "summary": "Shell completion scripts",
  "commands": [
   {
    "path": [
     "completion"
    ],
    "summary": "Print the completion script for a shell",
    "details": "For bash, add this to ~/.bashrc:\n  source <(gpuctl completion bash)\nFor zsh, write the script to a folder in $fpath before compinit runs:\n  mkdir -p ~/.zfunc && gpuctl completion zsh > ~/.zfunc/_gpuctl\nFor fish:\n  mkdir -p ~/.config/fish/completions && gpuctl completion fish > ~/.config/fish/completions/gpuctl.fish\nFor PowerShell, add this to the file that $PROFILE names:\n  gpuctl completion powershell | Out-String | Invoke-Expression",
    "args": [
     {
      "name": "SHELL",
      "text": "The shell to complete in",
      "kind": "choice",
      "choices": [
       "bash",
       "zsh",
       "fish",
       "powershell"
      ],
      "required": true
     }
    ],
    "flags": [],
    "limits": [],
    "needsNoConfig": true,
    "examples": [
     {
      "text": "Print the script for bash",
      "command": "gpuctl completion bash"
     },
     {
      "text": "Write the script for fish to a file",
      "command": "gpuctl completion fish > gpuctl.fish"
     }
    ]
   }
  ]
 },
 {
  "name": "help",
  "summary": "Help on commands and topics",
  "commands": [
   {
    "path": [
     "help"
    ],
    "summary": "Show help for a command or topic",
    "details": "`gpuctl help` alone lists the commands and topics.",
    "args": [
     {
      "name": "WORD",
      "text": "A topic, or the words of a command such as: rentals create vm",
      "kind": "text",
      "variadic": true
     }
    ],
    "flags": [],
    "limits": [],
    "needsNoConfig": true,
    "examples": [
     {
      "text": "Help for a command",
      "command": "gpuctl help rentals create vm"
     },
     {
      "text": "What the exit codes mean",
      "command": "gpuctl help exit-codes"
     }
    ]
   }
  ]
 }
];

/** The flags that every command takes. */
export const globals: readonly GlobalNode[] = [
 {
  "names": [
   "output"
  ],
  "kind": "choice",
  "group": "Output",
  "text": "Output format",
  "short": "o",
  "value": "FORMAT",
  "choices": [
   "table",
   "json",
   "jsonl",
   "yaml",
   "csv",
   "tsv",
   "id"
  ],
  "env": "GPUCTL_OUTPUT",
  "notes": [
   "one of table, json, jsonl, yaml, csv, tsv, id",
   "default table",
   "GPUCTL_OUTPUT",
   "config output"
  ]
 },
 {
  "names": [
   "columns"
  ],
  "kind": "text",
  "group": "Output",
  "text": "Columns of a table, csv or tsv, in this order: titles, names, or dotted paths of the record",
  "value": "LIST",
  "notes": []
 },
 {
  "names": [
   "no-header"
  ],
  "kind": "boolean",
  "group": "Output",
  "text": "Omit column titles",
  "notes": []
 },
 {
  "names": [
   "jq"
  ],
  "kind": "text",
  "group": "Output",
  "text": "Filter the JSON output with jq; strings are printed raw",
  "value": "EXPR",
  "notes": []
 },
 {
  "names": [
   "quiet"
  ],
  "kind": "boolean",
  "group": "Output",
  "text": "Print only errors on stderr",
  "short": "q",
  "notes": []
 },
 {
  "names": [
   "yes"
  ],
  "kind": "boolean",
  "group": "Questions",
  "text": "Answer yes to every confirmation",
  "short": "y",
  "notes": []
 },
 {
  "names": [
   "no-input"
  ],
  "kind": "boolean",
  "group": "Questions",
  "text": "Never prompt",
  "env": "GPUCTL_NO_INPUT",
  "notes": [
   "GPUCTL_NO_INPUT"
  ]
 },
 {
  "names": [
   "profile"
  ],
  "kind": "text",
  "group": "Service",
  "text": "Profile to use",
  "value": "NAME",
  "completes": "profile",
  "env": "GPUCTL_PROFILE",
  "notes": [
   "GPUCTL_PROFILE"
  ]
 },
 {
  "names": [
   "sandbox"
  ],
  "kind": "boolean",
  "group": "Service",
  "text": "Use the service inside gpuctl: no account, nothing is rented",
  "env": "GPUCTL_SANDBOX",
  "notes": [
   "GPUCTL_SANDBOX",
   "config sandbox"
  ]
 },
 {
  "names": [
   "base-url"
  ],
  "kind": "text",
  "group": "Service",
  "text": "Host of the compute API",
  "value": "URL",
  "env": "GPUCTL_BASE_URL",
  "notes": [
   "GPUCTL_BASE_URL",
   "config baseUrl"
  ]
 },
 {
  "names": [
   "inference-base-url"
  ],
  "kind": "text",
  "group": "Service",
  "text": "Host of the inference API (by default the base URL)",
  "value": "URL",
  "env": "GPUCTL_INFERENCE_BASE_URL",
  "notes": [
   "GPUCTL_INFERENCE_BASE_URL",
   "config inferenceBaseUrl"
  ]
 },
 {
  "names": [
   "timeout"
  ],
  "kind": "text",
  "group": "Service",
  "text": "Time limit for one attempt (30s for compute and 5m for inference by default)",
  "value": "DURATION",
  "env": "GPUCTL_TIMEOUT",
  "notes": [
   "GPUCTL_TIMEOUT",
   "config timeout"
  ]
 },
 {
  "names": [
   "retries"
  ],
  "kind": "text",
  "group": "Service",
  "text": "Retry reads this many times; writes are never sent twice",
  "value": "N",
  "env": "GPUCTL_RETRIES",
  "notes": [
   "default 3",
   "GPUCTL_RETRIES",
   "config retries"
  ]
 },
 {
  "names": [
   "dry-run"
  ],
  "kind": "boolean",
  "group": "Questions",
  "text": "Print the request without sending it",
  "notes": []
 },
 {
  "names": [
   "no-validate"
  ],
  "kind": "boolean",
  "group": "Questions",
  "text": "Send values that exceed a documented limit and let the service decide",
  "notes": []
 },
 {
  "names": [
   "insecure-http"
  ],
  "kind": "boolean",
  "group": "Service",
  "text": "Allow sending the key over plain http to another machine",
  "notes": []
 },
 {
  "names": [
   "debug"
  ],
  "kind": "boolean",
  "group": "Output",
  "text": "Show requests, responses and timing on stderr, never the key",
  "notes": []
 },
 {
  "names": [
   "color"
  ],
  "kind": "choice",
  "group": "Output",
  "text": "Use colours",
  "value": "WHEN",
  "choices": [
   "auto",
   "always",
   "never"
  ],
  "notes": [
   "one of auto, always, never",
   "default auto"
  ]
 }
];

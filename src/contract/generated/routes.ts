// Made by `npm run generate`; do not edit.
import type { OperationId } from "../index.ts";
import type { Route } from "../plain/route.ts";

export const routes: Readonly<Record<OperationId, Route>> = {
  "getOpenApiDocument": {
    "method": "GET",
    "path": "/v2/openapi.json",
    "host": "compute",
    "group": "openapi",
    "summary": "Describe the operations that this environment enables",
    "in": "none",
    "open": true,
    "fields": [],
    "rules": []
  },
  "createBareMetalRental": {
    "method": "POST",
    "effect": "spend",
    "path": "/v2/on-demand/bare-metal-rentals",
    "host": "compute",
    "group": "bare-metal-rentals",
    "summary": "Rent bare-metal machines",
    "in": "body",
    "deprecated": true,
    "replacedBy": {
      "method": "POST",
      "path": "/v2/on-demand/rentals",
      "with": {
        "rentalType": "bare-metal"
      }
    },
    "fields": [
      {
        "name": "networkType",
        "kind": "string",
        "required": true,
        "description": "Network between the machines",
        "choices": [
          "infiniband",
          "ethernet"
        ]
      },
      {
        "name": "gpuCount",
        "kind": "number",
        "required": true,
        "description": "Number of GPUs; a machine has 8",
        "minimum": 1,
        "multipleOf": 8
      },
      {
        "name": "region",
        "kind": "string",
        "required": false,
        "description": "Where the machines stand",
        "choices": [
          "us-central-1",
          "uk-central-3",
          "uk-southeast-3",
          "eu-southwest-3",
          "eu-southwest-3-1",
          "eu-west-3",
          "eu-west-4"
        ],
        "default": "us-central-1"
      },
      {
        "name": "gpuType",
        "kind": "string",
        "required": false,
        "description": "GPU model",
        "choices": [
          "h100",
          "h200",
          "b200",
          "rtx-6000-pro"
        ],
        "default": "h100"
      },
      {
        "name": "label",
        "kind": "string",
        "required": false,
        "description": "Name of the rental"
      },
      {
        "name": "termType",
        "kind": "string",
        "required": false,
        "description": "How the rental is billed",
        "choices": [
          "on-demand",
          "reserved"
        ],
        "default": "on-demand"
      },
      {
        "name": "termPeriodDays",
        "kind": "number",
        "required": false,
        "description": "Length of a reserved term in days"
      },
      {
        "name": "discountPercentage",
        "kind": "number",
        "required": false,
        "description": "Discount on the price, in percent",
        "default": 0
      },
      {
        "name": "monitoringEnabled",
        "kind": "boolean",
        "required": false,
        "description": "Collect metrics"
      },
      {
        "name": "convertToOnDemandOnExpiry",
        "kind": "boolean",
        "required": false,
        "description": "Go on as on-demand when the reserved term ends",
        "default": true
      },
      {
        "name": "sshPublicKeyId",
        "kind": "integer",
        "required": false,
        "description": "SSH public key to put on the machine",
        "minimum": -9007199254740991,
        "maximum": 9007199254740991
      },
      {
        "name": "sshPublicKeyIds",
        "kind": "list",
        "required": false,
        "description": "SSH public keys to put on the machine",
        "minItems": 1,
        "item": {
          "kind": "integer",
          "minimum": -9007199254740991,
          "maximum": 9007199254740991
        }
      },
      {
        "name": "cudaVersion",
        "kind": "string",
        "required": false,
        "description": "CUDA version to install",
        "choices": [
          "cuda12.8",
          "cuda12.9"
        ]
      },
      {
        "name": "storageVolume",
        "kind": "shapes",
        "required": false,
        "description": "Storage volume to attach",
        "shapes": [
          [
            {
              "name": "isNew",
              "kind": "boolean",
              "required": true,
              "description": "",
              "constant": false
            },
            {
              "name": "id",
              "kind": "id",
              "required": true,
              "description": "Identifier"
            }
          ],
          [
            {
              "name": "isNew",
              "kind": "boolean",
              "required": true,
              "description": "",
              "constant": true
            },
            {
              "name": "label",
              "kind": "string",
              "required": true,
              "description": "Label: letters, digits, underscores and dashes",
              "minLength": 4,
              "maxLength": 255,
              "pattern": "^[a-zA-Z0-9_-]+$"
            },
            {
              "name": "sizeInGb",
              "kind": "integer",
              "required": true,
              "description": "Size in GB",
              "minimum": 256,
              "maximum": 64000
            }
          ]
        ]
      }
    ],
    "rules": []
  },
  "listBareMetalRentals": {
    "method": "GET",
    "path": "/v2/on-demand/bare-metal-rentals",
    "host": "compute",
    "group": "bare-metal-rentals",
    "summary": "List all active bare-metal rentals",
    "in": "none",
    "deprecated": true,
    "replacedBy": {
      "method": "GET",
      "path": "/v2/on-demand/rentals/active",
      "with": {
        "rentalType": "bare-metal"
      },
      "paged": true
    },
    "fields": [],
    "rules": []
  },
  "createVirtualMachineRental": {
    "method": "POST",
    "effect": "spend",
    "path": "/v2/on-demand/virtual-machine-rentals",
    "host": "compute",
    "group": "virtual-machine-rentals",
    "summary": "Rent a virtual machine",
    "in": "body",
    "deprecated": true,
    "replacedBy": {
      "method": "POST",
      "path": "/v2/on-demand/rentals",
      "with": {
        "rentalType": "virtual-machine"
      }
    },
    "fields": [
      {
        "name": "gpuCount",
        "kind": "number",
        "required": true,
        "description": "Number of GPUs"
      },
      {
        "name": "networkType",
        "kind": "string",
        "required": false,
        "description": "Network of the machine",
        "choices": [
          "infiniband",
          "ethernet"
        ],
        "default": "ethernet"
      },
      {
        "name": "region",
        "kind": "string",
        "required": false,
        "description": "Where the machine stands",
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
        "default": "us-central-1"
      },
      {
        "name": "gpuType",
        "kind": "string",
        "required": false,
        "description": "GPU model",
        "choices": [
          "h100",
          "h200",
          "b200",
          "rtx-6000-pro"
        ],
        "default": "h100"
      },
      {
        "name": "label",
        "kind": "string",
        "required": false,
        "description": "Name of the rental"
      },
      {
        "name": "termType",
        "kind": "string",
        "required": false,
        "description": "How the rental is billed",
        "choices": [
          "on-demand",
          "reserved"
        ],
        "default": "on-demand"
      },
      {
        "name": "termPeriodDays",
        "kind": "number",
        "required": false,
        "description": "Length of a reserved term in days"
      },
      {
        "name": "discountPercentage",
        "kind": "number",
        "required": false,
        "description": "Discount on the price, in percent",
        "default": 0
      },
      {
        "name": "monitoringEnabled",
        "kind": "boolean",
        "required": false,
        "description": "Collect metrics"
      },
      {
        "name": "convertToOnDemandOnExpiry",
        "kind": "boolean",
        "required": false,
        "description": "Go on as on-demand when the reserved term ends",
        "default": true
      },
      {
        "name": "sshPublicKeyId",
        "kind": "integer",
        "required": false,
        "description": "SSH public key to put on the machine",
        "minimum": -9007199254740991,
        "maximum": 9007199254740991
      },
      {
        "name": "sshPublicKeyIds",
        "kind": "list",
        "required": false,
        "description": "SSH public keys to put on the machine",
        "minItems": 1,
        "item": {
          "kind": "integer",
          "minimum": -9007199254740991,
          "maximum": 9007199254740991
        }
      },
      {
        "name": "customPorts",
        "kind": "list",
        "required": false,
        "description": "Ports to open beside SSH",
        "maxItems": 20,
        "item": {
          "kind": "integer",
          "minimum": 1,
          "maximum": 65535
        }
      }
    ],
    "rules": []
  },
  "listVirtualMachineRentals": {
    "method": "GET",
    "path": "/v2/on-demand/virtual-machine-rentals",
    "host": "compute",
    "group": "virtual-machine-rentals",
    "summary": "List all active virtual-machine rentals",
    "in": "query",
    "deprecated": true,
    "replacedBy": {
      "method": "GET",
      "path": "/v2/on-demand/rentals/active",
      "with": {
        "rentalType": "virtual-machine"
      },
      "paged": true
    },
    "fields": [
      {
        "name": "includeClusterPools",
        "kind": "boolean",
        "required": false,
        "description": "Also list rentals that belong to cluster pools"
      }
    ],
    "rules": []
  },
  "convertToReserved": {
    "method": "POST",
    "effect": "spend",
    "path": "/v2/on-demand/convert-to-reserved",
    "host": "compute",
    "group": "rentals",
    "summary": "Convert an on-demand rental to a reserved term",
    "in": "body",
    "fields": [
      {
        "name": "rentalId",
        "kind": "id",
        "required": true,
        "description": "Id of the rental"
      },
      {
        "name": "termPeriodDays",
        "kind": "integer",
        "required": true,
        "description": "Length of the reserved term in days",
        "maximum": 9007199254740991,
        "exclusiveMinimum": 0
      },
      {
        "name": "expectedTotalPriceCents",
        "kind": "integer",
        "required": true,
        "description": "Total price that you expect to pay, in cents",
        "maximum": 9007199254740991,
        "exclusiveMinimum": 0
      }
    ],
    "rules": []
  },
  "extendReserved": {
    "method": "POST",
    "effect": "spend",
    "path": "/v2/on-demand/extend-reserved",
    "host": "compute",
    "group": "rentals",
    "summary": "Extend a reserved term",
    "in": "body",
    "fields": [
      {
        "name": "rentalId",
        "kind": "id",
        "required": true,
        "description": "Id of the rental"
      },
      {
        "name": "termPeriodDays",
        "kind": "integer",
        "required": true,
        "description": "Length of the reserved term in days",
        "maximum": 9007199254740991,
        "exclusiveMinimum": 0
      },
      {
        "name": "expectedTotalPriceCents",
        "kind": "integer",
        "required": true,
        "description": "Total price that you expect to pay, in cents",
        "maximum": 9007199254740991,
        "exclusiveMinimum": 0
      },
      {
        "name": "expectedReservedUntil",
        "kind": "date-time",
        "required": true,
        "description": "End of the term that you expect after the extension"
      }
    ],
    "rules": []
  },
  "requestReservation": {
    "method": "POST",
    "effect": "write",
    "path": "/v2/on-demand/request-reservation",
    "host": "compute",
    "group": "rentals",
    "summary": "Ask for a reservation of many GPUs",
    "in": "body",
    "fields": [
      {
        "name": "gpuCount",
        "kind": "number",
        "required": true,
        "description": "Number of GPUs",
        "minimum": 1
      }
    ],
    "rules": []
  },
  "getActiveRentalSummary": {
    "method": "GET",
    "path": "/v2/on-demand/active-rental-summary",
    "host": "compute",
    "group": "rentals",
    "summary": "Count the active rentals and add up their hourly cost",
    "in": "none",
    "fields": [],
    "rules": []
  },
  "getRental": {
    "method": "GET",
    "path": "/v2/on-demand/rental",
    "host": "compute",
    "group": "rentals",
    "summary": "Look up one rental, running or ended",
    "in": "query",
    "fields": [
      {
        "name": "rentalId",
        "kind": "string",
        "required": true,
        "description": "Id of the rental",
        "minLength": 1
      }
    ],
    "rules": []
  },
  "listRentalHistory": {
    "method": "GET",
    "path": "/v2/on-demand/rental-history",
    "host": "compute",
    "group": "rentals",
    "summary": "List all past rentals",
    "in": "none",
    "deprecated": true,
    "replacedBy": {
      "method": "GET",
      "path": "/v2/on-demand/rentals/history",
      "paged": true
    },
    "fields": [],
    "rules": []
  },
  "createStorageVolume": {
    "method": "POST",
    "effect": "write",
    "path": "/v2/on-demand/storage-volumes",
    "host": "compute",
    "group": "storage-volumes",
    "summary": "Create a storage volume",
    "in": "body",
    "fields": [
      {
        "name": "region",
        "kind": "string",
        "required": true,
        "description": "Where the volume is kept",
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
        ]
      },
      {
        "name": "label",
        "kind": "string",
        "required": true,
        "description": "Label: letters, digits, underscores and dashes",
        "minLength": 4,
        "maxLength": 255,
        "pattern": "^[a-zA-Z0-9_-]+$"
      },
      {
        "name": "sizeInGb",
        "kind": "integer",
        "required": true,
        "description": "Size in GB",
        "minimum": 256,
        "maximum": 64000,
        "multipleOf": 256
      },
      {
        "name": "rentalIds",
        "kind": "list",
        "required": false,
        "description": "Rentals to attach it to",
        "item": {
          "kind": "id"
        }
      }
    ],
    "rules": []
  },
  "listStorageVolumes": {
    "method": "GET",
    "path": "/v2/on-demand/storage-volumes",
    "host": "compute",
    "group": "storage-volumes",
    "summary": "List the storage volumes",
    "in": "none",
    "fields": [],
    "rules": []
  },
  "attachStorageVolume": {
    "method": "POST",
    "effect": "write",
    "path": "/v2/on-demand/storage-volumes/attach",
    "host": "compute",
    "group": "storage-volumes",
    "summary": "Attach a storage volume to bare-metal rentals",
    "in": "body",
    "fields": [
      {
        "name": "storageVolumeId",
        "kind": "id",
        "required": true,
        "description": "Id of the volume"
      },
      {
        "name": "rentalIds",
        "kind": "list",
        "required": true,
        "description": "Bare-metal rentals to attach it to",
        "minItems": 1,
        "item": {
          "kind": "id"
        }
      }
    ],
    "rules": []
  },
  "updateCurrentUser": {
    "method": "PUT",
    "effect": "write",
    "host": "compute",
    "group": "users",
    "summary": "Change the current user",
    "in": "body",
    "path": "/v2/users/me",
    "fields": [
      {
        "name": "onboardedFor",
        "kind": "string",
        "required": false,
        "description": "What the account is used for"
      },
      {
        "name": "name",
        "kind": "string",
        "required": false,
        "description": "Name of the user"
      }
    ],
    "rules": []
  },
  "deleteCurrentUser": {
    "method": "DELETE",
    "effect": "destroy",
    "host": "compute",
    "group": "users",
    "summary": "Delete the current user",
    "in": "none",
    "path": "/v2/users/me",
    "fields": [],
    "rules": []
  },
  "updateCurrentUserLegacy": {
    "method": "PUT",
    "effect": "write",
    "host": "compute",
    "group": "users",
    "summary": "Change the current user",
    "in": "body",
    "path": "/users/me",
    "deprecated": true,
    "sunset": "2027-03-01",
    "replacedBy": {
      "method": "PUT",
      "path": "/v2/users/me"
    },
    "fields": [
      {
        "name": "onboardedFor",
        "kind": "string",
        "required": false,
        "description": "What the account is used for"
      },
      {
        "name": "name",
        "kind": "string",
        "required": false,
        "description": "Name of the user"
      }
    ],
    "rules": []
  },
  "deleteCurrentUserLegacy": {
    "method": "DELETE",
    "effect": "destroy",
    "host": "compute",
    "group": "users",
    "summary": "Delete the current user",
    "in": "none",
    "path": "/users/me",
    "deprecated": true,
    "sunset": "2027-03-01",
    "replacedBy": {
      "method": "DELETE",
      "path": "/v2/users/me"
    },
    "fields": [],
    "rules": []
  },
  "createChatCompletion": {
    "method": "POST",
    "effect": "generate",
    "path": "/v1/chat/completions",
    "host": "inference",
    "group": "inference",
    "summary": "Answer a conversation",
    "in": "body",
    "fields": [
      {
        "name": "model",
        "kind": "string",
        "required": true,
        "description": "Chat model"
      },
      {
        "name": "messages",
        "kind": "list",
        "required": true,
        "description": "The conversation so far",
        "item": {
          "kind": "object",
          "fields": [
            {
              "name": "role",
              "kind": "string",
              "required": true,
              "description": "Who speaks, such as system, user or assistant"
            },
            {
              "name": "content",
              "kind": "string",
              "required": true,
              "description": "What is said"
            }
          ]
        }
      },
      {
        "name": "max_tokens",
        "kind": "integer",
        "required": false,
        "description": "Longest answer, in tokens",
        "minimum": -9007199254740991,
        "maximum": 9007199254740991
      },
      {
        "name": "temperature",
        "kind": "number",
        "required": false,
        "description": "Randomness of the answer"
      }
    ],
    "rules": []
  },
  "generateImage": {
    "method": "POST",
    "effect": "generate",
    "path": "/v1/image/generation",
    "host": "inference",
    "group": "inference",
    "summary": "Generate a picture",
    "in": "body",
    "fields": [
      {
        "name": "model_name",
        "kind": "string",
        "required": true,
        "description": "Image model",
        "choices": [
          "FLUX.1-dev",
          "SDXL1.0-base",
          "SDXL-turbo",
          "SD2",
          "SD1.5",
          "SSD"
        ]
      },
      {
        "name": "prompt",
        "kind": "string",
        "required": true,
        "description": "What the picture shows"
      },
      {
        "name": "height",
        "kind": "integer",
        "required": false,
        "description": "Height in pixels",
        "minimum": -9007199254740991,
        "maximum": 9007199254740991,
        "default": 1024
      },
      {
        "name": "width",
        "kind": "integer",
        "required": false,
        "description": "Width in pixels",
        "minimum": -9007199254740991,
        "maximum": 9007199254740991,
        "default": 1024
      },
      {
        "name": "steps",
        "kind": "integer",
        "required": false,
        "description": "Inference steps",
        "minimum": -9007199254740991,
        "maximum": 9007199254740991,
        "default": 30
      },
      {
        "name": "cfg_scale",
        "kind": "number",
        "required": false,
        "description": "How closely to follow the prompt; 5 to 15 is usual",
        "default": 5
      },
      {
        "name": "negative_prompt",
        "kind": "string",
        "required": false,
        "description": "What the picture must not show"
      },
      {
        "name": "seed",
        "kind": "integer",
        "required": false,
        "description": "Seed; the same seed gives the same picture",
        "minimum": -9007199254740991,
        "maximum": 9007199254740991
      },
      {
        "name": "sampler",
        "kind": "string",
        "required": false,
        "description": "Sampler"
      },
      {
        "name": "backend",
        "kind": "string",
        "required": false,
        "description": "auto picks by itself, tvm is made for speed, torch is more flexible",
        "choices": [
          "auto",
          "tvm",
          "torch"
        ],
        "default": "auto"
      },
      {
        "name": "prompt_2",
        "kind": "string",
        "required": false,
        "description": "Second prompt (SDXL models)"
      },
      {
        "name": "negative_prompt_2",
        "kind": "string",
        "required": false,
        "description": "Second negative prompt (SDXL models)"
      },
      {
        "name": "enable_refiner",
        "kind": "boolean",
        "required": false,
        "description": "Run the refiner (SDXL models)"
      },
      {
        "name": "image",
        "kind": "string",
        "required": false,
        "description": "Reference picture for image-to-image"
      },
      {
        "name": "strength",
        "kind": "number",
        "required": false,
        "description": "How far the picture moves away from the reference",
        "minimum": 0,
        "maximum": 1
      },
      {
        "name": "lora",
        "kind": "map",
        "required": false,
        "description": "LoRA weights by name (SDXL1.0-base, SD1.5)",
        "item": {
          "kind": "number",
          "minimum": 0,
          "maximum": 1
        }
      }
    ],
    "rules": [
      "width x height is one of 1024x1024, 1152x896, 1216x832, 1344x768, 1536x640, 1664x2432, 2048x2048, 2432x1664, 640x1536, 768x1344, 832x1216",
      "a reference picture is taken by SDXL1.0-base, SDXL-turbo, SD2, SD1.5, SSD only",
      "prompt_2, negative_prompt_2, enable_refiner are for SDXL1.0-base, SDXL-turbo only",
      "LoRA names are those of the model"
    ]
  },
  "generateAudio": {
    "method": "POST",
    "effect": "generate",
    "path": "/v1/audio/generation",
    "host": "inference",
    "group": "inference",
    "summary": "Speak a text",
    "in": "body",
    "fields": [
      {
        "name": "text",
        "kind": "string",
        "required": true,
        "description": "What to say"
      },
      {
        "name": "speed",
        "kind": "number",
        "required": false,
        "description": "Speed; 1 is normal"
      }
    ],
    "rules": []
  }
};

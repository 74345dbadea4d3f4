import { createApiKey } from "../../contract/assumed/api-keys.ts";
import { listUsage } from "../../contract/assumed/billing.ts";
import { fieldsOf } from "../../contract/fields.ts";
import { exposed } from "../app.ts";
import { secondMs } from "../clock.ts";
import { numberedSecret } from "../handlers/api-keys.ts";
import { keys } from "../keys.ts";
import { sandboxHeader } from "../marked.ts";
import { busyMs } from "../store.ts";

const limit = fieldsOf(listUsage.input).find(({ name }) => name === "limit");
const keyName = fieldsOf(createApiKey.input).find(({ name }) => name === "name");

/** What the service leaves open of requests and answers as they travel, and of keys. */
export const wireTexts = {
  hosts:
    "Compute and inference are served at one address, and it does not matter by which name that is asked for.",
  order:
    "Looked at in this order: the path and its sunset day, faults, the key, what the key may do, the size of the body, its fields. The first that is wrong answers.",
  paths:
    "A path is known letter by letter: with a slash at its end, or in capitals, it answers 404, and an unknown one does so without a key, too.",
  methods:
    "A known path with another method answers 404. HEAD answers like GET, without the body. OPTIONS answers 204 on any path, without a key.",
  credentials:
    "Bearer may be written in capitals or not. Another scheme, and a key that nobody has, answer 401 like no key.",
  access:
    "The read-only key may only read: anything else answers 403, before the input is looked at. A revoked key answers 401.",
  "own-keys": `The sandbox's own keys are ${keys.full} and ${keys.readOnly}, the same in every sandbox. A key that is made is the next one of ${numberedSecret(1)}, ${numberedSecret(2)} and so on.`,
  "key-names": `Names of API keys and of SSH keys have ${keyName?.minLength} to ${keyName?.maxLength} characters, and two keys may have the same one.`,
  bodies:
    "A body is read as JSON in UTF-8 whatever its Content-Type says; a mark of the byte order before it is skipped. Fields that are not known are ignored, and of a field that is given twice the last one counts.",
  nulls:
    "A field that is null is refused where it may be left out; fields of chat that are not documented may be null.",
  query:
    "In a query a boolean is true or false and a number as in JSON. A field that is given twice is refused, one that is not known is ignored.",
  pages: `A page of usage has ${limit?.default} lines, or as many as limit says, up to ${limit?.maximum}; its cursor is the id of the rental before.`,
  issues: "An entry of issues is an object with path and message. Inference errors look like the other ones.",
  "unknown-things":
    "To terminate, convert, extend or attach something that is not there or has ended answers 400; to delete a key that is not there, 404.",
  browsers: `Pages of any origin may call the sandbox, with any header, and read ${exposed.join(", ")}.`,
  headers: `Every answer to a request that can be read has the headers ${sandboxHeader} and Date, by the sandbox's clock; one of a path that is to be retired has Deprecation, too.`,
  description:
    "The description names as its server the address that it was asked for at, and has an ETag: sent back in If-None-Match, that answers 304 while nothing has changed.",
  processes: `What changes the state happens one after the other, whichever process asks for it; one waits for another for ${busyMs / secondMs} s.`,
} as const;

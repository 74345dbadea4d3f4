import { asList, asRecord, asText } from "../../core/json.ts";
import { servedControls } from "../../core/sandbox.ts";
import { Layout } from "./layout.tsx";
import { OperationDetails } from "./operation.tsx";
import { referenceScript } from "./reference-script.ts";
import { type DescribedOperation, type Schema, schemaReader } from "./schema.ts";

interface ReferenceProps {
  /** The OpenAPI description of the API. */
  readonly api: object;
  /** The OpenAPI description of the sandbox's controls. */
  readonly controls: object;
}

/** A reference of the operations of the API, and of the controls. Each of them has a form that sends a request. */
export const Reference = ({ api, controls }: ReferenceProps) => {
  const groups = [...apiGroups(asRecord(api)), controlGroup(asRecord(controls))];
  return (
    <Layout current="reference" script={referenceScript}>
      <nav class="contents" aria-label="Groups">
        {groups.map(({ id, title }) => (
          <a href={`#${id}`}>{title}</a>
        ))}
      </nav>
      <div>
        <h1>API reference</h1>
        <p class="intro">
          The operations that this sandbox serves (<a href="/v2/openapi.json">OpenAPI description</a>), and
          the controls of the sandbox (
          <a href={servedControls.path + servedControls.description}>OpenAPI description of the controls</a>).
          Requests go to this sandbox. No real GPUs are rented.
        </p>
        <search>
          <input
            id="filter"
            type="search"
            placeholder="Filter by path, method or summary"
            aria-label="Filter operations"
            autocomplete="off"
            spellcheck={false}
          />
        </search>
        {groups.map(({ id, title, description, operations }) => (
          <section class="group" id={id} aria-labelledby={`${id}-title`}>
            <h2 id={`${id}-title`}>{title}</h2>
            <p>{description}</p>
            {operations.map((one) => (
              <OperationDetails {...one} />
            ))}
          </section>
        ))}
        <p id="none" hidden>
          No operation matches.
        </p>
      </div>
    </Layout>
  );
};

interface Group {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly operations: readonly DescribedOperation[];
}

/** The operations of the API by tag. */
function apiGroups(document: Schema): readonly Group[] {
  const operations = operationsOf(document, { isControl: false });
  return asList(document.tags)
    .map(asRecord)
    .map(({ name, description }) => ({
      id: asText(name),
      title: titleOf(asText(name)),
      description: asText(description),
      operations: operations.filter(({ operation }) => asList(operation.tags).includes(name)),
    }))
    .filter((group) => group.operations.length > 0);
}

const controlGroup = (document: Schema): Group => ({
  id: "controls",
  title: "Sandbox controls",
  description: "They read and change the sandbox itself. The service has no such operations.",
  operations: operationsOf(document, { isControl: true }),
});

function operationsOf(
  document: Schema,
  { isControl }: Pick<DescribedOperation, "isControl">,
): readonly DescribedOperation[] {
  const reader = schemaReader(document);
  return Object.entries(asRecord(document.paths)).flatMap(([path, methods]) =>
    Object.entries(asRecord(methods)).map(([method, operation]) => ({
      method,
      path,
      operation: asRecord(operation),
      reader,
      isControl,
    })),
  );
}

/** `storage-volumes` as `Storage volumes`. */
const titleOf = (name: string): string => {
  const text = name.replaceAll("-", " ").replace(/\b(openapi|api|ssh)\b/g, (word) => acronyms[word] ?? word);
  return text.slice(0, 1).toUpperCase() + text.slice(1);
};

const acronyms: Readonly<Record<string, string>> = { openapi: "OpenAPI", api: "API", ssh: "SSH" };

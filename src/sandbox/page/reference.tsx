import { STATUS_CODES } from "node:http";
import type { OpenApiDocument } from "../../contract/document/openapi.ts";
import { asList, asRecord, asText } from "../../core/json.ts";
import { servedControls } from "../../core/sandbox.ts";
import { keys } from "../keys.ts";
import { Layout, Method } from "./layout.tsx";
import { referenceScript } from "./reference-script.ts";
import { type Schema, type SchemaField, type SchemaReader, schemaReader } from "./schema.ts";

interface ListedOperation {
  readonly method: string;
  readonly path: string;
  readonly operation: Schema;
}

/** A reference of the operations in an OpenAPI description. Each operation has a form that sends a request. */
export const Reference = ({ document }: { readonly document: OpenApiDocument }) => {
  const reader = schemaReader(document);
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(asRecord(methods)).map(([method, operation]) => ({
      method,
      path,
      operation: asRecord(operation),
    })),
  );
  const groups = asList(document.tags)
    .map(asRecord)
    .map(({ name, description }) => ({
      name: asText(name),
      description: asText(description),
      operations: operations.filter(({ operation }) => asList(operation.tags).includes(name)),
    }))
    .filter((group) => group.operations.length > 0);
  return (
    <Layout current="reference" script={referenceScript}>
      <nav class="contents" aria-label="Groups">
        {groups.map(({ name }) => (
          <a href={`#${name}`}>{title(name)}</a>
        ))}
      </nav>
      <div>
        <h1>API reference</h1>
        <p class="intro">
          The operations that this sandbox serves, from its <a href="/v2/openapi.json">OpenAPI description</a>
          . Requests go to this sandbox with its own keys. Nothing is rented. The controls of the sandbox have{" "}
          <a href={servedControls.path + servedControls.description}>a description of their own</a>.
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
        {groups.map(({ name, description, operations: listed }) => (
          <section class="group" id={name} aria-labelledby={`${name}-title`}>
            <h2 id={`${name}-title`}>{title(name)}</h2>
            <p>{description}</p>
            {listed.map((one) => (
              <OperationDetails {...one} reader={reader} />
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

/** `storage-volumes` as `Storage volumes`. */
const title = (name: string): string => {
  const text = name.replaceAll("-", " ").replace(/\b(openapi|api|ssh)\b/g, (word) => acronyms[word] ?? word);
  return text.slice(0, 1).toUpperCase() + text.slice(1);
};

const acronyms: Readonly<Record<string, string>> = { openapi: "OpenAPI", api: "API", ssh: "SSH" };

interface OperationProps extends ListedOperation {
  readonly reader: SchemaReader;
}

const OperationDetails = ({ method, path, operation, reader }: OperationProps) => {
  const { operationId, summary, description, deprecated } = operation;
  const id = asText(operationId);
  const body = bodySchema(operation.requestBody);
  return (
    <details class={deprecated === true ? "operation deprecated" : "operation"} id={id}>
      <summary>
        <Method name={method} />
        <span class="path">{path}</span>
        <span class="what">
          {asText(summary)}
          {deprecated === true && " (deprecated)"}
        </span>
      </summary>
      <div class="body">
        <div>
          {description !== undefined && <p class="description">{asText(description)}</p>}
          <p class="detail">
            Operation <code>{id}</code>
          </p>
          <Fields
            title="Parameters"
            fields={asList(operation.parameters).map((one) => parameterField(one, reader))}
          />
          {body !== undefined && <Fields title="Body" fields={reader.fieldsOf(body)} />}
          <Responses responses={asRecord(operation.responses)} reader={reader} />
        </div>
        <TryIt method={method} path={path} operation={operation} reader={reader} />
      </div>
    </details>
  );
};

const bodySchema = (requestBody: unknown): unknown =>
  asRecord(asRecord(asRecord(requestBody).content)["application/json"]).schema;

/** A parameter, described like a field of a schema. */
function parameterField(parameter: unknown, reader: SchemaReader): SchemaField {
  const { name, required, description, schema, in: place } = asRecord(parameter);
  const [field] = reader.fieldsOf({ type: "object", properties: { value: schema } });
  return {
    fields: [],
    limits: field?.limits ?? [],
    name: asText(name),
    type: `${field?.type}, in the ${place}`,
    required: required === true,
    description: asText(description),
  };
}

const Fields = ({
  title: heading,
  fields,
}: {
  readonly title: string;
  readonly fields: readonly SchemaField[];
}) =>
  fields.length === 0 ? null : (
    <>
      <h4>{heading}</h4>
      <FieldList fields={fields} />
    </>
  );

const FieldList = ({ fields }: { readonly fields: readonly SchemaField[] }) => (
  <ul class="field-list">
    {fields.map(({ name, type, required, description, limits, fields: inner }) => (
      <li>
        <code>{name}</code>
        <span class="type">{type}</span>
        {required && <span class="required">required</span>}
        {description !== "" && <p>{description}</p>}
        {limits.length > 0 && <p>{limits.join("; ")}</p>}
        {inner.length > 0 && <FieldList fields={inner} />}
      </li>
    ))}
  </ul>
);

const Responses = ({ responses, reader }: { readonly responses: Schema; readonly reader: SchemaReader }) => (
  <>
    <h4>Responses</h4>
    <ul class="responses">
      {Object.entries(responses).map(([status, response]) => {
        const { description, content } = asRecord(response);
        const types = Object.entries(asRecord(content));
        const fields = reader.fieldsOf(asRecord(types[0]?.[1]).schema);
        return (
          <li>
            <span class={`status s${status.slice(0, 1)}`}>{status}</span>
            {asText(description) || STATUS_CODES[status]}
            {status.startsWith("2") && fields.length > 0 && (
              <details>
                <summary>{`Fields of ${status}`}</summary>
                <FieldList fields={fields} />
              </details>
            )}
          </li>
        );
      })}
    </ul>
  </>
);

const TryIt = ({ method, path, operation, reader }: OperationProps) => {
  const id = asText(operation.operationId);
  const body = bodySchema(operation.requestBody);
  const isOpen = Array.isArray(operation.security) && operation.security.length === 0;
  const media = asRecord(asRecord(asRecord(operation.requestBody).content)["application/json"]);
  return (
    <form class="try" data-method={method.toUpperCase()} data-path={path} aria-label={`Try ${id}`}>
      {asList(operation.parameters)
        .map(asRecord)
        .map(({ name, in: place, required, schema }) => (
          <ParameterInput
            name={asText(name)}
            place={asText(place)}
            required={required === true}
            schema={schema}
          />
        ))}
      {body !== undefined && (
        <label>
          JSON body
          <textarea name="body" rows={bodyRows} spellcheck={false}>
            {JSON.stringify(media.example ?? reader.sampleOf(body), null, 2)}
          </textarea>
        </label>
      )}
      <div class="send">
        {!isOpen && (
          <label>
            API key
            <select name="key">
              <option value={keys.full}>Full access</option>
              <option value={keys.readOnly}>Read-only</option>
              <option value="">None</option>
            </select>
          </label>
        )}
        <button type="submit" class="main">
          Send
        </button>
      </div>
      <div class="result" role="status" />
    </form>
  );
};

const bodyRows = 8;

interface ParameterInputProps {
  readonly name: string;
  readonly place: string;
  readonly required: boolean;
  readonly schema: unknown;
}

const ParameterInput = ({ name, place, required, schema }: ParameterInputProps) => {
  const { type, enum: values } = asRecord(schema);
  const choices = type === "boolean" ? ["true", "false"] : asList(values).map(String);
  return choices.length === 0 ? (
    <label>
      {name}
      <input name={name} data-in={place} required={required} autocomplete="off" spellcheck={false} />
    </label>
  ) : (
    <label>
      {name}
      <select name={name} data-in={place}>
        {!required && <option value="">Not sent</option>}
        {choices.map((choice) => (
          <option value={choice}>{choice}</option>
        ))}
      </select>
    </label>
  );
};

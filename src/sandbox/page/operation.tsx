import { STATUS_CODES } from "node:http";
import { asList, asRecord, asText } from "../../core/json.ts";
import { Method } from "./layout.tsx";
import {
  type DescribedOperation,
  jsonBody,
  type Schema,
  type SchemaField,
  type SchemaReader,
} from "./schema.ts";
import { TryIt } from "./try-it.tsx";

/** An operation with its fields and responses, and with a form that sends a request. */
export const OperationDetails = (described: DescribedOperation) => {
  const { method, path, operation, reader, isControl } = described;
  const { operationId, summary, description, deprecated } = operation;
  const id = asText(operationId);
  const body = jsonBody(operation)?.schema;
  return (
    <details
      class={deprecated === true ? "operation deprecated" : "operation"}
      id={isControl ? `control-${id}` : id}
    >
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
          {description !== undefined && (
            <p class="description">
              <Prose text={asText(description)} />
            </p>
          )}
          <p class="detail">
            {isControl ? "Control" : "Operation"} <code>{id}</code>
          </p>
          <Fields
            title="Parameters"
            fields={asList(operation.parameters).map((one) => parameterField(one, reader))}
          />
          {body !== undefined && <Fields title="Body" fields={reader.fieldsOf(body)} />}
          <Responses responses={asRecord(operation.responses)} reader={reader} />
        </div>
        <TryIt {...described} />
      </div>
    </details>
  );
};

/** A text in which words between backticks are code. */
const Prose = ({ text }: { readonly text: string }) => (
  <>{text.split("`").map((part, at) => (at % 2 === 1 ? <code>{part}</code> : part))}</>
);

/** A parameter, described like a field of a schema. */
function parameterField(parameter: unknown, reader: SchemaReader): SchemaField {
  const { name, required, description, schema, in: place } = asRecord(parameter);
  const [field] = reader.fieldsOf({ type: "object", properties: { value: schema } });
  return {
    fields: [],
    constant: undefined,
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
      <h3>{heading}</h3>
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
        {description !== "" && (
          <p>
            <Prose text={description} />
          </p>
        )}
        {limits.length > 0 && <p>{limits.join("; ")}</p>}
        {inner.length > 0 && <FieldList fields={inner} />}
      </li>
    ))}
  </ul>
);

const Responses = ({ responses, reader }: { readonly responses: Schema; readonly reader: SchemaReader }) => (
  <>
    <h3>Responses</h3>
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

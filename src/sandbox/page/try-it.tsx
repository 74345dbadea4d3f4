import { asList, asRecord, asText } from "../../core/json.ts";
import { type Control, controls } from "../control/table.ts";
import { keys } from "../keys.ts";
import { type DescribedOperation, jsonBody } from "./schema.ts";

/** A form that sends a request to an operation, and shows the response. */
export const TryIt = ({ method, path, operation, isControl }: DescribedOperation) => {
  const id = asText(operation.operationId);
  const body = jsonBody(operation);
  const isOpen = Array.isArray(operation.security) && operation.security.length === 0;
  return (
    <form
      class="try"
      data-method={method.toUpperCase()}
      data-path={path}
      data-whole={isControl ? "" : undefined}
      data-confirm={isControl && replacingControls.has(id) ? "Replace everything in the sandbox?" : undefined}
      aria-label={`Try ${id}`}
    >
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
          <textarea rows={bodyRows} data-body required spellcheck={false}>
            {JSON.stringify(body.example, null, 2)}
          </textarea>
        </label>
      )}
      <div class="send">
        {!isOpen && !isControl && (
          <label>
            API key
            <select data-key>
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
      <div class="result">
        <p role="status" />
      </div>
    </form>
  );
};

const bodyRows = 8;

/** The controls that replace the whole state. */
const replacingControls: ReadonlySet<string> = new Set(
  Object.entries<Control>(controls).flatMap(([name, { replacesState }]) => (replacesState ? [name] : [])),
);

interface ParameterInputProps {
  readonly name: string;
  readonly place: string;
  readonly required: boolean;
  readonly schema: unknown;
}

const ParameterInput = ({ name, place, required, schema }: ParameterInputProps) => {
  const { type, enum: values } = asRecord(schema);
  const choices = type === "boolean" ? ["true", "false"] : asList(values).map(String);
  const text = { name, "data-in": place, required, autocomplete: "off", spellcheck: false };
  if (type === "array") {
    return (
      <label>
        {name} (one per line)
        <textarea rows={2} data-list {...text} />
      </label>
    );
  }
  return choices.length === 0 ? (
    <label>
      {name}
      <input {...text} />
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

import type { Child } from "hono/jsx";
import { fieldsOf } from "../../contract/plain/fields.ts";
import { bootOutcomes, faultDefaults, scenarios } from "../../core/sandbox.ts";
import type { ClockState } from "../clock.ts";
import type { FaultInfo } from "../faults/control.ts";
import { faultInput } from "../faults/table.ts";
import { type BootRuleInfo, bootRuleInput } from "../rentals/boots.ts";
import type { SituationInfo } from "../situations/control.ts";
import { Panel } from "./layout.tsx";

/** The units in which the clock can be advanced, and the steps that have their own button. */
const units = ["seconds", "minutes", "hours", "days"] as const;
const steps = [
  { unit: "minutes", text: "+1 min" },
  { unit: "hours", text: "+1 h" },
  { unit: "days", text: "+1 day" },
] as const;

export const ClockPanel = ({ clock: { now, frozen } }: { readonly clock: ClockState }) => (
  <Panel id="clock" title="Clock">
    <p class="time" id="time" data-live>
      <time datetime={now}>{`${now.slice(0, 10)} ${now.slice(11, 19)}`}</time> UTC
      {frozen && <span class="state frozen">Frozen</span>}
    </p>
    <div class="buttons">
      <span id="clock-state" data-live>
        <button
          type="button"
          id="freeze"
          data-method="POST"
          data-path={`/clock/${frozen ? "resume" : "freeze"}`}
        >
          {frozen ? "Resume" : "Freeze"}
        </button>
      </span>
      {steps.map(({ unit, text }) => (
        <button
          type="button"
          data-method="POST"
          data-path="/clock/advance"
          data-body={JSON.stringify({ [unit]: 1 })}
          aria-label={`Advance the clock: ${text}`}
        >
          {text}
        </button>
      ))}
    </div>
    <form data-path="/clock/advance" data-done="The clock was advanced.">
      <div class="row">
        <label>
          Advance by
          <input type="number" name="amount" min="0" step="any" value="10" required data-number />
        </label>
        <label>
          Unit
          <select name="unit">
            {units.map((unit) => (
              <option value={unit} selected={unit === "minutes"}>
                {unit}
              </option>
            ))}
          </select>
        </label>
        <button type="submit">Advance</button>
      </div>
      <p class="error" role="alert" />
    </form>
  </Panel>
);

export const Situations = ({ situations }: { readonly situations: readonly SituationInfo[] }) => (
  <Panel id="situations" title="Situations" tools={<ClearButton path="/situations" what="situations" />}>
    <ul id="situation-list" class="entries" data-live>
      {situations.map(({ id, kind, effect, affected }) => (
        <Entry
          id={id}
          path="/situations"
          title={effect}
          detail={`${kind} · affected ${affected}`}
          remove={`Remove situation ${id}`}
        />
      ))}
    </ul>
    <details class="add" id="start-scenario">
      <summary>Start a scenario</summary>
      <p class="help">It replaces all situations, boot rules and faults.</p>
      <ul class="scenarios">
        {Object.entries(scenarios).map(([name, text]) => (
          <li>
            <button
              type="button"
              data-method="POST"
              data-path="/scenario"
              data-body={JSON.stringify({ name })}
              data-done={`The scenario is ${name}.`}
              aria-describedby={`scenario-${name}`}
            >
              {name}
            </button>
            <span id={`scenario-${name}`}>{text}</span>
          </li>
        ))}
      </ul>
    </details>
  </Panel>
);

export const Faults = ({
  faults,
  operations,
}: {
  readonly faults: readonly FaultInfo[];
  readonly operations: readonly string[];
}) => (
  <Panel id="faults" title="Faults" tools={<ClearButton path="/faults" what="faults" />}>
    <ul id="fault-list" class="entries" data-live>
      {faults.map(({ id, operation, effect, left }) => (
        <Entry
          id={id}
          path="/faults"
          title={`${operation === "*" ? "Every operation" : operation}: ${effect}`}
          detail={`fault ${id} · ${leftText(left)}`}
          remove={`Remove fault ${id}`}
        />
      ))}
    </ul>
    <AddForm id="add-fault" title="Add a fault" path="/faults" done="The fault was added.">
      <label class="full">
        Operation
        <select name="operation">
          <option value="*">Every operation</option>
          {operations.map((id) => (
            <option value={id}>{id}</option>
          ))}
        </select>
      </label>
      <NumberField input={faultFields} name="status" label="Status" value="503" />
      <NumberField input={faultFields} name="times" label="Times" placeholder={String(faultDefaults.times)} />
      <NumberField input={faultFields} name="delayMs" label="Delay (ms)" />
      <NumberField input={faultFields} name="rate" label="Share of calls" placeholder="all" />
      <label class="full check">
        <input type="checkbox" name="reset" />
        Break the connection (leave the status empty)
      </label>
    </AddForm>
  </Panel>
);

export const BootRules = ({ boots }: { readonly boots: readonly BootRuleInfo[] }) => (
  <Panel id="boots" title="Boot rules" tools={<ClearButton path="/boots" what="boot rules" />}>
    <ul id="boot-list" class="entries" data-live>
      {boots.map(({ id, outcome, afterSeconds, label, left }) => (
        <Entry
          id={id}
          path="/boots"
          title={`${outcome}${afterSeconds === null ? "" : ` after ${afterSeconds} s`}`}
          detail={`${label === null ? "any label" : `label ${label}`} · ${leftText(left)}`}
          remove={`Remove boot rule ${id}`}
        />
      ))}
    </ul>
    <AddForm id="add-boot" title="Add a boot rule" path="/boots" done="The boot rule was added.">
      <label>
        Outcome
        <select name="outcome">
          {bootOutcomes.map((outcome) => (
            <option value={outcome}>{outcome}</option>
          ))}
        </select>
      </label>
      <NumberField input={bootFields} name="afterSeconds" label="After (s)" />
      <label>
        Label
        <input name="label" placeholder="any" autocomplete="off" />
      </label>
      <NumberField input={bootFields} name="times" label="Times" placeholder="all" />
    </AddForm>
  </Panel>
);

const faultFields = fieldsOf(faultInput.pick({ status: true, times: true, delayMs: true, rate: true }));
const bootFields = fieldsOf(bootRuleInput);

const leftText = (left: number | null): string =>
  left === null ? "no limit" : left === 0 ? "used up" : `${left} left`;

interface EntryProps {
  readonly id: number;
  readonly path: string;
  readonly title: string;
  readonly detail: string;
  readonly remove: string;
}

/** A list entry for a situation, a fault or a boot rule, with a button that removes it. */
const Entry = ({ id, path, title, detail, remove }: EntryProps) => (
  <li id={`${path.slice(1)}-${id}`}>
    <div>
      <span class="name">{title}</span>
      <span class="detail">{detail}</span>
    </div>
    <button
      type="button"
      class="quiet"
      data-method="DELETE"
      data-path={`${path}/${id}`}
      data-done="Removed."
      aria-label={remove}
    >
      Remove
    </button>
  </li>
);

const ClearButton = ({ path, what }: { readonly path: string; readonly what: string }) => (
  <button
    type="button"
    class="quiet"
    data-method="DELETE"
    data-path={path}
    data-done={`All ${what} were removed.`}
    aria-label={`Clear ${what}`}
  >
    Clear
  </button>
);

interface AddFormProps {
  readonly id: string;
  readonly title: string;
  readonly path: string;
  /** The message that is shown when the entry was added. */
  readonly done: string;
  readonly children: Child;
}

const AddForm = ({ id, title, path, done, children }: AddFormProps) => (
  <details class="add" id={id}>
    <summary>{title}</summary>
    <form data-path={path} data-done={done}>
      <div class="fields">{children}</div>
      <p class="error" role="alert" />
      <button type="submit" class="main">
        {title}
      </button>
    </form>
  </details>
);

interface NumberFieldProps {
  readonly input: ReturnType<typeof fieldsOf>;
  readonly name: string;
  readonly label: string;
  readonly value?: string;
  readonly placeholder?: string;
}

/** A number input with the limits of a field of the control. */
const NumberField = ({ input, name, label, value, placeholder }: NumberFieldProps) => {
  const field = input.find((one) => one.name === name);
  return (
    <label>
      {label}
      <input
        type="number"
        name={name}
        min={field?.minimum ?? field?.exclusiveMinimum}
        max={field?.maximum}
        step={field?.kind === "integer" ? 1 : "any"}
        value={value}
        placeholder={placeholder}
        data-number
      />
    </label>
  );
};

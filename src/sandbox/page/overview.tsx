import { servedControls } from "../../core/sandbox.ts";
import { dollars } from "../../core/values/money.ts";
import type { NumberedRequest } from "../requests/log.ts";
import { BootRules, ClockPanel, Faults, Situations } from "./controls.tsx";
import { Layout, Method, Panel } from "./layout.tsx";
import { overviewScript } from "./overview-script.ts";
import type { OverviewState } from "./overview-state.ts";
import type { NumberedMedia } from "./recent-media.ts";

interface OverviewProps extends OverviewState {
  /** The origin at which the sandbox is served. */
  readonly origin: string;
  readonly operations: readonly string[];
}

/**
 * The overview of the sandbox. The script updates elements with `data-live`, which it finds by their IDs. In a list,
 * whose children also have IDs, it replaces only the children that changed.
 */
export const Overview = (state: OverviewProps) => (
  <Layout
    current="overview"
    script={overviewScript}
    tools={
      <>
        <span id="connection" role="status">
          Live
        </span>
        <button type="button" id="pause" class="quiet" aria-pressed="false">
          Pause
        </button>
      </>
    }
  >
    <h1 class="hidden">Overview of the sandbox</h1>
    <Summary {...state} />
    <div class="columns">
      <div>
        <Rentals {...state} />
        <RecentMediaPanel media={state.media} />
        <Requests {...state} />
      </div>
      <div>
        <ClockPanel clock={state.clock} />
        <Situations situations={state.situations} />
        <Faults faults={state.faults} operations={state.operations} />
        <BootRules boots={state.boots} />
      </div>
    </div>
  </Layout>
);

const Summary = ({ status, money, volumesGb }: OverviewState) => (
  <dl class="summary" id="summary" data-live>
    <Figure name="Balance" value={dollars(status.balanceCents)} detail={`of ${dollars(money.creditCents)}`} />
    <Figure
      name="Spent"
      value={dollars(money.usedCents)}
      detail={`${dollars(money.perHourCents)} per hour now`}
    />
    <Figure
      name="Active rentals"
      value={String(status.rentals.active)}
      detail={`${status.rentals.ended} ended`}
    />
    <Figure name="Volumes" value={String(status.volumes)} detail={`${volumesGb} GB`} />
    <Figure name="Faults" value={String(status.faults)} detail="that can still fire" />
    {!status.userExists && (
      <div class="notice">
        <dt>The user was deleted</dt>
        <dd>The keys of this user do not work until the state is reset or replaced.</dd>
      </div>
    )}
  </dl>
);

const Figure = ({ name, value, detail }: { name: string; value: string; detail: string }) => (
  <div>
    <dt>{name}</dt>
    <dd class="figure">{value}</dd>
    <dd class="detail">{detail}</dd>
  </div>
);

const Rentals = ({ rentals, moreRentals, origin }: OverviewProps) => (
  <Panel id="rentals" title="Rentals">
    <div id="rental-list" data-live>
      {rentals.length === 0 ? (
        <p class="empty">
          No rentals. <code>{`gpuctl rentals create vm --gpus 1 --base-url ${origin}`}</code>
        </p>
      ) : (
        <div class="scroll">
          <table aria-labelledby="rentals-title">
            <thead>
              <tr>
                <th scope="col">Rental</th>
                <th scope="col">Status</th>
                <th scope="col" class="wide">
                  GPUs
                </th>
                <th scope="col" class="wide">
                  Region
                </th>
                <th scope="col" class="number">
                  Per hour
                </th>
                <th scope="col" class="number">
                  Billed
                </th>
              </tr>
            </thead>
            <tbody>
              {rentals.map((rental) => (
                <tr>
                  <th scope="row">
                    <span class="name">{rental.label}</span>
                    <span class="detail">{rental.id}</span>
                    <span class="detail narrow">{gpus(rental)}</span>
                  </th>
                  <td>
                    <span class={`state ${rental.status.toLowerCase()}`}>{rental.status}</span>
                  </td>
                  <td class="wide">{gpus(rental)}</td>
                  <td class="wide">{rental.region}</td>
                  <td class="number">{dollars(rental.costPerHourCents)}</td>
                  <td class="number">{dollars(rental.billedCents)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {moreRentals > 0 && <p class="more">{`${moreRentals} more`}</p>}
    </div>
  </Panel>
);

const gpus = ({ gpuCount, gpuType }: OverviewState["rentals"][number]): string => `${gpuCount} × ${gpuType}`;

const Requests = ({ requests }: OverviewState) => (
  <Panel
    id="requests"
    title="Requests"
    tools={
      <button
        type="button"
        class="quiet"
        data-method="DELETE"
        data-path="/requests"
        data-done="The log is empty."
      >
        Clear
      </button>
    }
  >
    <div id="no-requests" data-live>
      {requests.length === 0 && <p class="empty">No requests yet. They appear here as they arrive.</p>}
    </div>
    <ol id="request-list" data-live>
      {requests.map((request) => (
        <RequestItem {...request} />
      ))}
    </ol>
  </Panel>
);

const RequestItem = (request: NumberedRequest) => (
  <li id={`request-${request.number}`}>
    <details>
      <summary>
        <StatusBadge status={request.status} />
        <Method name={request.method} />
        <span class="path">{request.path}</span>
        <span class="about">
          {(request.operation ?? "unknown path").split(/(?=[A-Z])/).map((word) => (
            <>
              <wbr />
              {word}
            </>
          ))}
          {request.fault !== null && <b class="faulty">{`fault ${request.fault}`}</b>}
        </span>
        <time datetime={request.time}>{request.time.slice(11, 19)}</time>
      </summary>
      <dl class="pairs">
        <Pair name="Number" value={request.number} />
        <Pair name="Time" value={request.time} />
        <Pair name="Key" value={request.key} />
        <Pair name="Caller" value={request.caller} />
        <Pair name="Error" value={request.code} />
        <Pair name="Invalid fields" value={request.issues.join(", ")} />
      </dl>
      <Json
        title="Parameters"
        value={Object.keys(request.parameters).length > 0 ? request.parameters : null}
      />
      <Json title="Body" value={request.body} />
      {request.bodyTruncated && (
        <p class="more">The body is not in the log, or long texts in it were shortened.</p>
      )}
      <Json title="Response" value={request.response} />
      {request.responseTruncated && (
        <p class="more">The response is not in the log: it is long, a stream, or not a text.</p>
      )}
    </details>
  </li>
);

const StatusBadge = ({ status }: { readonly status: number | null }) => (
  <span class={`status s${String(status ?? 0).slice(0, 1)}`}>{status ?? "cut"}</span>
);

const Pair = ({ name, value }: { readonly name: string; readonly value: string | number | null }) =>
  value === null || value === "" ? null : (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );

/** How many characters of a body are shown at most. */
const maxShownLength = 4000;

const Json = ({ title, value }: { readonly title: string; readonly value: unknown }) => {
  if (value === null) return null;
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  return (
    <figure>
      <figcaption>{title}</figcaption>
      <pre>{text.length > maxShownLength ? `${text.slice(0, maxShownLength)}...` : text}</pre>
    </figure>
  );
};

const RecentMediaPanel = ({ media }: Pick<OverviewState, "media">) => (
  <Panel id="media" title="Pictures and speech">
    <div id="no-media" data-live>
      {media.length === 0 && (
        <p class="empty">The last pictures and speech that this server generated appear here.</p>
      )}
    </div>
    <ul id="picture-list" data-live>
      {ofKind(media, "picture").map((one) => (
        <MediaItem {...one} />
      ))}
    </ul>
    <ul id="speech-list" data-live>
      {ofKind(media, "speech").map((one) => (
        <MediaItem {...one} />
      ))}
    </ul>
  </Panel>
);

const ofKind = (media: readonly NumberedMedia[], kind: NumberedMedia["kind"]) =>
  media.filter((one) => one.kind === kind);

const MediaItem = ({ id, kind, text, details }: NumberedMedia) => {
  const url = `${servedControls.path}/media/${id}`;
  return (
    <li id={`media-${id}`}>
      {kind === "picture" ? (
        <a href={url} target="_blank" rel="noopener">
          <img src={url} alt={text} loading="lazy" />
        </a>
      ) : (
        <audio controls preload="none" src={url} aria-describedby={`media-${id}-text`} aria-label="Speech">
          <track kind="captions" />
        </audio>
      )}
      <p class="text" id={`media-${id}-text`}>
        {text}
      </p>
      <p class="detail">{details.join(" · ")}</p>
    </li>
  );
};

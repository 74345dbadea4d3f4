import { createHash } from "node:crypto";
import { Hono } from "hono";
import { secureHeaders } from "hono/secure-headers";
import { servedControls } from "../../core/sandbox.ts";
import { isFromOtherSite, remoteDenial, withSandboxHeaders } from "../control/access.ts";
import { controlDescription } from "../control/description.ts";
import { servedDescription } from "../handlers/description.ts";
import { enabledOperations } from "../operation-set.ts";
import { denialText } from "./denial.ts";
import { Overview } from "./overview.tsx";
import { overviewScript } from "./overview-script.ts";
import { type PageSource, readOverview } from "./overview-state.ts";
import { Reference } from "./reference.tsx";
import { referenceScript } from "./reference-script.ts";
import { style } from "./style.ts";

type Env = { Bindings: { readonly peer: string | undefined } };

/**
 * The pages of a served sandbox: an overview and an API reference. Only browsers on this machine can open them. The
 * pages load nothing from other hosts. Their scripts use the sandbox's controls, which reject requests from any other
 * page.
 */
export function createPage(source: PageSource): Hono<Env> {
  const { clock, operationSet } = source;
  const { overview, reference } = servedControls.pages;
  const app = new Hono<Env>();
  app.use(withSandboxHeaders(clock));
  app.use(
    secureHeaders({
      contentSecurityPolicy: {
        defaultSrc: ["'none'"],
        scriptSrc: [hashOf(overviewScript), hashOf(referenceScript)],
        styleSrc: [hashOf(style)],
        imgSrc: ["'self'", "data:"],
        mediaSrc: ["'self'"],
        connectSrc: ["'self'"],
        baseUri: ["'none'"],
        formAction: ["'none'"],
        frameAncestors: ["'none'"],
      },
      xFrameOptions: "DENY",
      strictTransportSecurity: false,
    }),
  );
  app.use(async (http, next) => {
    const { raw } = http.req;
    const { peer } = http.env;
    http.header("Cache-Control", "no-store");
    if (remoteDenial(raw, peer) !== undefined) return http.text(denialText(raw.url, peer), 403);
    const reason = embeddingDenial(raw);
    if (reason !== undefined) return http.text(`403 Forbidden: ${reason}.`, 403);
    return next();
  });
  app.get(overview, (http) => {
    const { origin } = new URL(http.req.url);
    const operations = enabledOperations(operationSet, clock()).map(({ id }) => id);
    return http.html(page(<Overview {...readOverview(source)} origin={origin} operations={operations} />));
  });
  app.get(reference, (http) => {
    const { origin } = new URL(http.req.url);
    return http.html(
      page(
        <Reference
          api={servedDescription(operationSet, clock(), origin)}
          controls={controlDescription(origin)}
        />,
      ),
    );
  });
  return app;
}

const page = (content: { toString(): string | Promise<string> }) => `<!doctype html>${content}`;

/** A page of another site may link to these pages, but not embed them. */
const embeddingDenial = (request: Request): string | undefined =>
  isFromOtherSite(request) && request.headers.get("sec-fetch-dest") !== "document"
    ? "pages of other sites cannot contain this page"
    : undefined;

const hashOf = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

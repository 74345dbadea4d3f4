import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Responder, SeenRequest } from "./cli.ts";

export const descriptionPath = "/v2/openapi.json";

/** An OpenAPI description of these operations, by method and path. */
export function description(operations: Readonly<Record<string, object>>): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const [name, operation] of Object.entries(operations)) {
    const [method = "", path = ""] = name.split(" ");
    paths[path] = { ...paths[path], [method.toLowerCase()]: { responses: {}, ...operation } };
  }
  return { openapi: "3.1.0", info: { title: "Elsewhere", version: "2.0.0" }, paths };
}

const error = (status: number, code: string, message: string) =>
  Response.json({ code, message, issues: [] }, { status });

export const notFound = () => error(404, "NOT_FOUND", "Not found");

type Endpoint = (request: SeenRequest) => Response | Promise<Response>;

/** A service with just these endpoints, by method and path; everything else is not found. */
export const service =
  (endpoints: Readonly<Record<string, Endpoint>>): Responder =>
  (request) =>
    (endpoints[`${request.method} ${request.path}`] ?? notFound)(request);

/** The method, path and query of each request, in order. */
export const requestLines = (requests: readonly SeenRequest[]): readonly string[] =>
  requests.map(({ method, path, query }) => {
    const text = new URLSearchParams(query).toString();
    return `${method} ${path}${text && `?${text}`}`;
  });

/** All files in the state folder, where descriptions are cached. */
export async function keptDescriptions(folder: string) {
  const state = join(folder, "state");
  const names = await readdir(state).catch(() => []);
  return Promise.all(
    names.map(async (name) => ({
      name,
      mode: (await stat(join(state, name))).mode & 0o777,
      text: await readFile(join(state, name), "utf8"),
    })),
  );
}

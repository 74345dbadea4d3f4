/** Whether a request may destroy something, as far as its method and its names tell. */
export const destroys = ({ method, path, id = "" }: { method: string; path: string; id?: string }): boolean =>
  method === "DELETE" ||
  (method !== "GET" && method !== "HEAD" && /terminat|delete|revoke|destroy|remove/i.test(`${id} ${path}`));

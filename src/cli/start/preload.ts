import type { Ports } from "../../command-kit/context.ts";

/** See `Ports`. From source, and in the single executable, there are no built files to load. */
export const preload: Ports["preload"] = async (part) => {
  if (part === "program") return (await import("../../system/code-cache.ts")).loadAll(import.meta.dirname);
  await Promise.all([
    import("../report/failure.ts"),
    import("../report/kept-response.ts"),
    import("../print/next-steps.ts"),
    import("../../media/keep.ts"),
    import("../../output/render.ts"),
    import("../../output/table/record.ts"),
  ]);
};

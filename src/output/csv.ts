import { stringify } from "csv-stringify/sync";
import type { Writer } from "./separated.ts";

/** Rows as RFC 4180 wants them, with CRLF. A lone empty value is quoted: an empty line is no row. */
export const csv: Writer = (rows) =>
  stringify(
    rows.map((row) => [...row]),
    { record_delimiter: "\r\n", quote_record_delimiter: true, quoted_empty: rows[0]?.length === 1 },
  );

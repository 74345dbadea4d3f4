import type { Redactor } from "../../core/redact.ts";
import { isWord, sanitize, sanitizeDrawn, sanitizeLine, sanitizePictures } from "../../output/text.ts";
import type { ChoiceQuestion, Io, Prompts, Question, Sink, WriteOptions } from "../../system/types.ts";

/** Changes a text before it is shown. */
type Clean = (text: string) => string;

/**
 * Returns the same streams, prompts, spinner and line editor, except that no text shows a secret, and no text from
 * outside can control the terminal. Control characters stay in bytes, which are data, and in text on stdout if stdout
 * is not a terminal.
 */
export function guardIo(io: Io, { redact }: Pick<Redactor, "redact">): Io {
  // Removes control characters first, because gpuctl would not recognize a secret that contains one.
  const line: Clean = (text) => redact(sanitizeLine(text));
  // An entry in the history of the line editor may have several lines, such as a message that was written with /edit.
  const entry: Clean = (text) => redact(sanitizeLines(text));
  return {
    stdin: io.stdin,
    stdout: writingClean(io.stdout, (text, drawn) =>
      redact(io.stdout.isTTY ? (drawn ? sanitizeDrawn(text) : sanitize(text)) : text),
    ),
    stderr: writingClean(io.stderr, (text, drawn) =>
      redact(
        drawn === "pictures" ? sanitizePictures(text) : sanitizeLines(text, drawn ? sanitizeDrawn : sanitize),
      ),
    ),
    prompts: async () => cleanPrompts(await io.prompts(), line),
    spinner: async (text, { color, suffix }) => {
      const lines = () => suffix().split("\n").map(line).join("\n");
      const spinner = await io.spinner(line(text), { color, suffix: lines });
      return { ...spinner, update: (next) => spinner.update(line(next)) };
    },
    fullScreen: io.fullScreen,
    lineEditor: async ({ history, complete }) => {
      const editor = await io.lineEditor({
        history: history.map(entry),
        complete: async (typed) => {
          const { choices, replaced } = await complete(typed);
          return { replaced, choices: choices.filter(isWord).map(redact) };
        },
      });
      return { ...editor, remember: (text) => editor.remember(entry(text)) };
    },
    copy: (text) => io.copy(redact(text)),
  };
}

/** Cleans each line separately, so that an escape sequence in one line cannot hide another line. */
const sanitizeLines = (text: string, clean: Clean = sanitize): string =>
  text.split("\n").map(clean).join("\n");

const writingClean = (sink: Sink, clean: (text: string, drawn: WriteOptions["drawn"]) => string): Sink => ({
  get isTTY() {
    return sink.isTTY;
  },
  get columns() {
    return sink.columns;
  },
  get rows() {
    return sink.rows;
  },
  write: (chunk, options) =>
    sink.write(typeof chunk === "string" ? clean(chunk, options?.drawn) : chunk, options),
});

const cleanPrompts = ({ text, secret, choose, confirm, report }: Prompts, clean: Clean): Prompts => ({
  text: (question) =>
    text({
      ...cleanQuestion(question, clean),
      ...(question.initial !== undefined && { initial: clean(question.initial) }),
    }),
  secret: (question) => secret(cleanQuestion(question, clean)),
  choose: (question) => choose({ ...cleanQuestion(question, clean), labels: cleanLabels(question, clean) }),
  confirm: (question) => confirm({ ...question, message: clean(question.message) }),
  report: (outcome, message) => report(outcome, clean(message)),
});

function cleanQuestion<Asked extends Question>(question: Asked, clean: Clean): Asked {
  const { message, validate } = question;
  return {
    ...question,
    message: clean(message),
    ...(validate && {
      validate: (answer: string) => {
        const problem = validate(answer);
        return problem && clean(problem);
      },
    }),
  };
}

/** The label to show for each choice. Only the labels are cleaned: the chosen value is returned unchanged. */
const cleanLabels = ({ choices, labels }: ChoiceQuestion, clean: Clean): Readonly<Record<string, string>> =>
  Object.fromEntries(choices.map((choice) => [choice, clean(labels?.[choice] ?? choice)]));

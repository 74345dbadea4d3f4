import type { Redactor } from "../../core/redact.ts";
import { isWord, sanitize, sanitizeDrawn, sanitizeLine, sanitizePictures } from "../../output/text.ts";
import type { ChoiceQuestion, Io, Prompts, Question, Sink, WriteOptions } from "../../system/types.ts";

/** Changes a text before it is shown. */
type Clean = (text: string) => string;

/**
 * The same streams, prompts and progress, except that no text holds a secret, and nothing from outside controls the
 * terminal. Bytes, and text on a stdout that is not a terminal, keep their control characters: they are data.
 */
export function guardIo(io: Io, { redact }: Pick<Redactor, "redact">): Io {
  // Control characters go first, because they may interrupt a secret.
  const line: Clean = (text) => redact(sanitizeLine(text));
  return {
    stdin: io.stdin,
    stdout: writingClean(io.stdout, (text, drawn) =>
      redact(io.stdout.isTTY ? (drawn ? sanitizeDrawn(text) : sanitize(text)) : text),
    ),
    // Each line by itself, so that a sequence in one cannot hide another.
    stderr: writingClean(io.stderr, (text, drawn) =>
      redact(
        drawn === "pictures"
          ? sanitizePictures(text)
          : text
              .split("\n")
              .map(drawn ? sanitizeDrawn : sanitize)
              .join("\n"),
      ),
    ),
    prompts: async () => cleanPrompts(await io.prompts(), line),
    spinner: async (text, { color, suffix }) => {
      const lines = () => suffix().split("\n").map(line).join("\n");
      const spinner = await io.spinner(line(text), { color, suffix: lines });
      return { ...spinner, update: (next) => spinner.update(line(next)) };
    },
    fullScreen: io.fullScreen,
    lineEditor: ({ history, complete }) =>
      io.lineEditor({
        history: history.map(line),
        complete: async (typed) => {
          const { choices, replaced } = await complete(typed);
          return { replaced, choices: choices.filter(isWord).map(redact) };
        },
      }),
    copy: (text) => io.copy(redact(text)),
  };
}

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

/** A label for each choice: a choice is returned as it is, but shown only clean. */
const cleanLabels = ({ choices, labels }: ChoiceQuestion, clean: Clean): Readonly<Record<string, string>> =>
  Object.fromEntries(choices.map((choice) => [choice, clean(labels?.[choice] ?? choice)]));

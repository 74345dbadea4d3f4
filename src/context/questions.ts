export interface Question {
  readonly message: string;
  /** Nothing when the answer will do, else what is wrong with it. */
  readonly validate?: (answer: string) => string | undefined;
}

export interface TextQuestion extends Question {
  /** The answer of who just presses Enter. */
  readonly initial?: string | undefined;
}

export interface ChoiceQuestion extends Question {
  readonly choices: readonly string[];
  /** What is shown in place of a choice. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly initial?: string | undefined;
}

export interface YesNoQuestion extends Question {
  /** The answer of who just presses Enter; no when left out. */
  readonly initial?: boolean;
}

/** Each rejects with `Interrupted` on Ctrl-C, on Ctrl-D and when the terminal closes. */
export interface Prompts {
  readonly text: (question: TextQuestion) => Promise<string>;
  readonly secret: (question: Question) => Promise<string>;
  readonly choose: (question: ChoiceQuestion) => Promise<string>;
  readonly confirm: (question: YesNoQuestion) => Promise<boolean>;
}

/** The part of highlight.js that is used. The package's own types would pull in the DOM types everywhere. */
declare const highlightJs: {
  getLanguage(name: string): object | undefined;
  highlight(
    code: string,
    options: { language: string; ignoreIllegals: boolean },
  ): {
    /** The code as HTML. */
    readonly value: string;
    /** The state of the parser at the end. If it has no parent, the parser is back at the top level. */
    readonly _top?: { readonly parent?: object };
  };
};
export default highlightJs;

/** The part of highlight.js that is used. Its own types add those of browsers to the whole program. */
declare const highlightJs: {
  getLanguage(name: string): object | undefined;
  highlight(
    code: string,
    options: { language: string; ignoreIllegals: boolean },
  ): {
    /** HTML. */
    readonly value: string;
    /** The state of the parser at the end; without a parent it is where it started. */
    readonly _top?: { readonly parent?: object };
  };
};
export default highlightJs;

import process from "node:process";

const HIDE = "\u001b[?25l";
const SHOW = "\u001b[?25h";

/**
 * Hides the cursor of a terminal until the function that comes back is called. It is shown again in any case before
 * the process ends or is stopped: an exit, a fault, Ctrl-\ and Ctrl-Z.
 */
export function hideCursor(terminal: { readonly write: (text: string) => unknown }): () => void {
  let hidden = false;
  const hide = () => {
    hidden = true;
    terminal.write(HIDE);
  };
  const show = () => {
    if (hidden) terminal.write(SHOW);
    hidden = false;
  };
  const stop = () => {
    show();
    process.kill(process.pid, "SIGSTOP");
    // From here it goes on when the shell continues the process.
    hide();
  };
  const quit = () => {
    show();
    forget();
    process.kill(process.pid, "SIGQUIT");
  };
  const forget = () => {
    process.off("exit", show).off("SIGTSTP", stop).off("SIGQUIT", quit);
  };
  process.on("exit", show).on("SIGTSTP", stop).on("SIGQUIT", quit);
  hide();
  return () => {
    forget();
    show();
  };
}

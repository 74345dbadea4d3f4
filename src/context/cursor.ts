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
    if (!hidden) terminal.write(HIDE);
    hidden = true;
  };
  const show = () => {
    if (hidden) terminal.write(SHOW);
    hidden = false;
  };
  const stop = () => {
    show();
    process.kill(process.pid, "SIGSTOP");
  };
  const quit = () => {
    show();
    forget();
    process.kill(process.pid, "SIGQUIT");
  };
  const heeded = { exit: show, SIGTSTP: stop, SIGCONT: hide, SIGQUIT: quit };
  const forget = () => {
    for (const [event, act] of Object.entries(heeded)) process.off(event, act);
  };
  for (const [event, act] of Object.entries(heeded)) process.on(event, act);
  hide();
  return () => {
    forget();
    show();
  };
}

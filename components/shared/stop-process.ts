/** What of the process stopping and going on needs. */
export interface Stoppable {
  readonly pid: number;
  on(signal: NodeJS.Signals, listener: () => void): unknown;
  off(signal: NodeJS.Signals, listener: () => void): unknown;
  once(signal: NodeJS.Signals, listener: () => void): unknown;
  kill(pid: number, signal: NodeJS.Signals): unknown;
}

/** Hands the terminal back, as Ink's `suspendTerminal` does. */
type Suspend = () => Promise<{ resume(): Promise<void> }>;

/**
 * Stops the process group as Ctrl-Z does in every other program: the terminal is as it was before, and when the shell
 * continues the process the screen comes back. Being asked twice is being asked once.
 */
export async function stopProcess(process: Stoppable, suspendTerminal: Suspend): Promise<void> {
  const suspension = await suspendTerminal().catch(() => undefined);
  if (suspension === undefined) return;
  const continued = new Promise<void>((resolve) => process.once('SIGCONT', resolve));
  // With its input handed back the process may have nothing else that keeps it from ending.
  const awake = setInterval(() => {}, 1000);
  // The whole group: a shell waits for the program that started this one, where there is one.
  process.kill(0, 'SIGSTOP');
  await continued;
  clearInterval(awake);
  await suspension.resume();
}

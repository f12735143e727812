import { type ProgressState, totalBytes } from './progress-state.ts';

/** The progress of a run for the tab of a terminal, as OSC 9;4 takes it: its state, and a percentage. */
export function tabProgress(state: ProgressState, isPaused: boolean): string {
  const total = totalBytes(state);
  if (total <= 0) return '3;0';
  const percent = Math.floor(Math.min(1, state.bytes / total) * 100);
  return `${isPaused ? 4 : state.errors > 0 ? 2 : 1};${percent}`;
}

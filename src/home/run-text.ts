import { formatSizeUnit } from '../core/byte-size.ts';
import type { PastRun } from './past-run.ts';

/** How a run ended, in a word or two. */
export function runEnd({ exit, errors }: PastRun): string {
  if (exit === 0) return 'done';
  if (exit === 130) return 'stopped';
  if (exit === 143) return 'terminated';
  return errors > 1 ? `${errors} errors` : `failed (${exit})`;
}

/** How long ago something was, for people: `5 min ago`. */
export function ago(ms: number): string {
  const steps: readonly (readonly [number, string])[] = [
    [60, 's'],
    [60, 'min'],
    [24, 'h'],
    [7, 'd'],
    [52, 'wk'],
  ];
  let count = Math.max(0, Math.round(ms / 1000));
  for (const [next, unit] of steps) {
    if (count < next) return `${count} ${unit} ago`;
    count = Math.floor(count / next);
  }
  return `${count} y ago`;
}

/** How long something took: `3.2 s`, `4 min 10 s`. */
export function took(ms: number): string {
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return hours > 0 ? `${hours} h ${minutes} min` : `${minutes} min ${seconds % 60} s`;
}

/** What a run did, in one line. */
export function runSum({ files, bytes, checks, deleted }: PastRun): string {
  const parts = [
    files > 0 ? `${files} transferred, ${formatSizeUnit(bytes)}` : '',
    checks > 0 ? `${checks} checked` : '',
    deleted > 0 ? `${deleted} deleted` : '',
  ].filter((part) => part !== '');
  return parts.length === 0 ? 'nothing to do' : parts.join(', ');
}

import type { Glyphs } from './look.ts';

/** A bar of `width` columns, full up to `share` (0 to 1). */
export function bar(share: number, width: number, { bar: parts }: Pick<Glyphs, 'bar'>): string {
  const steps = parts.length - 1;
  const filled = Math.round(Math.max(0, Math.min(1, share || 0)) * width * steps);
  const whole = Math.floor(filled / steps);
  const rest = filled - whole * steps;
  const text = (parts[steps] ?? '').repeat(whole) + (rest > 0 ? (parts[rest] ?? '') : '');
  return text + (parts[0] ?? ' ').repeat(Math.max(0, width - whole - (rest > 0 ? 1 : 0)));
}

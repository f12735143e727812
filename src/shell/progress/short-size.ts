const UNITS = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'] as const;

/** A size in at most three digits and a unit, for places that change all the time: `999 B`, `1.2 MiB`, `12 GiB`. */
export function shortSize(bytes: number, unit = 'B'): string {
  let power = 0;
  let value = Math.max(0, bytes);
  while (power < UNITS.length - 1 && value >= 999.5) {
    value /= 1024;
    power++;
  }
  const digits = power === 0 || value >= 9.95 ? 0 : 1;
  return `${value.toFixed(digits)} ${UNITS[power] ?? ''}${unit}`;
}

/** A speed, in bits where `--stats-unit bits` wants that. */
export function shortRate(bytesPerSecond: number, unit: 'bytes' | 'bits'): string {
  return unit === 'bits'
    ? `${shortSize(bytesPerSecond * 8, 'bit')}/s`
    : `${shortSize(bytesPerSecond)}/s`;
}

/** Seconds in at most two units: `5s`, `1m5s`, `2h3m`, `4d2h`. */
export function shortTime(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const [s, m, h] = [whole % 60, Math.floor(whole / 60) % 60, Math.floor(whole / 3600)];
  if (h >= 24) return `${Math.floor(h / 24)}d${h % 24}h`;
  if (h > 0) return `${h}h${m}m`;
  return m > 0 ? `${m}m${s}s` : `${s}s`;
}

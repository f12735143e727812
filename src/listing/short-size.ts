const UNITS = ['K', 'M', 'G', 'T', 'P', 'E'] as const;

/** A size in at most four columns as `tree` shows it: `52`, `3.3M`, `12K`; exactly 1024 stays `1024`. */
export function shortSize(bytes: number): string {
  let power = 0;
  while (power < UNITS.length && bytes > 1024 ** (power + 1)) power++;
  if (power === 0) return String(bytes);
  const scaled = bytes / 1024 ** power;
  const tenths = Math.floor(scaled * 10 + 0.5) / 10;
  return `${tenths >= 10 ? halfToEven(scaled, 0) : halfToEven(scaled, 1)}${UNITS[power - 1]}`;
}

/** A value with a number of decimals, one exactly half-way to the even digit, as Go prints it. */
function halfToEven(value: number, decimals: 0 | 1): string {
  const steps = value * 10 ** decimals;
  const isHalfWay = Number.isInteger(value * 4) && Math.abs(steps % 1) === 0.5;
  if (!isHalfWay) return value.toFixed(decimals);
  const below = Math.floor(steps);
  return ((below % 2 === 0 ? below : below + 1) / 10 ** decimals).toFixed(decimals);
}

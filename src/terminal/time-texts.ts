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

/** How long something took, for people: `40 ms`, `3.2 s`, `4 min 10 s`, `2 h 5 min`. */
export function took(ms: number): string {
  const rounded = (ms / 1000).toFixed(1);
  if (rounded === '0.0') return `${Math.round(ms)} ms`;
  if (Number(rounded) < 60) return `${rounded} s`;
  const seconds = Math.round(ms / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return hours > 0 ? `${hours} h ${minutes} min` : `${minutes} min ${seconds % 60} s`;
}

/** A time as `2026-11-20 13:54:57`, in local time. */
export function localTime(ms: number): string {
  const time = new Date(ms);
  const two = (number: number) => String(number).padStart(2, '0');
  const date = [time.getFullYear(), two(time.getMonth() + 1), two(time.getDate())].join('-');
  return `${date} ${[time.getHours(), time.getMinutes(), time.getSeconds()].map(two).join(':')}`;
}

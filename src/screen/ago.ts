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

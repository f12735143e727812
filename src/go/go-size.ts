const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

/** A size as webhook's log prints it: `27 B`, `1.0 KiB`, `10 KiB`. */
export function goSize(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit++;
  }
  const rounded = Math.floor(value * 10 + 0.5) / 10;
  return `${bytes >= 10 && rounded < 10 ? rounded.toFixed(1) : halfToEven(rounded)} ${UNITS[unit]}`;
}

function halfToEven(value: number): number {
  const whole = Math.floor(value);
  return value - whole === 0.5 && whole % 2 === 0 ? whole : Math.round(value);
}

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

/** A duration of whole nanoseconds as Go prints it: `94.691µs`, `3.819407ms`, `1m2.5s`. */
export function goDuration(ns: number): string {
  if (ns < 1) return '0s';
  if (ns < 1e3) return `${ns}ns`;
  if (ns < 1e6) return `${decimal(ns, 3)}µs`;
  if (ns < 1e9) return `${decimal(ns, 6)}ms`;
  const minutes = Math.floor(ns / 60e9);
  const seconds = `${decimal(ns - minutes * 60e9, 9)}s`;
  if (minutes === 0) return seconds;
  const hours = Math.floor(minutes / 60);
  return hours === 0 ? `${minutes}m${seconds}` : `${hours}h${minutes % 60}m${seconds}`;
}

/** `value / 10 ** places` without zeros at the end. */
function decimal(value: number, places: number): string {
  const digits = String(Math.round(value)).padStart(places + 1, '0');
  const fraction = digits.slice(-places).replace(/0+$/, '');
  return `${digits.slice(0, -places)}${fraction && `.${fraction}`}`;
}

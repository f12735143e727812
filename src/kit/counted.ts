/** A number with its thousands apart: `10,007`. */
export function figure(value: number): string {
  return value.toLocaleString('en-US');
}

/** A number of things by name: `1 file`, `10,007 files`. */
export function counted(count: number, noun: string): string {
  return `${figure(count)} ${count === 1 ? noun : `${noun}s`}`;
}

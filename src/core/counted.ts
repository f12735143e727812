/** A number with its thousands apart: `10,007`. */
export function figure(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

/** A number of things by name: `1 file`, `10,007 files`, `2 entries`. */
export function counted(count: number, noun: string): string {
  const plural = /[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`;
  return `${figure(count)} ${count === 1 ? noun : plural}`;
}

/** The first names of a list, and how many more there are: `a, b and 3 more`. */
export function firstNames(names: readonly string[], most = 10): string {
  const more = names.length - most;
  return names.slice(0, most).join(', ') + (more > 0 ? ` and ${figure(more)} more` : '');
}

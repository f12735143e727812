/** A value of a unit, in which `%` would begin a specifier (systemd.unit(5)). */
export function unitValue(text: string): string {
  return text.replaceAll('%', '%%');
}

/** A word of a command line, in which `$` would begin a variable (systemd.service(5)). */
export function unitWord(word: string): string {
  const text = word.replaceAll('$', '$$$$');
  return /^[\w@%+=:,./$-]+$/.test(text) ? unitValue(text) : `"${plain(text)}"`;
}

/** What stands between double quotes; bytes that are not UTF-8 as `\xff`. */
function plain(text: string): string {
  return unitValue(text)
    .replace(/["\\]/g, '\\$&')
    .replaceAll('\n', '\\n')
    .replace(/[\udc80-\udcff]/gu, (byte) => `\\x${(byte.charCodeAt(0) & 0xff).toString(16)}`);
}

/** What to do about secrets that a unit must not hold; `undefined` if there are none. */
export function leftOutText(
  what: 'unit' | 'service',
  names: readonly string[],
): string | undefined {
  if (names.length === 0) return undefined;
  return `the ${what} omits the secrets in ${names.join(', ')}: set them with EnvironmentFile= and a file readable only by its user`;
}

/** The lines that set variables. */
export function unitEnvironmentLines(env: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(env).map(([name, value]) => `Environment="${plain(`${name}=${value}`)}"`);
}

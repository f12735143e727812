/** A value of a unit, in which `%` would begin a specifier (systemd.unit(5)). */
export function unitValue(text: string): string {
  return text.replaceAll('%', '%%');
}

/** A word of a command line, in which `$` would begin a variable (systemd.service(5)). */
export function unitWord(word: string): string {
  const text = word.replaceAll('$', '$$$$');
  return /^[\w@%+=:,./$-]+$/.test(text) ? unitValue(text) : `"${plain(text)}"`;
}

/** What stands between double quotes. */
function plain(text: string): string {
  return unitValue(text).replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n');
}

/** The lines that set variables. */
export function unitEnvironmentLines(env: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(env).map(([name, value]) => `Environment="${plain(`${name}=${value}`)}"`);
}

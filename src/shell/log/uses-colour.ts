/**
 * Whether output may be coloured: `--color always` and `never` decide; otherwise a terminal is, unless `NO_COLOR` is
 * set (https://no-color.org) or `TERM` has no colours.
 */
export function usesColour(
  color: 'auto' | 'always' | 'never',
  env: NodeJS.ProcessEnv,
  isTerminal: boolean,
): boolean {
  if (color !== 'auto') return color === 'always';
  return isTerminal && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
}

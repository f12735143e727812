/** Terminals that cannot move their cursor, and screen readers, get lines and no view. */
export function isPlainTerminal(env: NodeJS.ProcessEnv): boolean {
  return Boolean(env['SYNCER_PLAIN']) || env['TERM'] === 'dumb';
}

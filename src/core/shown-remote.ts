/**
 * The name of a remote for messages and commands: without the mark `{…}` of options that come from elsewhere than the
 * configuration file, which only distinguishes remotes.
 */
export function shownRemote(name: string): string {
  return name.replace(/\{[^{}]*\}$/, '');
}

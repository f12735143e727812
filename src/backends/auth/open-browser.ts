import { spawn } from 'node:child_process';

const OPENERS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** What opens the link of a login; `undefined` if the person does it, or there is no display for a browser. */
export function loginBrowser(
  flags: { readonly 'auth-no-open-browser': boolean },
  env: NodeJS.ProcessEnv,
): ((link: string) => void) | undefined {
  const hasDisplay = Object.hasOwn(OPENERS, process.platform)
    ? !env['SSH_CONNECTION']
    : Boolean(env['DISPLAY'] || env['WAYLAND_DISPLAY']);
  if (flags['auth-no-open-browser'] || !(env['BROWSER'] || hasDisplay)) return undefined;
  return (link) => {
    const own = env['BROWSER']?.split(':', 1)[0];
    const [program, ...args] = own ? [own] : (OPENERS[process.platform] ?? ['xdg-open']);
    const child = spawn(program, [...args, link], { stdio: 'ignore', detached: true, env });
    // The person has the link.
    child.on('error', () => {});
    child.unref();
  };
}

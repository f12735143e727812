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
  if (flags['auth-no-open-browser'] || !hasDisplay(env)) return undefined;
  return (link) => openBrowser(link, env);
}

/** Opens a link in the browser (`$BROWSER`). Where that fails nothing happens: the person has the link. */
function openBrowser(link: string, env: NodeJS.ProcessEnv): void {
  const own = env['BROWSER']?.split(':', 1)[0];
  const [program, ...args] = own ? [own] : (OPENERS[process.platform] ?? ['xdg-open']);
  const child = spawn(program, [...args, link], { stdio: 'ignore', detached: true, env });
  child.on('error', () => {});
  child.unref();
}

/** Whether there is a display that a browser could appear on. */
function hasDisplay(env: NodeJS.ProcessEnv): boolean {
  if (env['BROWSER']) return true;
  if (Object.hasOwn(OPENERS, process.platform)) return !env['SSH_CONNECTION'];
  return Boolean(env['DISPLAY'] || env['WAYLAND_DISPLAY']);
}

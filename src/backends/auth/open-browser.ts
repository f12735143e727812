import { spawn } from 'node:child_process';

const OPENERS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Opens a link in the browser (`$BROWSER`). Where that fails nothing happens: the person has the link. */
export function openBrowser(link: string, env: NodeJS.ProcessEnv): void {
  const own = env['BROWSER']?.split(':', 1)[0];
  const [program, ...args] = own ? [own] : (OPENERS[process.platform] ?? ['xdg-open']);
  const child = spawn(program, [...args, link], { stdio: 'ignore', detached: true, env });
  child.on('error', () => {});
  child.unref();
}

/** Whether there is a display that a browser could appear on. */
export function hasDisplay(env: NodeJS.ProcessEnv, platform: string = process.platform): boolean {
  if (env['BROWSER']) return true;
  if (Object.hasOwn(OPENERS, platform)) return !env['SSH_CONNECTION'];
  return Boolean(env['DISPLAY'] || env['WAYLAND_DISPLAY']);
}

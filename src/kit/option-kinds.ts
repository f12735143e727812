import type { BackendOption } from '../core/options.ts';

/** An advanced option that is off by default. */
export function flag(name: string, help: string): BackendOption {
  return { name, type: 'bool', help, default: 'false', advanced: true };
}

/** An option of rclone that is accepted and has no effect here; `why` ends its help. */
export function ignored(option: Omit<BackendOption, 'help'>, why: string): BackendOption {
  const help = `Ignored, for compatibility with rclone: ${why}`;
  return { ...option, help, advanced: true, isAsked: false };
}

/** As `ignored`, for a flag. */
export function ignoredFlag(name: string, why: string): BackendOption {
  return ignored({ name, type: 'bool', default: 'false' }, why);
}

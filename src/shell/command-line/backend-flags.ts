import { OWN_BACKENDS } from '../../backends/index.ts';
import type { BackendOption } from '../../core/options.ts';
import { readBool } from '../../go/read-number.ts';
import { isReference } from '../../system/secret-reference.ts';
import type { KnownFlag } from './flag-set.ts';

/** The flags that set options for all remotes of a backend of ours, also under its aliases: `--s3-endpoint`. */
export function backendFlags(): readonly KnownFlag[] {
  return OWN_BACKENDS.flatMap(({ type, aliases = [], options }) =>
    [type, ...aliases].flatMap((prefix) =>
      options.map((option) => optionFlag(prefix, option, (text) => optionDecides(option, text))),
    ),
  );
}

/** The flag of an option, for all remotes of a backend. `decides`: see `decidesAboutFiles`. */
export function optionFlag(
  prefix: string,
  option: BackendOption,
  decides: boolean | ((text: string) => boolean),
): KnownFlag {
  const check = option.isTristate ? wrongTristate : option.check;
  const mayBeEmpty = option.default === undefined;
  const name = `${prefix}-${option.name}`.replaceAll('_', '-');
  return {
    key: name,
    name,
    ofBackend: true,
    definition: {
      type: option.isTristate ? 'string' : option.type,
      help: option.help,
      group: 'command',
      decides,
      // As in rclone, an empty option is as good as none, but for one with a default.
      ...(check && {
        check: (text) => (text === '' && mayBeEmpty ? undefined : check(text)),
      }),
    },
  };
}

/**
 * As `decidesAboutFiles`, for an option of a backend: it is no secret, reads no file, and sends no other credentials and
 * none to another server.
 */
export function optionDecides(
  { secret, obscured, isPath, isAddress, isLogin }: BackendOption,
  value: string,
): boolean {
  return !(secret || obscured || isPath || isAddress || isLogin || isReference(value));
}

function wrongTristate(text: string): string | undefined {
  if (text.toLowerCase() === 'unset') return undefined;
  try {
    readBool(text);
    return undefined;
  } catch {
    return `must be true, false or unset, not "${text}"`;
  }
}

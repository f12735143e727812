import type { Context } from '../../core/context.ts';
import type { BackendOption } from '../../core/options.ts';

/** A remote, and what its options are set to. */
interface OptionsOfRemote {
  readonly section: string | undefined;
  readonly backend: { readonly type: string; readonly options: readonly BackendOption[] };
  readonly options: Readonly<Record<string, string>>;
}

/** Logs each option of a remote that is set and has no effect here, once for all remotes of that name. */
export function ignoredOptionsLog({
  emit,
}: Pick<Context, 'emit'>): (remote: OptionsOfRemote) => void {
  const logged = new Set<string>();
  return ({ section, backend, options }) => {
    const path = section ?? backend.type;
    for (const { name: option, ignoredAt: level, default: unset = '' } of backend.options) {
      const isSet = !['', 'unset', 'false', unset].includes(options[option] ?? '');
      const key = `${path}:${option}`;
      if (level === undefined || !isSet || logged.has(key)) continue;
      logged.add(key);
      emit({ type: 'log', level, path, code: 'option-ignored', fields: { option } });
    }
  };
}

import type { Remote } from '../../core/remote.ts';
import type { OpenParams } from '../backend.ts';
import { localRemote } from './local-remote.ts';
import { localSettings } from './local-settings.ts';

/** Opens a local path. Rejects with `config` for options that make no sense; looks at nothing. */
export async function open(params: OpenParams): Promise<Remote> {
  return localRemote(localSettings(params), params.context);
}

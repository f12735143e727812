import type { BackendOption } from '../../core/options.ts';
import type { Backend } from '../backend.ts';
import { LOGIN_OPTIONS } from './option-tables/login.ts';
import { PLACE_OPTIONS } from './option-tables/place.ts';
import { TRANSFER_OPTIONS } from './option-tables/transfer.ts';

const DRIVE_OPTIONS: readonly BackendOption[] = [
  ...LOGIN_OPTIONS,
  ...PLACE_OPTIONS,
  ...TRANSFER_OPTIONS,
];

/** Microsoft's drives: OneDrive for people, for organisations, and the document libraries of SharePoint. */
export const drive: Backend = {
  type: 'drive_provider_a',
  aliases: ['onedrive'],
  summary: 'Microsoft OneDrive, personal and business, and SharePoint document libraries',
  options: DRIVE_OPTIONS,
  firstOptions: [{ name: 'client_id' }, { name: 'client_secret' }],
  login: { finds: ['drive_type', 'drive_id'] },
  load: () => import('./open-drive.ts'),
};
